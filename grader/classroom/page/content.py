"""All that the class page shows, from the final grades: figures and texts, no HTML."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from grader.classroom.bulk import logs
from grader.classroom.bulk import questions as asked
from grader.classroom.bulk.names import Names
from grader.classroom.bulk.store import Store
from grader.classroom.course import course_total
from grader.classroom.course.attempt import Status
from grader.classroom.course.course_total import CourseTotal
from grader.classroom.course.final import WITHOUT_GRADE, Final
from grader.classroom.course.settings import Course
from grader.classroom.course.students import Student
from grader.classroom.page import checks, common_mistakes, decisions, questions, reasons
from grader.classroom.page.checks import CheckFigures
from grader.classroom.page.common_mistakes import Mistake
from grader.classroom.page.decisions import Decision
from grader.classroom.page.questions import QuestionFigures
from grader.classroom.page.reasons import Reason
from grader.model import outline
from grader.student import log_table
from grader.student.grade_log import Log

MOST_RECORDS, STORY_WIDTH = 60, 96  # of a log that the page shows; characters
SLOWEST = 5  # checks of a lab that are listed by their times


@dataclass(frozen=True)
class Note:
    """Why a grade is not simply what the submission earned."""

    kind: str  # "late", "set by hand", "attempt", "file"
    final: Final
    text: str


@dataclass(frozen=True)
class Rest:
    """Points that `count` grades lack because they could not be measured, from least to most."""

    least: float
    most: float
    reason: str
    count: int


@dataclass(frozen=True)
class Story:
    """The log that a submission came with. text: its last records, as ./grade log shows them."""

    final: Final
    grades: int
    reasons: int  # records that say what their student expected
    text: str


@dataclass(frozen=True)
class LabFigures:
    """One lab. shares: of the points that could be had, after lateness and overrides, 0 to 1."""

    id: str
    title: str
    finals: list[Final]
    states: Counter[Status]  # of the grades; one set by hand counts by its submission
    unsure: int  # graded, but a check could not be decided
    shares: list[float]
    points: list[float]
    out_of: float | None  # the same for all grades, or None
    submissions: int  # that the checks below were computed from
    checks: list[CheckFigures]
    mistakes: list[Mistake]
    without_fail: int  # submissions that fail no check
    reasons: list[Reason]
    slowest: list[CheckFigures]
    seconds: float  # that all checks of all submissions ran
    unmeasured: list[Rest]
    notes: Counter[str]  # by kind
    questions: list[QuestionFigures]
    stories: list[Story]
    decisions: list[Decision]

    @property
    def median(self) -> float | None:
        return statistics.median(self.shares) if self.shares else None

    @property
    def median_points(self) -> float | None:
        return statistics.median(self.points) if self.points else None


@dataclass(frozen=True)
class Everybody:
    """One row of the table of students."""

    student: Student
    total: CourseTotal
    finals: list[Final]  # by lab


@dataclass(frozen=True)
class Content:
    """The page."""

    title: str
    labs: list[LabFigures]
    rows: list[Everybody]
    totals: list[float]
    weights: dict[str, float]  # by lab
    notes: dict[tuple[str, str], list[Note]]  # by the student's id and the lab
    decisions: list[Decision]  # what the instructor must decide, the most pressing first

    @property
    def changed(self) -> list[Note]:
        """Every note, student by student."""
        return [note for notes in self.notes.values() for note in notes]


def content(store: Store, grades: list[Final], course: Course, names: Names) -> Content:
    """Whatever names examples or orders students goes by the names that the page shows: the order
    of real names would give pseudonyms away."""
    # Of one student, the grades stay in the order of the labs.
    grades = sorted(grades, key=lambda f: (names.of(f.student).casefold(), names.anchor(f.student)))
    latest = {(row.student, row.lab): row.number for row in store.attempts()}
    notes = {(f.student.id, f.lab): _notes(f, latest) for f in grades}
    by_lab: dict[str, list[Final]] = defaultdict(list)
    by_student: dict[str, list[Final]] = defaultdict(list)
    for final in grades:
        by_lab[final.lab].append(final)
        by_student[final.student.id].append(final)
    labs = [_lab(store, lab, by_lab[lab], notes, names) for lab in outline.in_order(by_lab)]
    handed_in = course_total.handed_in(grades)
    rows = [
        Everybody(finals[0].student, course_total.of_student(finals, course, handed_in), finals)
        for finals in by_student.values()
    ]
    return Content(
        title=course.title,
        labs=labs,
        rows=rows,
        totals=[row.total.share for row in rows if row.total.share is not None],
        weights={lab.id: course.rules(lab.id).weight for lab in labs},
        notes=notes,
        decisions=decisions.in_order(
            [each for lab in labs for each in lab.decisions]
            + decisions.of_notes(finals[0] for finals in by_student.values())
        ),
    )


def why(final: Final) -> str:
    """Why a grade is missing, or what changed it; "" where it is what the submission earned."""
    return final.why or (WITHOUT_GRADE.get(final.status, "") if final.points is None else "")


def _lab(
    store: Store,
    lab: str,
    finals: list[Final],
    notes: dict[tuple[str, str], list[Note]],
    names: Names,
) -> LabFigures:
    # What a group hands in is the grade of each member, and one submission.
    once = {(f.attempt.student, f.attempt.number): f for f in reversed(finals) if f.attempt}
    submitted = [once[key] for key in reversed(once)]
    graded = [final for final in submitted if final.result]
    results = [final.result for final in graded if final.result]
    by_check = checks.figures(results)
    timed = [check for check in by_check if check.times]
    with_points = [f for f in finals if f.points is not None and f.out_of > 0]
    out_of = {f.out_of for f in with_points}
    why_not = reasons.of_finals(submitted, names.nameless)
    rows = [final.attempt for final in submitted if final.attempt]
    handed_in = {row.student: log for row in rows if (log := logs.of(store, row))}
    return LabFigures(
        id=lab,
        title=outline.title(lab),
        finals=finals,
        states=Counter(final.status for final in finals),
        unsure=sum(_is_unsure(final) for final in finals),
        shares=[share for final in finals if (share := final.share) is not None],
        points=[f.points for f in with_points if f.points is not None],
        out_of=out_of.pop() if len(out_of) == 1 else None,
        submissions=len(graded),
        checks=by_check,
        mistakes=common_mistakes.of_submissions(graded),
        without_fail=sum(all(c.verdict != "fail" for c in r.checks) for r in results),
        reasons=why_not,
        slowest=sorted(timed, key=lambda c: -(c.median or 0))[:SLOWEST],
        seconds=sum(sum(check.times) for check in timed),
        unmeasured=_unmeasured(finals),
        notes=Counter(note.kind for final in finals for note in notes[final.student.id, lab]),
        questions=questions.figures(store, graded, asked.answers(store)),
        stories=_stories(submitted, handed_in),
        decisions=decisions.of_lab(lab, submitted, why_not)
        + decisions.of_logs(lab, submitted, handed_in),
    )


def _stories(submitted: list[Final], handed_in: dict[str, Log]) -> list[Story]:
    found = []
    for final in submitted:
        if log := handed_in.get(final.attempt.student) if final.attempt else None:
            text = log_table.story(log, STORY_WIDTH, MOST_RECORDS)
            said = sum(bool(entry.why) for entry in log.entries)
            found.append(Story(final, len(log.entries), said, text))
    return found


def _is_unsure(final: Final) -> bool:
    return bool(final.result) and any(
        check.verdict == "uncertain" for check in (final.result.checks if final.result else ())
    )


def _unmeasured(finals: Iterable[Final]) -> list[Rest]:
    """What could not be measured, the most frequent reason first."""
    points: dict[str, list[float]] = defaultdict(list)
    for final in finals:
        for rest in final.unmeasured:
            points[rest.reason].append(rest.points)
    rests = [Rest(min(p), max(p), reason, len(p)) for reason, p in points.items()]
    return sorted(rests, key=lambda rest: (-rest.count, rest.reason))


def _notes(final: Final, latest: dict[tuple[str, str], int]) -> list[Note]:
    notes = []
    if final.late.days:
        notes.append(Note("late", final, final.late.why))
    if final.override:
        notes.append(Note("set by hand", final, final.why))
    elif final.by_hand:
        text = "; ".join(f"{each.check}: {each.points:g}, {each.why}" for each in final.by_hand)
        notes.append(Note("set by hand", final, text))
    row = final.attempt
    if row and (last := latest.get((row.student, row.lab), row.number)) > row.number:
        notes.append(Note("attempt", final, f"attempt {row.number} of {last} counts"))
    if row and row.remarks:
        notes.append(Note("file", final, "; ".join(row.remarks)))
    return notes
