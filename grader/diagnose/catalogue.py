"""The mistakes that the grader names, in the words of the handouts: mistakes.toml."""

from pathlib import Path

import msgspec

FILE = Path(__file__).with_name("mistakes.toml")


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mistake. code: what is wrong in the program. picture: what its output looks like; "" for
    a mistake without a picture. labs: on whose pages it belongs; None for all in which the grader
    finds it. codes, pictures: what holds in some labs in place of `code` and `picture`."""

    name: str
    code: str
    picture: str = ""
    labs: tuple[str, ...] | None = None
    codes: dict[str, str] = {}
    pictures: dict[str, str] = {}


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mistakes that are about the same thing."""

    title: str
    mistake: list[Entry]


class _Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    group: list[Group]


def entries() -> list[Entry]:
    """All of them, in the order of the file. Raises ValueError if the file is not as it must be."""
    return [entry for group in groups() for entry in group.mistake]


def groups() -> list[Group]:
    """The groups, in the order of the file. Raises ValueError if the file is not as it must be."""
    try:
        known = msgspec.toml.decode(FILE.read_bytes(), type=_Catalogue).group
    except (OSError, msgspec.MsgspecError) as problem:
        raise ValueError(f"grader/diagnose/mistakes.toml: {problem}") from problem
    names = [entry.name for group in known for entry in group.mistake]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"grader/diagnose/mistakes.toml names {', '.join(twice)} twice")
    return known
