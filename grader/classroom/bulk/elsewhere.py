"""Checks that another machine measured: speed on a GPU, for a class that was graded without one.

They are kept beside the grades, by lab and files, and fill what a grade could not measure each time
that it is read: a regrade keeps them as long as the course is the same.
"""

import sqlite3
from collections.abc import Mapping
from typing import ClassVar

import msgspec

from grader.execute import records
from grader.model import course_key
from grader.model.result import Check, Elsewhere, Result
from grader.model.score import Score, Unmeasured
from grader.session.plan import NO_GPU, NO_SPEED

REASONS = (NO_GPU, NO_SPEED)  # of points that another machine can measure


class OtherResults:
    """The results of other machines in the database of a run."""

    TABLES: ClassVar[str] = """
create table other_result (
    lab text not null,
    files text not null,       -- the hash of what was graded
    result blob not null,      -- convlabs-grade/v1
    made text not null,        -- JSON: what decided it
    primary key (lab, files)
);
"""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, lab: str, files: str, result: Result, made: Mapping[str, str]) -> None:
        """On the disk when it returns; the last one of the same files counts."""
        values = (lab, files, msgspec.json.encode(result), msgspec.json.encode(dict(made)).decode())
        self._db.execute("insert or replace into other_result values (?, ?, ?, ?)", values)

    def of(self, lab: str, files: str, made: Mapping[str, str]) -> Result | None:
        """What another machine made of these files, unless its course was another than that which
        made the grade. Raises msgspec.DecodeError when it is damaged."""
        query = "select result, made from other_result where (lab, files) = (?, ?)"
        row = self._db.execute(query, (lab, files)).fetchone()
        if row is None:
            return None
        other = msgspec.json.decode(row[1], type=dict[str, str])
        return records.decode(row[0], Result) if same_course(made, other) else None


def same_course(made: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two grades were made by the same state of the course, on whatever machines."""
    return all(made.get(part) == other.get(part) for part in course_key.PART_NAMES)


def combined(result: Result, other: Result) -> Result:
    """The result with the checks for speed that only the other one measured. Nothing that was
    measured changes; what was predicted gives way to what was measured."""
    known = {check.id for check in result.checks}
    more = [c for c in other.checks if c.kind == "speed" and c.id not in known and _measured(c)]
    if not more:
        return result
    ids = [check.id for check in more]
    points = sum(check.max_points for check in more)
    score = result.score
    return msgspec.structs.replace(
        result,
        checks=[*result.checks, *more],
        score=Score(
            score.earned + sum(check.points for check in more),
            score.measured + points,
            score.total,
            _without(score.unmeasured, points),
        ),
        elsewhere=Elsewhere(other.backend, other.machine, ids),
        predictions=[each for each in result.predictions if each.check not in ids],
    )


def _measured(check: Check) -> bool:
    """Whether a check decided about its points, if only because one before it failed."""
    return check.verdict in ("pass", "fail") or (
        check.verdict == "skip" and check.needs is not None
    )


def _without(unmeasured: tuple[Unmeasured, ...], points: float) -> tuple[Unmeasured, ...]:
    """What is left unmeasured once so many points for speed are."""
    left = []
    for each in unmeasured:
        filled = min(points, each.points) if each.reason in REASONS else 0
        points -= filled
        if each.points > filled:
            left.append(Unmeasured(each.points - filled, each.reason))
    return tuple(left)
