"""What the parts of a lab compute: their input arrays, their output array, the right result.

A part of a lab.toml names an operation, which is a table [operation.NAME] there: the arrays, the
unit and the work of an element. The right result is a function of the lab's oracle.py. inputs.py
makes the arrays, execute/case.py reads an output of that shape and type, and compare.py compares it
with `expected`.
"""

import inspect
import math
import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy.typing as npt

from grader import paths
from grader.model import spec
from grader.model.lab import Computation, Lab
from grader.oracle.expected import Expected

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]
Settings = Mapping[str, str]  # what the driver gets with --set

PLANE = ("y", "x")  # the last axes of an image


@dataclass(frozen=True, eq=False)
class Operation:
    """One computation that a part may ask for. functions: of `file`, an oracle.py, by the `exact`
    of a case; that of None allows for rounding."""

    name: str
    spec: Computation
    functions: Mapping[str | None, Callable[..., Any]]
    file: Path = paths.LABS / "oracle.py"

    @property
    def axes(self) -> tuple[str, ...]:
        """Of the output, slowest first: "y", "x", "n" (mask), "c" (channel)."""
        return tuple(map(str, self.spec.output.shape))

    def is_image(self) -> bool:
        """Is the output one, or several of them?"""
        return self.axes[-2:] == PLANE

    def sizes(self, arrays: Arrays) -> dict[str, int]:
        """How long each axis is that has a name. Raises ValueError where two arrays differ."""
        found: dict[str, int] = {}
        for name, given in self.spec.inputs.items():
            shape = arrays[name].shape
            if len(shape) != len(given.shape):
                raise ValueError(f"`{name}` has {len(shape)} axes, not {len(given.shape)}")
            for axis, size in zip(given.shape, shape, strict=True):
                if (found.setdefault(axis, size) if isinstance(axis, str) else axis) != size:
                    raise ValueError(f"the axis {axis} of `{name}` has {size} elements")
        return found

    def output(self, arrays: Arrays) -> tuple[str, tuple[int, ...]]:
        """Element type and shape of the output."""
        sizes, first = self.sizes(arrays), arrays[next(iter(self.spec.inputs))].dtype
        shape = tuple(a if isinstance(a, int) else sizes[a] for a in self.spec.output.shape)
        return self.spec.output.type or f"{first.kind}{first.itemsize}", shape

    def taps(self, arrays: Arrays) -> int:
        """Floating-point multiply-adds for one element of the output."""
        sizes = self.sizes(arrays)

        def number(factor: str) -> int:
            return int(factor) if factor.isdecimal() else sizes[factor]

        terms = [term.split("*") for term in str(self.spec.work).split("+")]
        return sum(math.prod(number(factor.strip()) for factor in term) for term in terms)

    def expected(self, arrays: Arrays, settings: Settings, exact: str | None = None) -> Expected:
        """The right result of a case. exact: the case's, which names another function. Raises
        KeyError or ValueError where the case has not what the function needs."""
        function = self.functions[exact]
        given: dict[str, Any] = {**settings, **self.sizes(arrays), **arrays}
        asked = inspect.signature(function).parameters.values()
        needed = {p.name: given.get(p.name, p.default) for p in asked}
        if missing := [name for name, value in needed.items() if value is inspect.Parameter.empty]:
            raise ValueError(f"{function.__name__}() needs '{missing[0]}'")
        try:
            right = function(**needed)
        except (KeyError, ValueError):
            raise
        except Exception as problem:
            said = f"{function.__name__}(): {type(problem).__name__}: {problem}"
            raise spec.mistake(self.file, [said]) from problem
        return self._checked(right, self.output(arrays)[1], function.__name__)

    def _checked(self, right: Any, shape: tuple[int, ...], name: str) -> Expected:
        """What a function returned, if it can be a right result. Raises SpecError."""
        problem = ""
        if not isinstance(right, Expected):
            problem = "an Expected, such as exact(value) of grader.oracle.expected"
        elif not right.value.shape == right.bound.shape == shape:
            problem = f"arrays of the output's shape, {shape}, not {right.value.shape}"
        elif not (right.bound >= 0).all():
            problem = "a bound of 0 or more for each element"
        if problem:
            raise spec.mistake(self.file, [f"{name}() must return {problem}"])
        checked: Expected = right
        return checked

    def rows_axis(self) -> int:
        """The axis of the image that counts rows: channels come before it, colours after it."""
        return len(self.axes) - 2

    def things(self) -> str:
        """What a message calls the output's elements."""
        return f"{self.spec.output.unit}s"

    def subscript(self, index: tuple[int, ...]) -> str:
        """An index as a message shows it, such as "[y=3][x=4]", or "[7]" of what is no image."""
        named = self.axes if self.is_image() else ("",) * len(index)
        pairs = zip(named, index, strict=True)
        return "".join(f"[{axis}={i}]" if axis else f"[{i}]" for axis, i in pairs)


def of(lab: Lab, part: str) -> Operation:
    """What a part of a lab computes. Raises SpecError."""
    name = next(p.operation for p in lab.part if p.id == part) or next(iter(lab.operation), "")
    made = _made.get((lab.folder, name))
    if made and made.spec == lab.operation.get(name):
        return made
    if name not in lab.operation:
        known = ", ".join(lab.operation)
        said = f"there is no operation '{name}'; the operations are {known or 'none'}"
        raise spec.placed_mistake(paths.LABS / lab.folder / "lab.toml", [said])
    file = paths.LABS / lab.folder / "oracle.py"
    made = Operation(name, lab.operation[name], _functions(lab, name), file)
    _made[lab.folder, name] = made
    return made


_made: dict[tuple[str, str], Operation] = {}


def _functions(lab: Lab, name: str) -> dict[str | None, Callable[..., Any]]:
    """The functions of the lab's oracle.py that the operation names."""
    computes, file = lab.operation[name], paths.LABS / lab.folder / "oracle.py"
    found: dict[str | None, Callable[..., Any]] = {}
    named: dict[str | None, str] = {None: computes.oracle or name}
    named.update(computes.exact)
    for exact, function in named.items():
        try:
            found[exact] = _oracle(file, function)
        except SystemExit:
            raise
        except Exception as problem:
            raise spec.mistake(file, [f"{type(problem).__name__}: {problem}"]) from problem
    return found


@cache
def _read(file: Path) -> dict[str, Any]:
    return runpy.run_path(str(file))


def _oracle(file: Path, name: str) -> Callable[..., Any]:
    """A function of oracle.py. Raises whatever that file raises, and LookupError without it."""
    function = _read(file).get(name)
    if not callable(function):
        raise LookupError(f"there is no function {name}()")
    return function  # type: ignore[no-any-return]
