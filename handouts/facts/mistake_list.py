"""The pictures of mistakes that are drawn, lab by lab: mistakes.json."""

from __future__ import annotations

from pathlib import Path

import msgspec

from grader import files
from handouts.facts.blocks import FactsError

COMMAND = "python -m handouts.facts.draw_mistakes"
FILE = Path(__file__).with_name("mistakes.json")


class Drawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One picture. mask, border: of the case it was drawn for. plane: which one of an output of
    several is drawn. wrong, pixels: how many pixels of that plane differ, and how many it has."""

    name: str
    file: str
    mask: str
    border: str
    plane: int | None
    wrong: int
    pixels: int


def read() -> dict[str, list[Drawn]]:
    """By the lab's id. Raises FactsError."""
    try:
        return msgspec.json.decode(FILE.read_bytes(), type=dict[str, list[Drawn]])
    except (OSError, msgspec.MsgspecError) as problem:
        raise FactsError(f"handouts/facts/mistakes.json: {problem}; run {COMMAND}") from problem


def write(drawn: dict[str, list[Drawn]]) -> None:
    text = msgspec.json.format(msgspec.json.encode(drawn), indent=1)
    files.update(FILE, text + b"\n")
