"""Late days: when one begins, which are free, and what is left of the points."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from grader.classroom.course import lateness, stated_time
from grader.classroom.course.lateness import Late
from grader.classroom.course.settings import Course, LabRules

DUE = datetime(2027, 3, 1, 23, 59, tzinfo=UTC)
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("after", "minutes", "days"),
    [
        (-1000 * HOUR, 0, 0),
        (0 * HOUR, 0, 0),
        (SECOND, 0, 1),
        (10 * 60 * SECOND, 10, 0),
        (10 * 60 * SECOND + SECOND, 10, 1),
        (24 * HOUR, 0, 1),
        (24 * HOUR + SECOND, 0, 2),
        (240 * HOUR, 10, 10),
    ],
)
def test_each_day_begun_counts(after: timedelta, minutes: int, days: int) -> None:
    assert lateness.days_late(DUE + after, DUE, True, minutes) == days


def test_without_a_time_the_mark_of_the_download_counts() -> None:
    assert lateness.days_late(None, DUE, True, 0) == 1
    assert lateness.days_late(None, DUE, False, 0) == 0
    assert lateness.days_late(DUE, None, True, 0) == 1


KOREA = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2027-03-01T23:59:00Z", DUE),
        ("2027-03-02 08:59:00 +0900", DUE),
        ("2027-03-01 23:59:00 UTC", DUE),
        ("2027-03-02 08:59", DUE),
        ("Tuesday, 2 March 2027, 8:59 AM", DUE),
        ("2 March 2027, 08:59", DUE),
        ("yesterday", None),
        ("01/03/2027", None),  # a day or a month first: nothing is guessed
    ],
)
def test_times_that_a_table_states(text: str, time: datetime | None) -> None:
    assert stated_time.read(text, KOREA) == time


def course(**rules: object) -> Course:
    labs = {
        "lab1": LabRules(due=DUE),
        "lab2": LabRules(due=DUE - timedelta(days=7), late_percent_per_day=50),
        "lab3": LabRules(late_days=1),
    }
    return Course(late_percent_per_day=10, lab=labs, **rules)  # type: ignore[arg-type]


def test_work_in_time_keeps_all_points() -> None:
    assert lateness.costs(course(), {"lab1": 0}) == {"lab1": Late()}


def test_grace_days_go_to_what_is_due_first() -> None:
    late = lateness.costs(course(grace_days=3), {"lab1": 2, "lab2": 2, "lab3": 1})
    assert (late["lab2"].grace, late["lab1"].grace, late["lab3"].grace) == (2, 1, 0)
    assert (late["lab2"].keeps, late["lab1"].keeps, late["lab3"].keeps) == (1, 0.9, 0.9)
    assert late["lab1"].why == "2 days late, 1 of them without loss: 10 % off"
    assert late["lab2"].why == "2 days late, 2 of them without loss"


def test_deduction_never_exceeds_the_points() -> None:
    assert lateness.costs(course(), {"lab2": 3})["lab2"].keeps == 0


def test_no_points_after_the_last_late_day() -> None:
    late = lateness.costs(course(grace_days=1), {"lab3": 3})["lab3"]
    assert (late.grace, late.keeps) == (1, 0)
    assert late.why == "3 days late, 1 of them without loss: after 1 days there are no points"
    assert lateness.costs(course(grace_days=1), {"lab3": 2})["lab3"].keeps == 0.9
