"""How long this course's own files take on a GPU: results.json, which the handouts quote."""

from pathlib import Path
from typing import Any

import msgspec

from grader import files

FILE = Path(__file__).with_name("results.json")


class Speed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One speed check; nanoseconds of a call. solution: our own file, the `reference` of the grade.
    baseline: the lab's baseline, None where it is not timed. floor: the least possible on that
    machine, None where it was not written down."""

    lab: str
    part: str
    check: str
    solution_ns: int
    baseline_ns: int | None
    floor_ns: int | None
    rounds: int


class Results(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of one run, and the machine it ran on."""

    date: str
    gpu: str
    driver: str
    nvcc: str
    command: str
    speeds: list[Speed]


def of_grades(entries: list[dict[str, Any]]) -> list[Speed]:
    """The speed checks of the solutions among the grades of a run of suite.py."""
    return [
        Speed(
            lab=entry["lab"],
            part=check["part"],
            check=check["name"],
            solution_ns=check["details"]["reference_ns"],
            baseline_ns=check["details"].get("baseline_ns"),
            floor_ns=check["details"].get("floor_ns"),
            rounds=check["details"]["rounds"],
        )
        for entry in entries
        if entry["source"] == "solutions" and entry["result"]
        for check in entry["result"]["checks"]
        if check["kind"] == "speed" and "reference_ns" in check["details"]
    ]


def write(file: Path, machine: dict[str, str], speeds: list[Speed]) -> None:
    """machine: as suite.py writes machine.json, whose `gpu` is "name, driver, capability"."""
    name, driver, *_ = [*machine["gpu"].split(", "), "unknown"]
    results = Results(machine["date"], name, driver, machine["nvcc"], machine["command"], speeds)
    text = msgspec.json.format(msgspec.json.encode(results), indent=1)
    files.update(file, text + b"\n")


def read(file: Path = FILE) -> Results:
    """Raises OSError, or ValueError when the file does not hold results."""
    return msgspec.json.decode(file.read_bytes(), type=Results)
