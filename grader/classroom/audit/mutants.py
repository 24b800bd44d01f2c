"""Makes mutants of the solutions: each is a solution with a change that a slip could make.

Only what a student writes is changed: the lines between BEGIN SOLUTION and END SOLUTION. The same
solutions always give the same mutants, each with an id that says where it is: the lab, the
function, the kind of change and its number among those of that kind in the function.

A mutant of the first order has one small change (slips.py). One of the kind `pair` has two of
them, in two lines of one function, that might hide each other. One of the kind `call` makes
other calls, or the same ones in another order (calls.py).
"""

import hashlib
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from grader import paths
from grader.classroom.audit import calls, slips
from grader.classroom.audit.slips import Change
from grader.classroom.audit.syntax import nodes, solved
from grader.model import spec
from grader.source.tree import parse
from grader.source.tree import text_of as text

KINDS = (*slips.KINDS, "pair", "call")
# Two changes of these kinds might hide each other; so might a change and its inverse.
MIGHT_HIDE = ({"bound", "constant"}, {"bound", "index"}, {"constant", "index"})


class Wanted(NamedTuple):
    """How many mutants of a lab are graded."""

    single: int
    pairs: int
    calls: int


@dataclass(frozen=True)
class Edit:
    """The bytes start..end of the file become `new`."""

    start: int
    end: int
    old: str
    new: str
    line: int

    def words(self) -> str:
        if not self.new:
            return f"{quoted(self.old)} dropped"
        return f"{quoted(self.old)} to {quoted(self.new)}"


@dataclass(frozen=True)
class Mutant:
    """`form`: the kind, or what sort of `pair` or `call` it is; `name`: that with a number."""

    lab: str
    file: str
    function: str
    kind: str
    form: str
    name: str
    edits: tuple[Edit, ...]  # in the order of the text; they do not overlap

    @property
    def id(self) -> str:
        return f"{self.lab}/{self.function}/{self.name}"

    @property
    def line(self) -> int:
        return self.edits[0].line

    def change(self) -> str:
        first, *others = self.edits
        if said := calls.WORDS.get(self.form):
            return " ".join([quoted(first.old), said, *(quoted(e.old) for e in others)])
        return first.words() + "".join(f"; line {e.line}: {e.words()}" for e in others)


def solution(lab: str, file: str) -> Path:
    return paths.ROOT / "solutions" / spec.load(lab).folder / file


def solved_text(text: str) -> str:
    """A solution without its markers and without the lines of the starter."""
    gone = ("// BEGIN SOLUTION", "// END SOLUTION", "// STARTER:")
    return "\n".join(s for s in text.split("\n") if not s.strip().startswith(gone))


def mutated(mutant: Mutant) -> bytes:
    """The file with the change."""
    source = solution(mutant.lab, mutant.file).read_bytes()
    return edited(source, mutant)


def edited(source: bytes, mutant: Mutant) -> bytes:
    for edit in reversed(mutant.edits):
        source = source[: edit.start] + edit.new.encode() + source[edit.end :]
    return source


def chosen(lab: str, wanted: Wanted) -> list[Mutant]:
    """As many as are wanted, each of them decided by nothing but its id."""
    every = [m for file in spec.load(lab).submit for m in of_source(lab, file, read(lab, file))]
    single = [m for m in every if m.kind in slips.KINDS]
    call = [m for m in every if m.kind == "call"]
    pair = [m for m in every if m.kind == "pair"]
    taken = _spread(single, wanted.single) + _spread(pair, wanted.pairs)
    taken += _spread(call, wanted.calls)
    return sorted(taken, key=lambda m: (m.file, m.edits[0].start, KINDS.index(m.kind), m.name))


def of_source(lab: str, file: str, source: bytes) -> Iterator[Mutant]:
    """All mutants of one file: those of the first order, the calls, then the pairs."""
    single = list(_single(lab, file, source))
    yield from single
    yield from _pairs([m for m in single if m.kind in slips.KINDS])


def _single(lab: str, file: str, source: bytes) -> Iterator[Mutant]:
    inside = solved(source)
    numbers: Counter[tuple[str, str]] = Counter()
    for node, function, begin in nodes(parse(source)):
        if node.start_point[0] not in inside:
            continue
        known = source[begin : node.start_byte].decode()
        for kind, change in ((k, c) for k, changes in slips.KINDS.items() for c in changes(node)):
            if kind == "axis" and not re.search(rf"\b{change[0][1]}\b", known):
                continue  # a name that is not declared yet
            numbers[function, kind] += 1
            name = f"{kind}-{numbers[function, kind]}"
            yield Mutant(lab, file, function, kind, kind, name, _edits(change))
        for form, change in ((f, c) for f, changes in calls.FORMS.items() for c in changes(node)):
            numbers[function, form] += 1
            name = f"call-{form}-{numbers[function, form]}"
            yield Mutant(lab, file, function, "call", form, name, _edits(change))


def _pairs(single: list[Mutant]) -> Iterator[Mutant]:
    """Both changes at once, where they are in one function but not in one line."""
    for a, b in combinations(sorted(single, key=lambda m: m.edits[0].start), 2):
        if a.function != b.function or a.line == b.line:
            continue
        first, second = a.edits[0], b.edits[0]
        inverse = (first.old, first.new) == (second.new, second.old)
        opposite = a.kind == b.kind == "constant" and _step(first) == -_step(second)
        if first.end <= second.start and (inverse or opposite or {a.kind, b.kind} in MIGHT_HIDE):
            form = "+".join(sorted((a.kind, b.kind)))
            name = f"pair-{a.name}-{b.name}"
            yield replace(a, kind="pair", form=form, name=name, edits=(first, second))


def _step(constant: Edit) -> int:
    return int(constant.new) - int(constant.old)


def _spread(every: list[Mutant], count: int) -> list[Mutant]:
    """`count` of them, from every form in turn, and of a form from the function with the fewest."""
    rest = sorted(every, key=lambda m: hashlib.sha256(m.id.encode()).digest())
    forms: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    taken: list[Mutant] = []
    while rest and len(taken) < count:
        best = min(rest, key=lambda m: (forms[m.form], functions[m.function]))
        rest.remove(best)
        taken.append(best)
        forms[best.form] += 1
        functions[best.function] += 1
    return taken


def _edits(change: Change) -> tuple[Edit, ...]:
    return tuple(
        Edit(node.start_byte, node.end_byte, text(node), new, node.start_point[0] + 1)
        for node, new in change
    )


def quoted(code: str) -> str:
    return f"`{textwrap.shorten(' '.join(code.split()), 70, placeholder=' ...')}`"


def read(lab: str, file: str) -> bytes:
    return solution(lab, file).read_bytes()
