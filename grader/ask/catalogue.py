"""All kinds of questions, by the names of their modules."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from random import Random

from grader.ask import kinds
from grader.ask.draft import Draft
from grader.ask.program import AskedPart


@dataclass(frozen=True)
class Kind:
    """A module of kinds/. about: its docstring, a question in general. rebuilds: it compiles a
    changed program. at_once: only `second` needs the program to be built. ask: makes a draft, or
    raises CannotTell where it does not fit the program. of_images: it assumes that the part
    computes an image."""

    about: str
    rebuilds: bool
    at_once: bool
    ask: Callable[[AskedPart, Random], Draft]
    of_images: bool = False


def _kind(name: str) -> Kind:
    module = import_module(f"{kinds.__name__}.{name}")
    flags = ("REBUILDS", "AT_ONCE", "OF_IMAGES")
    rebuilds, at_once, of_images = (getattr(module, flag, False) for flag in flags)
    return Kind(str(module.__doc__), rebuilds, at_once, module.ask, of_images)


KINDS = {module.name: _kind(module.name) for module in iter_modules(kinds.__path__)}
