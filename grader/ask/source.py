"""The text of the student's file: lines to quote, constants, and changes for a second run."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from grader.ask.draft import CannotTell
from grader.source.code import Code, read
from grader.source.constants import constants

THREAD_NUMBER = (
    "((int)(((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * "
    "(blockDim.x * blockDim.y * blockDim.z) + "
    "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x))"
)
DEEPEST = 6  # calls below a function that is not called
_BYTES = {"float": 4, "int": 4, "unsigned": 4, "unsigned int": 4, "double": 8, "char": 1}
_BYTES |= {"float2": 8, "float4": 16, "double2": 16, "int4": 16, "uint8_t": 1, "unsigned char": 1}
_QUALIFIERS = ("static", "volatile", "const", "__align__", "alignas")
_DO: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
}


@dataclass(frozen=True)
class Shared:
    """An array of shared memory with constant sizes. end: the place of its last bracket."""

    name: str
    element: int  # bytes
    sizes: tuple[int, ...]
    line: int
    end: int

    def bytes(self) -> int:
        return self.element * math.prod(self.sizes)


@dataclass(frozen=True)
class Source:
    """A file's text. header: that of lab.h, for its constants."""

    text: str
    header: str = ""

    @cached_property
    def code(self) -> Code:
        return read(self.text)

    def quoted(self, line: int) -> str:
        lines = self.text.splitlines()
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def definition(self, name: str) -> int:
        """The line that names a function where it is defined; 0 where there is none."""
        found = (f for f in self.code.functions if f.name == name)
        return next((self.code.line_of(function.at) for function in found), 0)

    def function(self, line: int) -> tuple[int, int]:
        """The lines of the function that holds a line; those of the file where none does."""
        function = self.code.function_at(line)
        return self.code.lines_of(function) if function else (1, self.text.count("\n") + 1)

    def words(self, line: int) -> set[str]:
        """The words of the function that holds a line."""
        return self.code.names(self.code.between(*self.function(line)))

    def barriers(self) -> list[int]:
        """The lines of barriers that are statements of their own."""
        return [self.code.line(start) for start, _ in self._barriers()]

    def _barriers(self) -> Iterator[tuple[int, int]]:
        return self.code.sequences("__syncthreads", r"\(", r"\)", ";")

    # ---- constants

    @cached_property
    def constants(self) -> dict[str, int]:
        """The whole numbers that the file names: enumerators, macros and constants."""
        found: dict[str, int] = {}
        named = [*constants(read(self.header)), *constants(self.code)]
        for constant in [*named, *named]:  # what one kind names may be the value of another
            if (number := evaluated(constant.value, found)) is not None:
                found[constant.name] = number
        return found

    # ---- shared memory

    def shared(self, strict: bool = True, inside: range | None = None) -> list[Shared]:
        """The arrays of shared memory whose sizes are constant, among some tokens or all. strict:
        raises CannotTell at another, which is left out otherwise."""
        tokens = self.code.tokens
        within = range(len(tokens)) if inside is None else inside
        declared = [at for at in within if tokens[at].text == "__shared__"]
        return [array for at in declared for array in self._declared(at, strict)]

    def shared_in(self, line: int, strict: bool = True) -> list[Shared]:
        """Those of the function that holds a line. Raises CannotTell."""
        return self.shared(strict, self.code.between(*self.function(line)))

    def _declared(self, at: int, strict: bool) -> Iterator[Shared]:
        """The arrays of a declaration, from its __shared__ on. Raises CannotTell."""
        tokens, line = self.code.tokens, self.code.line_of(at)
        if strict and at and tokens[at - 1].text == "extern":
            raise CannotTell("shared memory whose size is set at the launch")
        behind, end = at, self.code.end(at)
        for array in self.code.indexed(range(at, end)):
            if array.at < behind:
                continue  # in the size of another one
            element = _BYTES.get(self._type(at + 1, end))
            sizes = [evaluated(self.code.plain[a:b], self.constants) for a, b in array.places]
            known = tuple(size for size in sizes if size is not None)
            if element and len(known) == len(sizes):
                yield Shared(array.name, element, known, line, array.places[-1][1])
            elif strict:
                raise CannotTell(f"the size of {array.name}")
            behind = array.last

    def _type(self, at: int, end: int) -> str:
        """The words of a type, without those of what is declared."""
        tokens = self.code.tokens
        while at < end and tokens[at].text in _QUALIFIERS:
            at = self.code.closing.get(at + 1, at) + 1
        words = [t.text for t in takewhile(lambda t: t.kind == "word", tokens[at:end])]
        return " ".join(words[:-1] or words)

    # ---- changes

    def _replaced(self, start: int, end: int, new: str) -> bytes:
        return (self.text[:start] + new + self.text[end:]).encode()

    def without(self, unused: set[str], used: set[str]) -> bytes:
        """The text in which functions that nothing calls have no body, nor those that only they
        call: it compiles in less time. Every line stays where it is. used: by the driver."""
        text, before = self.text, Counter(re.findall(r"\w+", self.code.plain))
        for _ in range(DEEPEST):
            now = read(text)
            words, pieces, at = Counter(re.findall(r"\w+", now.plain)), [""], 0
            for function in now.functions:
                name, (start, end) = function.name, now.body(function)
                if words[name] == 1 and name not in used and (before[name] > 1 or name in unused):
                    empty = "__builtin_trap();" + "\n" * text.count("\n", start, end)
                    pieces += [text[at:start], empty]
                    at = end
            text = "".join([*pieces, text[at:]])
            if text == now.text:
                break
        return text.encode()

    def without_barrier(self, line: int) -> bytes:
        """The text without the barrier of a line, one of barriers()."""
        found = (place for place in self._barriers() if self.code.line(place[0]) == line)
        return self._replaced(*next(found), ";")

    def with_values(self, values: dict[int, str]) -> bytes:
        """The text in which the assignment at each line stores another value. Raises CannotTell."""
        text = self.text
        places = [(*self._right_side(line), new) for line, new in values.items()]
        for start, end, new in sorted(places, reverse=True):
            text = text[:start] + " " + new + text[end:]
        return text.encode()

    def _right_side(self, line: int) -> tuple[int, int]:
        """Where the value of the assignment `x[...] = value;` at a line is."""
        tokens = self.code.tokens
        for array in self.code.indexed(range(len(tokens))):
            equals = array.last + 1
            end = self.code.end(equals) - 1 if equals < len(tokens) else equals
            is_whole = equals < end and (tokens[equals].text, tokens[end].text) == ("=", ";")
            if is_whole and self.code.line_of(array.at) <= line <= self.code.line_of(end):
                return tokens[equals].end, tokens[end].start
        raise CannotTell("the line is not a simple assignment")


def evaluated(text: str, known: dict[str, int]) -> int | None:
    """The value of an expression of whole numbers and known names; None where it is another."""
    cleaned = re.sub(r"\(\s*(?:int|unsigned|size_t)\s*\)", "", text).replace("/", "//")
    cleaned = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", cleaned.replace("////", "//"))
    try:
        tree = ast.parse(cleaned.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError):
        return None
    return _value(tree.body, known)


def _value(node: ast.expr, known: dict[str, int]) -> int | None:
    match node:
        case ast.Constant(value=value):
            return value if type(value) is int else None
        case ast.Name(id=name):
            return known.get(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _value(ast.BinOp(ast.Constant(0), ast.Sub(), operand), known)
        case ast.BinOp(left=one, op=op, right=other) if type(op) in _DO:
            left, right = _value(one, known), _value(other, known)
            if left is None or right is None or max(abs(left), abs(right)) > 1 << 40:
                return None
            if isinstance(op, ast.LShift) and right >= 40:
                return None
            with suppress(ZeroDivisionError, ValueError):  # by 0; a shift by less than 0
                return _DO[type(op)](left, right)
    return None
