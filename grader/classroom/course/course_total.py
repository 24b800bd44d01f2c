"""A student's result in the whole course, by the weights of course.toml: the one rule for
gradebook.csv and for the class page.

A lab that was not handed in counts as 0 once its due date has passed for that student, and not at
all before. Without a due date nobody can say which it is: then the result stays open if somebody
else has handed the lab in. What was rejected, waits or could not be graded never counts as 0: it
leaves the result open, too.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grader.classroom.course.final import Final
from grader.classroom.course.settings import Course


@dataclass(frozen=True)
class CourseTotal:
    """share: of the points that could be had in the labs that count, 0 to 1; None while a lab is
    open, or where none counts. The other fields name labs."""

    share: float | None
    zero: tuple[str, ...] = ()  # not handed in when they were due: they count as 0
    ahead: tuple[str, ...] = ()  # not handed in and not due yet: they do not count
    open: tuple[str, ...] = ()  # that count and have no grade


def of_student(
    finals: Iterable[Final],
    course: Course,
    handed_in: frozenset[str],
    share: Callable[[Final], float | None] = lambda final: final.share,
) -> CourseTotal:
    """finals: of one student. handed_in: the labs that somebody has handed in. share: what a grade
    is worth, from 0 to 1; None where there is no grade."""
    earned = weights = 0.0
    zero: list[str] = []
    ahead: list[str] = []
    open_labs: list[str] = []
    for final in finals:
        weight = course.rules(final.lab).weight
        part = share(final)
        if not weight:
            continue
        if part is None and final.status == "missing" and final.overdue:
            part = 0.0
            zero.append(final.lab)
        elif part is None:
            later = final.overdue is False or final.lab not in handed_in
            (ahead if final.status == "missing" and later else open_labs).append(final.lab)
            continue
        earned += weight * part
        weights += weight
    whole = earned / weights if weights and not open_labs else None
    return CourseTotal(whole, tuple(zero), tuple(ahead), tuple(open_labs))


def handed_in(finals: Iterable[Final]) -> frozenset[str]:
    """The labs that somebody has handed in."""
    return frozenset(final.lab for final in finals if final.status != "missing")
