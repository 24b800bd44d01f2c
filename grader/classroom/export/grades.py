"""What every format is written from: the final grades of a class, and what a grade is worth where
another program counts in points of its own.

Points that were not measured are neither earned nor lost. `unmeasured` says what becomes of them:
"scale" takes the points measured for the whole, "zero" counts the others as not earned, and
"blank" gives no grade.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, get_args

from grader.classroom.bulk import class_records
from grader.classroom.bulk.names import Names
from grader.classroom.bulk.store import Store
from grader.classroom.course import course_total, final
from grader.classroom.course.final import Final
from grader.classroom.course.person import Person
from grader.classroom.course.settings import Course
from grader.classroom.course.students import Student
from grader.model import outline
from grader.model.plain_text import line

Unmeasured = Literal["scale", "blank", "zero"]
Missing = Literal["blank", "zero"]
UNMEASURED: tuple[str, ...] = get_args(Unmeasured)
MISSING: tuple[str, ...] = get_args(Missing)
MOST_NAMED = 5  # students in a line of a report


@dataclass(frozen=True)
class Grades:
    """The final grades of a run, by student and lab, and how to count them."""

    store: Store
    every: tuple[Final, ...]
    unmeasured: Unmeasured = "scale"
    missing: Missing = "blank"
    per_check: bool = False
    problem: str = ""  # Autolab: the name of the problem that gets the score; "": the lab's id
    rules: Course = field(default_factory=Course)

    @cached_property
    def labs(self) -> list[str]:
        return outline.in_order(grade.lab for grade in self.every)

    @cached_property
    def by_student(self) -> dict[str, dict[str, Final]]:
        """The grades of each student, by the student's id and lab."""
        found: dict[str, dict[str, Final]] = defaultdict(dict)
        for grade in self.every:
            found[grade.student.id][grade.lab] = grade
        return dict(found)

    @cached_property
    def students(self) -> list[Student]:
        return list({grade.student.id: grade.student for grade in self.every}.values())

    def share(self, grade: Final) -> float | None:
        """The share of all points that a grade is worth, from 0 to 1; None: no grade."""
        if grade.status == "missing" and grade.points is None:
            # Whoever has more time has not lost the points yet.
            return 0.0 if self.missing == "zero" and grade.overdue is not False else None
        if grade.points is None:
            return None
        unmeasured = sum(rest.points for rest in grade.unmeasured)
        if unmeasured and self.unmeasured == "blank":
            return None
        of = grade.out_of + (unmeasured if self.unmeasured == "zero" else 0)
        return min(1.0, grade.points / of) if of > 0 else None

    @cached_property
    def handed_in(self) -> frozenset[str]:
        return course_total.handed_in(self.every)

    def course_share(self, student: str) -> float | None:
        """The share of the course's points that a student has; None while a lab is open."""
        finals = self.by_student[student].values()
        return course_total.of_student(finals, self.rules, self.handed_in, self.share).share


def of(
    store: Store,
    labs: list[str] | None = None,
    unmeasured: Unmeasured = "scale",
    missing: Missing = "blank",
    per_check: bool = False,
    problem: str = "",
) -> Grades:
    """The grades of a run; of these labs only, if named. Raises StoreError and SettingsError."""
    rules = class_records.rules(store)
    every = class_records.finals(store, rules)
    chosen = tuple(grade for grade in every if not labs or grade.lab in labs)
    return Grades(store, chosen, unmeasured, missing, per_check, problem, rules)


def anonymous(grades: Grades, names: Names) -> Grades:
    """The same with pseudonyms in place of the students, in the order of those. What is written
    from it may still quote a name, which names.nameless() replaces."""
    hidden = (replace(g, student=Student(names.of(g.student), Person(), ())) for g in grades.every)
    return replace(grades, every=tuple(sorted(hidden, key=lambda g: (g.student.id, g.lab))))


def total(grade: Final) -> float:
    """The points of the whole lab, measured or not."""
    return grade.out_of + sum(rest.points for rest in grade.unmeasured)


def number(value: float) -> str:
    """With at most two decimals, a full stop before them, and no needless 0."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def outcome(grade: Final) -> str:
    """What lateness or an override made of the points, and under which name a file was accepted,
    in a line; "" where there is nothing to say."""
    said = [grade.why] if grade.override else []
    if grade.late.why and grade.points is not None and not said:
        said = [f"{grade.late.why}: {grade.points:.1f} of {number(grade.out_of)} points"]
    return "; ".join([*said, *(grade.attempt.remarks if grade.attempt else ())])


def warnings(grades: Grades) -> list[str]:
    """What the reader of an export must know: who has no grade, and whose is not of all points."""
    lines = []
    for lab in grades.labs:
        of_lab = [grade for grade in grades.every if grade.lab == lab]
        lines += _unmeasured(grades, lab, of_lab)
        for status in ("error", "waiting", "rejected", "wrong name", "missing"):
            names = [
                grade.student.id
                for grade in of_lab
                if grade.status == status and grades.share(grade) is None
            ]
            if names:
                why = final.WITHOUT_GRADE[status]
                lines.append(f"{lab}: no grade, {status} ({why}): {few(names)}")
    return lines


def _unmeasured(grades: Grades, lab: str, of_lab: list[Final]) -> list[str]:
    """A line for each sum of points that some grades lack."""
    counts: Counter[tuple[float, float]] = Counter()
    for grade in of_lab:
        if grade.points is not None and grade.unmeasured:
            counts[total(grade) - grade.out_of, total(grade)] += 1
    lines = []
    for (missing, whole), count in sorted(counts.items()):
        them = f"{count} grade{'' if count == 1 else 's'}"
        one = count == 1
        measured = number(whole - missing)
        if grades.unmeasured == "blank":
            what = f"{them} {'is' if one else 'are'} left blank"
        elif grades.unmeasured == "zero":
            what = f"{them} {'counts' if one else 'count'} them as not earned"
        elif missing >= whole:
            what = f"{them} {'is' if one else 'are'} left blank"
        else:
            what = f"{them} {'counts' if one else 'count'} the {measured} that were"
        lines.append(
            f"{number(missing)} of {lab}'s {number(whole)} points were not measured: {what}"
        )
    return lines


def few(names: list[str], most: int = MOST_NAMED) -> str:
    """The first few names, fit for a terminal, and how many more there are."""
    shown = [line(name) for name in names[:most]]
    named = ("; " if any("," in name for name in shown) else ", ").join(shown)
    rest = len(names) - most
    return f"{named} and {rest} more" if rest > 0 else named
