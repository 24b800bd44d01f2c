"""What the simulator counted of this course's own files: counted.json."""

from __future__ import annotations

from pathlib import Path

import msgspec

from grader import files
from handouts.facts.blocks import FactsError

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


def read() -> dict[str, list[Counted]]:
    """By the lab's id. Raises FactsError."""
    try:
        return msgspec.json.decode(FILE.read_bytes(), type=dict[str, list[Counted]])
    except (OSError, msgspec.MsgspecError) as problem:
        raise FactsError(f"handouts/facts/counted.json: {problem}; run {COMMAND}") from problem


def write(counted: dict[str, list[Counted]]) -> None:
    text = msgspec.json.format(msgspec.json.encode(counted), indent=1)
    files.update(FILE, text + b"\n")
