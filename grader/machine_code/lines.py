"""What the machine code shows of each source line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from grader.execute.addr2line import Location
from grader.sass import kinds
from grader.sass.flow import WHOLE, Flow, Region
from grader.sass.kinds import Access
from grader.sass.listing import Function, Instruction
from grader.source import code as source
from grader.source.brackets import KEYWORDS
from grader.source.code import Code

MEMORY = ("global", "shared", "constant", "texture")  # what the source asks for; spills are not
BUILT_IN = ("threadIdx", "blockIdx", "blockDim", "gridDim")


@dataclass
class Line:
    """Its instructions, by their places in the function, and what they are. looped: the memories of
    which an access may be in a loop. unrolled: an access that follows itself so often, in a loop or
    in none. hoisted: an access that stands before the loop of that line. moved: one that the source
    has in another line."""

    place: Location
    code: list[int] = field(default_factory=list)
    accesses: Counter[Access] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    looped: set[str] = field(default_factory=set)
    unrolled: tuple[Access, int, bool] | None = None
    hoisted: tuple[Access, int] | None = None
    moved: Access | None = None
    fused: str = ""  # the instruction that is a product and a sum, where the source has both


def of_function(function: Function, texts: Mapping[str, str]) -> list[Line]:
    """The lines of the files in `texts` that have instructions, in order. An instruction belongs to
    the innermost of them that it was made for."""
    lines: dict[Location, Line] = {}
    for index, one in enumerate(function.code):
        place = next((place for place in one.chain if place[0] in texts), None)
        if place is not None and one.op != "NOP":
            _count(lines.setdefault(place, Line(place)), index, one)
    flow = Flow(function)
    for line in lines.values():
        text = source.read(texts[line.place[0]])
        _fused(line, text, function)
        _unrolled(line, _Copies(function, flow, texts))
        _hoisted(line, text, flow, lines)
    return [lines[place] for place in sorted(lines)]


def _count(line: Line, index: int, one: Instruction) -> None:
    line.code.append(index)
    access = kinds.access(one.op, one.operands)
    if access:
        line.accesses[access] += 1
    if access is None or access.name == kinds.OPERAND:
        line.kinds[kinds.kind(one.op, one.operands)] += 1


def statement(text: Code, line: int) -> range:
    """The tokens of the statements that a line has a part of."""
    inside = text.between(line, line)
    first, last = inside.start, max(inside.stop, inside.start + 1)
    ends = (";", "{", "}")
    while first > 0 and text.tokens[first - 1].text not in ends:
        first -= 1
    while last < len(text.tokens) and text.tokens[last - 1].text not in ends:
        last += 1
    return range(first, min(last, len(text.tokens)))


def _words(text: Code, inside: range) -> list[str]:
    return [text.tokens[at].text for at in inside]


def _fused(line: Line, text: Code, function: Function) -> None:
    """A quotient, and a function of the library, are products and sums of their own."""
    inside = statement(text, line.place[1])
    words = _words(text, inside)
    own = {text.tokens[f.at].text for f in text.functions}
    both = "*" in words and not {"+", "+=", "-", "-="}.isdisjoint(words)
    if both and "/" not in words and own.issuperset(c.name for c in text.calls(inside=inside)):
        names = (function.code[at].op.split(".")[0] for at in line.code)
        line.fused = next((name for name in names if name in ("FFMA", "DFMA")), "")


@dataclass(frozen=True)
class _Copies:
    """How often an access of a line could occur in the code if no loop were unrolled."""

    function: Function
    flow: Flow
    texts: Mapping[str, str]

    def most(self, chain: Sequence[Location]) -> int | None:
        """None where a macro may hide some."""
        number = 1
        called = ""
        for file, line in chain:
            if file not in self.texts:
                continue
            text = source.read(self.texts[file])
            inside = statement(text, line)
            if _has_macro(text, inside):
                return None
            times = _times(text, inside, called)
            if called and not times:  # a lambda, or a call that a header makes
                return None
            number *= max(1, times)
            function = text.function_at(line)
            called = text.tokens[function.at].text if function else ""
        return number


def _has_macro(text: Code, inside: range) -> bool:
    macros = [d.words for d in text.directives if d.name == "define" and d.words]
    hiding = {m[0].text for m in macros if not {"[", "*", "("}.isdisjoint(w.text for w in m)}
    return not hiding.isdisjoint(_words(text, inside))


def _times(text: Code, inside: range, called: str) -> int:
    """How often a statement calls a function; without one, how many accesses it can have."""
    if called:
        return _words(text, inside).count(called)
    found = sum(1 for _ in text.indexed(inside))
    for before, after in pairwise(["(", *_words(text, inside)]):
        is_value = before not in KEYWORDS and (before[-1:].isalnum() or before[-1:] in "_)]")
        found += (after == "*" and not is_value) + (after == "->")
        found += after == "." and before not in BUILT_IN
    return found


def _unrolled(line: Line, copies: _Copies) -> None:
    groups: dict[tuple[Access, tuple[Location, ...], Region], list[int]] = defaultdict(list)
    for index in line.code:
        one = copies.function.code[index]
        access = kinds.access(one.op, one.operands)
        if access and access.space in MEMORY:
            region = copies.flow.loop_of(one.address)
            groups[access, one.chain, region].append(one.address)
            line.looped |= {access.space} if region != WHOLE or copies.flow.calls else set()
    for (access, chain, region), addresses in groups.items():
        number = copies.flow.in_a_row(addresses, region) if len(addresses) > 1 else 1
        most = copies.most(chain) if number > 1 else 1
        known = line.unrolled[1] if line.unrolled else 1
        if most is not None and number > max(most, known):
            line.unrolled = access, number, region != WHOLE


def _hoisted(line: Line, text: Code, flow: Flow, lines: Mapping[Location, Line]) -> None:
    """Looks for loads that a loop of the source has, all of which stand before that of the code.
    nvcc counts what it has moved out of a loop to the loop's head, or to a line before it."""
    file, number = line.place
    found: dict[Access, int] = {}
    for one in (flow.function.code[i] for i in line.code):
        access = kinds.access(one.op, one.operands)
        if access and access.space in MEMORY and access.way == "load":
            found[access] = one.address
    has_own = _times(text, text.between(number, number), "")
    for loop in text.loops:
        if loop.first < number <= loop.last or (loop.first == number and not has_own):
            body = [lines.get((file, n)) for n in range(loop.first + 1, loop.last + 1)]
            code = [
                flow.function.code[i] for one in body if one and one is not line for i in one.code
            ]
            starts = [flow.loop_of(one.address)[0] for one in code]
            first = min((start for start in starts if start >= 0), default=0)
            if found and max(found.values()) < first and not line.unrolled:
                line.hoisted = max(found, key=lambda access: found[access]), loop.first
    inside = statement(text, number)
    has_own = has_own or len(text.calls(inside=inside))
    if found and not line.hoisted and not has_own and not _times(text, inside, ""):
        line.moved = min(found)
