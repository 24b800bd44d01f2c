"""Runs of small classes with speeds, made without grading."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.classroom.bulk import final
from grader.classroom.bulk.store import Row, Status, Store, Submission
from grader.classroom.course.person import Person
from grader.classroom.leaderboard import standings
from grader.classroom.leaderboard.standings import Board, Standings
from grader.model.leaderboard import Leaderboard
from grader.model.result import Check
from grader.tests.classroom.export import runs

FLOOR = 100.0
ON = b'title = "GPU programming"\nleaderboard = true\n'
CHECKS = ("A", "B")


@dataclass(frozen=True)
class One:
    """A submission to lab 3. content: of leaderboard.txt; None for nobody who takes part.
    times: of the parts' calls; None for a part that has no score."""

    content: str | bytes | None
    times: tuple[float | None, ...] = (200, 400)
    status: Status = "graded"
    people: tuple[Person, ...] = ()
    floor: float = FLOOR


def speed(lab: str, part: str, time: float | None, floor: float = FLOOR) -> Check:
    name = f"speed of {part}"
    if time is None:
        return Check(f"{lab}/{part}/{name}", name, "speed", "skip", 0, 5, part, needs="x")
    details = {
        "student_ns": time,
        "student_low_ns": time * 0.98,
        "student_high_ns": time * 1.02,
        "floor_ns": floor,
        "bound": "memory",
    }
    return Check(f"{lab}/{part}/{name}", name, "speed", "pass", 5, 5, part, details=details)


def made(folder: Path, course: bytes, submissions: Sequence[One], lab: str = "lab3") -> Store:
    store = Store(folder, resume=False)
    store.keep_setting(final.COURSE, course)
    for number, one in enumerate(submissions):
        add(store, number, one, lab)
    return store


def add(store: Store, number: int, one: One, lab: str = "lab3") -> None:
    id_, key = f"{700 + number}", f"key {number}"
    people = one.people or (person(number),)
    row = Row(id_, lab, one.status if one.status != "graded" else "waiting", key, "")
    content = one.content.encode() if isinstance(one.content, str) else one.content
    pseudonyms = {lab: content} if content is not None else {}
    store.save_submission(Submission(id_, "", people), "digest", [row], {}, pseudonyms)
    if one.status != "graded":
        return
    result = runs.result(lab, 85)
    checks = [
        speed(lab, part, time, one.floor) for part, time in zip(CHECKS, one.times, strict=False)
    ]
    result = msgspec.structs.replace(
        result, checks=[c for c in result.checks if c.kind != "safe"] + checks
    )
    store.save_grade(key, lab, msgspec.json.encode(result), runs.PAGE)


def of_nothing() -> Leaderboard:
    """The scores of a submission without any."""
    return Leaderboard(None, None, None, [])


def person(number: int) -> Person:
    known = "Ada Lovelace|Grace Hopper|Zoë Ann Doe|Kim Minsu|김민수|Łukasz Wiśniewski"
    names = known.split("|")
    name = names[number] if number < len(names) else f"Student Number{number}"
    email = f"first.last{number}@example.org"
    return Person(name, email, f"login{number}", f"S-{4000 + number}", f"{9000 + number}")


def of(store: Store) -> Standings:
    rules = final.rules(store)
    return standings.of(store, rules, final.finals(store, rules))


def board(store: Store) -> Board:
    (only,) = of(store).boards
    return only


def lines(store: Store) -> list[tuple[int | None, str, float | None]]:
    return [(line.rank, line.pseudonym, line.score) for line in board(store).lines]
