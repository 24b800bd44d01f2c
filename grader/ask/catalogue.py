"""All kinds of questions, by the names of their modules."""

from importlib import import_module
from pkgutil import iter_modules
from random import Random
from typing import Protocol, cast

from grader.ask import kinds
from grader.ask.draft import Draft
from grader.ask.program import Program


class Kind(Protocol):
    """A module of kinds/."""

    ABOUT: str
    REBUILDS: bool

    def ask(self, program: Program, draw: Random) -> Draft:
        """A draft. Raises CannotTell where this kind does not fit the program."""


KINDS: dict[str, Kind] = {
    module.name: cast(Kind, import_module(f"{kinds.__name__}.{module.name}"))
    for module in iter_modules(kinds.__path__)
}
