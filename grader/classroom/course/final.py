"""The final grades of a class: one for each student and lab, after the course's rules.

What a submission earned never changes; lateness, groups, the choice between attempts, answers to
questions, and overrides are applied here, each time. Whatever is exported starts from these.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from grader.classroom.course import lateness
from grader.classroom.course.attempt import Attempt, HandIn, Status
from grader.classroom.course.decided import decided
from grader.classroom.course.lateness import Late
from grader.classroom.course.override import Override
from grader.classroom.course.settings import Course
from grader.classroom.course.students import Student, students
from grader.model import outline, spec
from grader.model.result import Result
from grader.model.score import Unmeasured

WITHOUT_GRADE: dict[Status, str] = {
    "missing": "nothing was handed in",
    "rejected": "the submission was rejected",
    "wrong name": "a file has another name than the lab asks for",
    "error": "the grader or the machine failed",
    "waiting": "not graded yet",
}


@dataclass(frozen=True)
class RightAnswers:
    """How many of the questions about a program its student answered right."""

    right: int
    asked: int


@dataclass(frozen=True)
class Predicted:
    """Of how many grades in a student's log the student wrote down before what to expect."""

    predicted: int = 0
    grades: int = 0


@dataclass(frozen=True)
class ClassRecords:
    """What is known of a class, from which its grades follow.

    read: when the submissions were last read. overrides: of whole labs, and of single checks, by
    student and lab. result_of, answers_of: of an attempt; None where there are none. predicted_of:
    likewise; no grades where no log was handed in.
    """

    submissions: list[HandIn]
    attempts: list[Attempt]
    read: datetime
    overrides: Mapping[tuple[str, str], Override]
    overrides_of_checks: Mapping[tuple[str, str], list[Override]]
    result_of: Callable[[Attempt], Result | None]
    answers_of: Callable[[Attempt], RightAnswers | None]
    predicted_of: Callable[[Attempt], Predicted]


@dataclass(frozen=True)
class Final:
    """The grade of one student for one lab. Without points there is no grade: never take that for
    0. earned, of measured: before lateness and overrides."""

    student: Student
    lab: str
    status: Status
    attempt: Attempt | None = None  # the one that counts; None: there is none
    result: Result | None = None
    points: float | None = None
    out_of: float = (
        0  # the points that could be had: those measured; of an override, the lab's total
    )
    late: Late = field(default_factory=Late)
    override: Override | None = None
    by_hand: tuple[Override, ...] = ()  # of single checks
    why: str = ""  # lateness, an override, or why there is no grade: one sentence
    overdue: bool | None = None  # was it due when the submissions were read? None: it never is

    @property
    def share(self) -> float | None:
        """The points of what could be had, from 0 to 1; None where there is no grade."""
        if self.points is None or self.out_of <= 0:
            return None
        return min(1.0, self.points / self.out_of)

    @property
    def unmeasured(self) -> tuple[Unmeasured, ...]:
        """The points that this run could not measure; an override decides those too."""
        return self.result.score.unmeasured if self.result and not self.override else ()


def finals(records: ClassRecords, course: Course) -> list[Final]:
    """Every grade of a class, by student and lab. Raises what records.result_of() does."""
    attempts: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in records.attempts:
        attempts.setdefault((attempt.student, attempt.lab), []).append(attempt)
    labs = outline.in_order(lab for _, lab in attempts)
    grades: list[Final] = []
    for student in students(records.submissions, course):
        theirs = {
            lab: [attempts.get((s.student, lab), []) for s in student.submissions] for lab in labs
        }
        grades += _of_student(student, records, course, theirs)
    return grades


def _of_student(
    student: Student,
    records: ClassRecords,
    course: Course,
    attempts: Mapping[str, list[list[Attempt]]],
) -> Iterable[Final]:
    """attempts: by lab, those of each submission."""
    chosen = {lab: _chosen(records, course, student, each) for lab, each in attempts.items()}
    days = {lab: _days(course, student, lab, attempt) for lab, attempt in chosen.items()}
    late = lateness.costs(course, days)
    for lab, attempt in chosen.items():
        by_hand = records.overrides_of_checks.get((student.id, lab), [])
        final = _graded(records, student, lab, attempt, late[lab], by_hand)
        final = _until_due(final, course, records.read)
        if attempt and course.questions_percent:
            final = _with_answers(final, course, records.answers_of(attempt))
        if attempt and course.predictions_percent and final.points is not None:
            final = _with_predictions(final, course, records.predicted_of(attempt))
        yield _overridden(final, records.overrides.get((student.id, lab)))


def _chosen(
    records: ClassRecords, course: Course, student: Student, attempts: list[list[Attempt]]
) -> Attempt | None:
    """The attempt that counts: the latest, or the best by its points after lateness. attempts:
    those of each submission, in their order."""
    if course.attempts == "best":
        graded = [each for those in attempts for each in those if each.status == "graded"]
        worth = {each: (_worth(records, course, student, each), _when(each)) for each in graded}
        if worth:
            return max(worth, key=lambda each: worth[each])
    latest = [those[-1] for those in attempts if those]
    with_files = [each for each in latest if each.status != "missing"]
    return max(with_files or latest, key=_when, default=None)


def _worth(records: ClassRecords, course: Course, student: Student, attempt: Attempt) -> float:
    """The share of the points that an attempt would give, without grace days."""
    result, lab = records.result_of(attempt), attempt.lab
    if result is None or not result.score.measured:
        return 0
    late = lateness.costs(course, {lab: _days(course, student, lab, attempt)})[lab]
    return late.keeps * result.score.earned / result.score.measured


def _when(attempt: Attempt) -> tuple[datetime, int, str]:
    return (
        attempt.submitted or datetime.min.replace(tzinfo=UTC),
        attempt.number,
        attempt.student,
    )


def _days(course: Course, student: Student, lab: str, attempt: Attempt | None) -> int:
    if attempt is None or attempt.status == "missing":
        return 0
    due = course.due(lab, student.names())
    # The download's flag knows nothing of an extension.
    flagged = "late" in attempt.notes.split(", ") and not course.extended(lab, student.names())
    return lateness.days_late(attempt.submitted, due, flagged, course.grace_minutes)


def _graded(
    records: ClassRecords,
    student: Student,
    lab: str,
    attempt: Attempt | None,
    late: Late,
    by_hand: list[Override],
) -> Final:
    """The grade of the attempt that counts, after lateness and what was set for single checks."""
    result = records.result_of(attempt) if attempt else None
    if attempt is None or result is None:
        status = attempt.status if attempt else "missing"
        why = "; ".join([_why_none(status, attempt), *(attempt.remarks if attempt else ())])
        return Final(student, lab, status, attempt, why=why)
    result = decided(result, by_hand)
    set_by_hand = [f"set by the instructor: {each.why}" for each in by_hand]
    return Final(
        student,
        lab,
        "graded",
        attempt,
        result,
        points=result.score.earned * late.keeps,
        out_of=result.score.measured,
        late=late,
        by_hand=tuple(by_hand),
        why="; ".join(filter(None, [late.why, *set_by_hand, *attempt.remarks])),
    )


def _why_none(status: Status, attempt: Attempt | None) -> str:
    reason = attempt.reason if attempt else ""
    why = WITHOUT_GRADE.get(status, status)
    if status == "missing":  # what was handed in may be for other labs
        return reason or why
    return why if reason in ("", why) else f"{why}: {reason}"


def _until_due(final: Final, course: Course, read: datetime) -> Final:
    """The grade with what its due date says of it where nothing was handed in."""
    due = course.due(final.lab, final.student.names())
    if due is None or final.status != "missing":
        return final
    overdue = lateness.days_late(read, due, False, course.grace_minutes) > 0
    words = "counts as 0 in the course's result" if overdue else "does not count yet"
    why = f"{final.why}; due {due:%Y-%m-%d %H:%M}, so it {words}"
    return replace(final, overdue=overdue, why=why)


def _with_answers(final: Final, course: Course, answers: RightAnswers | None) -> Final:
    """The grade in which right answers are worth what the course says, and the program the rest.
    What was asked and not answered is wrong; who was not asked keeps the grade, and so do all
    before the first answer is known."""
    if answers is None or final.points is None:
        return final
    words = f"{answers.right} of {answers.asked} questions answered right"
    return _shared(final, course.questions_percent, answers.right / answers.asked, words)


def _with_predictions(final: Final, course: Course, found: Predicted) -> Final:
    """The grade in which to have predicted counts, right or wrong; without a log, nothing was."""
    words = f"{found.predicted} of {found.grades} grades predicted"
    return _shared(final, course.predictions_percent, found.predicted / (found.grades or 1), words)


def _shared(final: Final, percent: float, share: float, words: str) -> Final:
    """The grade in which a share from 0 to 1 decides some percent of the points. words: what it is
    a share of."""
    points = final.points or 0
    points += percent / 100 * (final.out_of * share - points)
    why = "; ".join(filter(None, [final.why, f"{words}, for {percent:g} % of the points"]))
    return replace(final, points=points, why=why)


def _overridden(final: Final, override: Override | None) -> Final:
    """The grade with the instructor's points in place of its own."""
    if override is None:
        return final
    total = final.result.score.total if final.result else spec.load(final.lab).points.total()
    why = f"set to {override.points:g} of {total:g} by the instructor: {override.why}"
    return replace(final, points=override.points, out_of=total, override=override, why=why)
