"""What the simulator counted of this course's own files: counted.json."""

import hashlib
from pathlib import Path

import msgspec

from grader import paths
from grader.model.lab import Lab
from handouts.facts import data_file

COMMAND = "python -m handouts.facts.count"
FILE = Path(__file__).with_name("counted.json")


class Counted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counters of all launches of one call. part: of the solution, or "baseline". input: in
    words. pixels: elements of the output. kernels: in the order of their launches."""

    part: str
    input: str
    pixels: int
    kernels: list[str]
    counters: dict[str, int]


class OfLab(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was counted of a lab. programs: the hash of the solution and the baseline."""

    programs: str
    runs: list[Counted]


def programs(lab: Lab) -> str | None:
    """A hash of the CUDA files that are counted; None in a copy of the course without solutions."""
    names = [name for name in lab.submit if name.endswith(".cu")]
    counted = [paths.ROOT / "solutions" / lab.folder / name for name in names]
    if not all(map(Path.is_file, counted)):
        return None
    counted += sorted((paths.LABS / lab.folder).glob("baseline*.cu"))
    return hashlib.sha256(b"".join(map(Path.read_bytes, counted))).hexdigest()[:16]


def read() -> dict[str, OfLab]:
    """By the lab's id. Raises FactsError."""
    return data_file.read(FILE, dict[str, OfLab], COMMAND)
