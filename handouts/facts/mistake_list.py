"""What draw_mistakes.py found: the names of each lab's mistakes, and their pictures."""

from pathlib import Path

import msgspec

from grader.diagnose.catalogue import Entry
from handouts.facts import data_file

COMMAND = "python -m handouts.facts.draw_mistakes"
FILE = Path(__file__).with_name("mistakes.json")


class Drawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One picture. lab, mask, border: of the case it was drawn for. plane: which one of an output
    of several is drawn. wrong, high, pixels: how many pixels of that plane differ, how many of
    these are too high, and how many pixels it has."""

    lab: str
    mask: str
    border: str
    plane: int | None
    wrong: int
    high: int
    pixels: int


class MistakeList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """labs: the mistakes that the grader names in outputs of a lab. pictures: by their file."""

    labs: dict[str, list[str]]
    pictures: dict[str, Drawn]


def picture_of(entry: Entry, lab: str) -> str:
    """The file's name: one for all labs but those whose own picture the catalogue describes."""
    return f"{entry.name}-{lab}.png" if lab in entry.pictures else f"{entry.name}.png"


def pictures_of(entry: Entry) -> list[str]:
    """The names of all its files, the one for most labs first."""
    return [f"{entry.name}.png", *(picture_of(entry, lab) for lab in entry.pictures)]


def read() -> MistakeList:
    """Raises FactsError."""
    return data_file.read(FILE, MistakeList, COMMAND)
