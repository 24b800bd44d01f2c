"""The leaderboard of a class for other programs: schema convlabs-leaderboard/v1.

`python -m grader.schema.write` makes grader/schema/convlabs-leaderboard-v1.json from these types.
"""

from typing import Literal

import msgspec


class CheckScore(msgspec.Struct, frozen=True):
    """The score of one submission in one speed check: floor over time."""

    check: str  # its id
    part: str
    name: str
    score: float | None
    low: float | None
    high: float | None
    time_ns: float | None
    floor_ns: float | None
    bound: str


class Place(msgspec.Struct, frozen=True):
    """One submission that takes part, by pseudonym. Without a score of the lab there is no rank.
    Who has the same score, to two decimals, has the same rank."""

    rank: int | None
    pseudonym: str
    score: float | None
    low: float | None
    high: float | None
    checks: list[CheckScore]  # those with a score


class LabStandings(msgspec.Struct, frozen=True):
    """One lab, the best score first."""

    lab: str
    title: str
    places: list[Place]


class ClassStandings(msgspec.Struct, frozen=True):
    """Every lab of a run; a lab in which nobody takes part has no places."""

    labs: list[LabStandings]
    schema: Literal["convlabs-leaderboard/v1"] = "convlabs-leaderboard/v1"
