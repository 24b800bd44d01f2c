"""Which names of libraries a submission's object may use: symbol_rules.toml, as a question."""

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

Kind = Literal["plain", "checked", "raced", "timed", "gpu"]
FILE = Path(__file__).with_suffix(".toml")
# Other names of the C library's functions: of another C standard, with checked sizes, and in traced
# programs (labs/sim/src/trace/confined_calls.symbols) and others (given_calls.symbols).
_OTHER_NAME = re.compile(r"__isoc(?:99|23)_(\w+)|__(\w+)_chk|(?:sim_confined|judged)_(\w+)")


class Allowed(msgspec.Struct, forbid_unknown_fields=True):
    """Names that objects of these kinds may use; () means all kinds."""

    names: str
    why: str
    kinds: tuple[Kind, ...] = ()


class Refused(msgspec.Struct, forbid_unknown_fields=True, rename={"but": "except"}):
    """Names that objects of no kinds but these may use. shown: what C++ calls a mangled name."""

    names: str
    why: str
    shown: str = ""
    but: tuple[Kind, ...] = ()


class Rules(msgspec.Struct, forbid_unknown_fields=True):
    allowed: tuple[Allowed, ...]
    refused: tuple[Refused, ...]


@lru_cache(maxsize=1)
def rules() -> Rules:
    return msgspec.convert(tomllib.loads(FILE.read_text()), Rules)


def is_allowed(name: str, kind: Kind) -> bool:
    """May an object of this kind use that name of a library?"""
    if not _allowed(kind).fullmatch(plain(name)):
        return False
    return refusal(name, kind) is None


def refusal(name: str, kind: Kind) -> Refused | None:
    """The rule that refuses a name to an object of this kind; None if no rule names it."""
    name = plain(name)
    if not _any_refused().fullmatch(name):
        return None
    for group in rules().refused:
        if kind not in group.but and _pattern(group.names).fullmatch(name):
            return group
    return None


def plain(name: str) -> str:
    """The name that the source has for a function of the C library."""
    while other := _OTHER_NAME.fullmatch(name):
        name = next(filter(None, other.groups()))
    return name


@lru_cache(maxsize=8)
def _allowed(kind: Kind) -> re.Pattern[str]:
    chosen = [g.names for g in rules().allowed if not g.kinds or kind in g.kinds]
    return _pattern(" ".join(chosen))


@lru_cache(maxsize=1)
def _any_refused() -> re.Pattern[str]:
    return _pattern(" ".join(group.names for group in rules().refused))


@lru_cache(maxsize=64)
def _pattern(names: str) -> re.Pattern[str]:
    return re.compile("|".join(names.split()))
