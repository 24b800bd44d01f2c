"""What it costs to hand in late."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

from grader.classroom.course.settings import Course

DAY = timedelta(days=1)
NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Late:
    """How late one lab of one student is, and what that costs."""

    days: int = 0  # begun after the due date
    grace: int = 0  # of them that cost nothing
    keeps: float = 1.0  # the share of the points that is left
    why: str = ""  # "3 days late, 1 of them without loss: 20 % off"; "" when it is in time


def days_late(submitted: datetime | None, due: datetime | None, flagged: bool, minutes: int) -> int:
    """The days begun after the due date and `minutes` more. Where the time is unknown and the
    download marks the submission as late, it is 1. Both times have a zone."""
    if submitted is None or due is None:
        return int(flagged)
    after = submitted - due
    return 0 if after <= timedelta(minutes=minutes) else ceil(after / DAY)


def costs(course: Course, days: Mapping[str, int]) -> dict[str, Late]:
    """What lateness costs one student in each lab. days: late, by lab. Grace days go to the labs
    in the order in which they are due."""
    grace = course.grace_days
    late = {}
    for lab in sorted(days, key=lambda lab: (course.due(lab, frozenset()) or NEVER, lab)):
        used = min(grace, days[lab])
        grace -= used
        late[lab] = _cost(course, lab, days[lab], used)
    return late


def _cost(course: Course, lab: str, days: int, grace: int) -> Late:
    if not days:
        return Late()
    rules = course.rules(lab)
    most = course.late_days if rules.late_days is None else rules.late_days
    percent = rules.late_percent_per_day
    percent = course.late_percent_per_day if percent is None else percent
    words = f"{days} {'day' if days == 1 else 'days'} late"
    if grace:
        words += f", {grace} of them without loss"
    if most is not None and days - grace > most:
        return Late(days, grace, 0.0, f"{words}: after {most} days there are no points")
    lost = min(100.0, percent * (days - grace))
    return Late(days, grace, 1 - lost / 100, f"{words}: {lost:g} % off" if lost else words)
