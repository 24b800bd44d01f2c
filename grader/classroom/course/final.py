"""The final grades of a run: one for each student and lab, after the course's rules.

What a submission earned is in the store and never changes; lateness, groups, the choice between
attempts, and overrides are applied here, each time anew. Whatever is exported starts from these.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from grader.classroom.bulk import questions
from grader.classroom.bulk.decided import decided
from grader.classroom.bulk.history import Past
from grader.classroom.bulk.intake import student_names
from grader.classroom.bulk.overrides import Override
from grader.classroom.bulk.store import Row, Status, Store, Submission
from grader.classroom.course import lateness, settings
from grader.classroom.course.lateness import Late
from grader.classroom.course.person import Person
from grader.classroom.course.settings import Course
from grader.model import outline, spec
from grader.model.result import Result
from grader.model.score import Unmeasured

COURSE = "course.toml"  # the setting of the store that holds the course's rules
COLLECTED = "collected"  # the one that says when the submissions were last read, in ISO 8601
WITHOUT_GRADE: dict[Status, str] = {
    "missing": "nothing was handed in",
    "rejected": "the submission was rejected",
    "wrong name": "a file has another name than the lab asks for",
    "error": "the grader or the machine failed",
    "waiting": "not graded yet",
}


@dataclass(frozen=True)
class Student:
    """One student, and the submissions that count for this student."""

    id: str  # names the folder of what the student gets back
    person: Person
    submissions: tuple[Submission, ...]

    def names(self) -> frozenset[str]:
        """Whatever course.toml, a command or another program may call the student."""
        own = {s.student for s in self.submissions if len(s.people) <= 1}
        return frozenset(own | {self.id, self.person.name, *self.person.identifiers()} - {""})


@dataclass(frozen=True)
class Final:
    """The grade of one student for one lab. Without points there is no grade: never take that for
    0. earned, of measured: before lateness and overrides."""

    student: Student
    lab: str
    status: Status
    row: Row | None = None  # the attempt that counts; None: there is none
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

    def past(self) -> Past:
        key = self.row.key if self.row else ""
        return Past(self.student.id, self.lab, self.status, key, self.points, self.out_of, self.why)


def finals(store: Store, course: Course) -> list[Final]:
    """Every grade of a run, by student and lab. Raises StoreError when a grade is damaged."""
    attempts: dict[tuple[str, str], list[Row]] = {}
    for row in store.attempts():
        attempts.setdefault((row.student, row.lab), []).append(row)
    labs = outline.in_order(lab for _, lab in attempts)
    overrides, of_checks = store.overrides.current(), store.overrides.of_checks()
    read = collected(store)
    answered = questions.answers(store) if course.questions_percent else {}
    grades = []
    for student in students(store.submissions(), course):
        chosen = {lab: _chosen(store, course, student, lab, attempts) for lab in labs}
        days = {lab: _days(course, student, lab, row) for lab, row in chosen.items()}
        late = lateness.costs(course, days)
        for lab in labs:
            by_hand = of_checks.get((student.id, lab), [])
            final = _final(store, student, lab, chosen[lab], late[lab], by_hand)
            final = _until_due(final, course, read)
            final = _with_answers(store, final, course, answered)
            grades.append(_overridden(final, overrides.get((student.id, lab))))
    return grades


def students(submissions: Iterable[Submission], course: Course) -> list[Student]:
    """Everybody who handed in, or is expected to, in the order of their ids. What a member of a
    group hands in counts for all of it."""
    submissions = list(submissions)
    known: dict[tuple[str, str], int] = {}  # a student's number by each identifier
    by_name: dict[str, set[int]] = {}
    members: list[tuple[str, Person, list[Submission]]] = []
    for submission in submissions:
        for person in submission.people or (Person(),):
            alone = len(submission.people) <= 1
            own = submission.student if alone else student_names.student(_shown(person))
            identifiers = _identifiers(person)
            number = next((known[each] for each in identifiers if each in known), None)
            if number is None:
                number = len(members)
                members.append((own, person, []))
            if submission not in members[number][2]:
                members[number][2].append(submission)
            known.update(dict.fromkeys(identifiers, number))
            for name in (own, person.name, *person.identifiers()):
                by_name.setdefault(name, set()).add(number)
    for group in course.group:
        numbers = sorted({n for name in group.students for n in by_name.get(name, ())})
        shared = [s for s in submissions if any(s in members[n][2] for n in numbers)]
        for number in numbers:
            members[number][2][:] = shared
    taken: set[str] = set()
    found = []
    for own, person, theirs in members:
        number = 2
        unique = own
        while unique in taken:  # two members of groups may have the same name
            unique, number = f"{own} ({number})", number + 1
        taken.add(unique)
        found.append(Student(unique, person, tuple(theirs)))
    return sorted(found, key=lambda student: student.id)


def matching(everybody: Iterable[Student], name: str) -> list[Student]:
    """The students whom a name, an address or a number means; more than one if it is doubtful."""
    everybody = list(everybody)
    exact = [student for student in everybody if student.id == name]
    return exact or [student for student in everybody if name in student.names()]


def strangers(course: Course, everybody: Iterable[Student]) -> list[str]:
    """The names in course.toml that mean no student of the run: perhaps a slip."""
    known = {name for student in everybody for name in student.names()}
    named = [each.student for each in course.extension]
    named += [take.student for take in course.take]
    named += [name for group in course.group for name in group.students]
    return [name for name in dict.fromkeys(named) if name not in known]


def _identifiers(person: Person) -> list[tuple[str, str]]:
    """What tells the person from others, each with its kind: numbers of two kinds may be equal."""
    kinds = {"lms": person.lms, "sis": person.sis, "login": person.login, "email": person.email}
    return [(kind, text) for kind, text in kinds.items() if text]


def _shown(person: Person) -> str:
    return person.name or next(iter(person.identifiers()), "student")


def _chosen(
    store: Store,
    course: Course,
    student: Student,
    lab: str,
    attempts: dict[tuple[str, str], list[Row]],
) -> Row | None:
    """The attempt that counts: the latest, or the best by its points after lateness."""
    mine = [attempts.get((s.student, lab), []) for s in student.submissions]
    latest = [rows[-1] for rows in mine if rows]
    if course.attempts == "best":
        graded = [row for rows in mine for row in rows if row.status == "graded"]
        if graded:
            return max(graded, key=lambda row: (_worth(store, course, student, row), _when(row)))
    with_files = [row for row in latest if row.status != "missing"]
    return max(with_files or latest, key=_when, default=None)


def _worth(store: Store, course: Course, student: Student, row: Row) -> float:
    """The share of the points that an attempt would give, without grace days."""
    result = store.result_of(row)
    if result is None or not result.score.measured:
        return 0
    late = lateness.costs(course, {row.lab: _days(course, student, row.lab, row)})[row.lab]
    return late.keeps * result.score.earned / result.score.measured


def _when(row: Row) -> tuple[datetime, int, str]:
    return row.submitted or datetime.min.replace(tzinfo=UTC), row.attempt, row.student


def _days(course: Course, student: Student, lab: str, row: Row | None) -> int:
    if row is None or row.status == "missing":
        return 0
    due = course.due(lab, student.names())
    # The download's mark knows nothing of an extension.
    flagged = "late" in row.notes.split(", ") and not course.extended(lab, student.names())
    return lateness.days_late(row.submitted, due, flagged, course.grace_minutes)


def _final(
    store: Store,
    student: Student,
    lab: str,
    row: Row | None,
    late: Late,
    by_hand: list[Override],
) -> Final:
    status: Status = row.status if row else "missing"
    result = store.result_of(row) if row else None
    if result is None:
        reason = row.reason if row else ""
        why = WITHOUT_GRADE.get(status, status)
        if status == "missing":  # what was handed in may be for other labs
            why = reason or why
        elif reason not in ("", why):
            why += f": {reason}"
        return Final(student, lab, status, row, why=why)
    result = decided(result, by_hand)
    points = result.score.earned * late.keeps
    set_by_hand = [f"set by the instructor: {each.why}" for each in by_hand]
    why = "; ".join(filter(None, [late.why, *set_by_hand]))
    out_of, hands = result.score.measured, tuple(by_hand)
    return Final(student, lab, status, row, result, points, out_of, late, by_hand=hands, why=why)


def _until_due(final: Final, course: Course, read: datetime) -> Final:
    """The grade with what its due date says of it where nothing was handed in."""
    due = course.due(final.lab, final.student.names())
    if due is None or final.status != "missing":
        return final
    overdue = lateness.days_late(read, due, False, course.grace_minutes) > 0
    words = "counts as 0 in the course's result" if overdue else "does not count yet"
    why = f"{final.why}; due {due:%Y-%m-%d %H:%M}, so it {words}"
    return replace(final, overdue=overdue, why=why)


def _with_answers(store: Store, final: Final, course: Course, given: questions.Answers) -> Final:
    """The grade in which right answers are worth what the course says, and the program the rest.
    What was asked and not answered is wrong; who was not asked keeps the grade, and so do all
    before the first answer is known."""
    made = questions.of(store, final.row) if given and final.row else None
    if made is None or not made.asked or final.points is None:
        return final
    right = sum(bool(each.right) for each in questions.judged(made, given))
    worth = course.questions_percent / 100
    points = (1 - worth) * final.points + worth * final.out_of * right / len(made.asked)
    words = f"{right} of {len(made.asked)} questions answered right, for "
    words += f"{course.questions_percent:g} % of the points"
    return replace(final, points=points, why="; ".join(filter(None, [final.why, words])))


def collected(store: Store) -> datetime:
    """When the submissions were last read; of a run that does not know it, now."""
    text = store.setting(COLLECTED).decode()
    return datetime.fromisoformat(text) if text else datetime.now(UTC)


def _overridden(final: Final, override: Override | None) -> Final:
    """The grade with the instructor's points in place of its own."""
    if override is None:
        return final
    total = final.result.score.total if final.result else spec.load(final.lab).points.total()
    why = f"set to {override.points:g} of {total:g} by the instructor: {override.why}"
    return replace(final, points=override.points, out_of=total, override=override, why=why)


def rules(store: Store) -> Course:
    """The course's rules that a run was last graded with. Raises SettingsError."""
    text = store.setting(COURSE)
    return settings.parse(text, frozenset(outline.available())) if text else Course()
