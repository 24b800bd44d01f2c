"""What the archive's own files earn as answers: a lab's baseline may be the answer of another.

Each C or CUDA file is tried for each lab of which it defines functions with the right types of
parameters and result, under whatever names. Functions that it lacks do nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from grader.source.code import read

GIVEN = "baseline"  # how the functions begin that a lab gives
PREFIX = "given_"  # of the names of a file that is tried
Signature = tuple[str, ...]  # the types: of the result, then of each parameter


@dataclass(frozen=True)
class Function:
    """A function of C: its types, and the declaration as it is written."""

    name: str
    signature: Signature
    result: str
    parameters: str

    def names(self) -> list[str]:
        """The names of the parameters."""
        return [each.split()[-1].lstrip("*") for each in self.parameters.split(",")]


@dataclass(frozen=True)
class Answer:
    """A file that may answer a lab, and which of its functions answers which."""

    file: Path
    by_name: dict[str, str]
    text: str  # what is handed in


def candidates(files: list[Path], header: Path) -> Iterator[Answer]:
    """The files that have something for the lab of this lab.h."""
    wanted = [f for f in functions(header, defined=False) if not f.name.startswith(GIVEN)]
    for file in files:
        own = functions(file, defined=True)
        found = {w.name: fits for w in wanted if (fits := _fitting(w, own))}
        if found:
            yield Answer(file, found, _submission(file, wanted, found))


def functions(file: Path, defined: bool) -> list[Function]:
    """The functions of a file that others may call, which it defines or only declares."""
    code = read(file.read_text(errors="replace"))
    found = []
    for each in code.declared:
        result, parameters = code.result(each), code.parameters(each)
        if each.is_defined() is defined and not re.search(r"\bstatic\b|\b__\w+__\b|[(]", result):
            found.append(Function(each.name, _signature(result, parameters), result, parameters))
    return found


def _signature(result: str, parameters: str) -> Signature:
    types = [re.sub(r"\w+\s*$", "", each) for each in parameters.split(",")]
    return tuple("".join(each.split()) for each in (result, *types))


def _fitting(wanted: Function, own: list[Function]) -> str:
    """Of the functions of the same types, the one of the most similar name; "" for none."""
    fits = [each.name for each in own if each.signature == wanted.signature]
    likest = sorted(fits, key=lambda name: -SequenceMatcher(None, name, wanted.name).ratio())
    return likest[0] if likest else ""


def _submission(file: Path, wanted: list[Function], found: dict[str, str]) -> str:
    """The file, whose functions get names of their own, and behind it those that the lab wants."""
    text = file.read_text(errors="replace")
    for name in {each.name for each in read(text).functions}:  # kernels, too
        text = re.sub(rf"\b{name}\b", PREFIX + name, text)
    for each in wanted:
        call = f"{PREFIX}{found.get(each.name)}({', '.join(each.names())});"
        call = call if each.result == "void" else f"return {call}"
        nothing = "" if each.result == "void" else f"return ({each.result})1;"
        body = call if each.name in found else nothing
        text += f"\n{each.result} {each.name}({each.parameters}) {{ {body} }}\n"
    return text
