"""The call of a part's function, as lab.toml writes it: "reduce_sum(d_x, n, d_out)".

An argument is d_NAME, an array of the operation on the device; h_NAME or NAME, one of the host;
d_out, h_out or out, the output; an axis, which is an int; a whole number; or a setting of the
check, which is an int, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.model.lab import Computation

CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\(\s*((?:-?\w+\s*(?:,\s*-?\w+\s*)*)?)\)\s*")
OUT = "out"


@dataclass(frozen=True)
class Argument:
    """An argument by its text. array: the array that it is, or ""; on_device: where."""

    text: str
    array: str = ""
    on_device: bool = False
    is_axis: bool = False

    @property
    def is_setting(self) -> bool:
        return not (self.array or self.is_axis or self.text.lstrip("-").isdecimal())


@dataclass(frozen=True)
class PartCall:
    function: str
    arguments: tuple[Argument, ...]

    def template(self) -> str:
        """The call with {n} in place of what differs by the call: a contract's `call`."""
        filled = (f"{{{a.text}}}" if a.is_axis or a.is_setting else a.text for a in self.arguments)
        return f"{self.function}({', '.join(filled)})"

    def settings(self) -> list[str]:
        return [a.text for a in self.arguments if a.is_setting]

    def on_device(self) -> bool:
        """Does the function take its arrays on the device?"""
        return any(a.on_device for a in self.arguments)


def read(text: str, operation: Computation) -> PartCall:
    """Raises ValueError where the text is no call, or lacks an array of the operation."""
    found = CALL.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is no call such as reduce_sum(d_x, n, d_out)")
    arguments = tuple(_argument(word.strip(), operation) for word in found[2].split(",") if word)
    given = {a.array for a in arguments}
    if missing := [name for name in (*operation.inputs, OUT) if name not in given]:
        raise ValueError(f"'{text}' has no argument for `{missing[0]}`, such as d_{missing[0]}")
    return PartCall(found[1], arguments)


def axes(operation: Computation) -> list[str]:
    """The named axes of the inputs, each once."""
    every = (axis for array in operation.inputs.values() for axis in array.shape)
    return list(dict.fromkeys(axis for axis in every if isinstance(axis, str)))


def _argument(text: str, operation: Computation) -> Argument:
    names = (*operation.inputs, OUT)
    if text in names:
        return Argument(text, text)
    if text[:2] in ("d_", "h_") and text[2:] in names:
        return Argument(text, text[2:], text.startswith("d_"))
    return Argument(text, is_axis=text in axes(operation))
