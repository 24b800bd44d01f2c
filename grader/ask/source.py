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

from grader.ask.draft import CannotTell
from grader.diagnose.source_text import without_comments

THREAD_NUMBER = (
    "((int)(((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * "
    "(blockDim.x * blockDim.y * blockDim.z) + "
    "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x))"
)
_ENUM = re.compile(r"\benum\b[^{};]*\{([^{}]*)\}")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S[^\n]*)", re.MULTILINE)
_CONST = re.compile(
    r"\b(?:static[ \t]+|inline[ \t]+)*(?:const|constexpr)[ \t]+(?:static[ \t]+)?"
    r"(?:unsigned[ \t]+int|unsigned|int|size_t|long)[ \t]+(\w+)[ \t]*=[ \t]*([^;,{}]+);"
)
_SHARED = re.compile(r"(?P<extern>extern\s+)?__shared__\s+(?P<rest>[^;]+);")
_ARRAY = re.compile(r"(\w+)\s*((?:\[[^\]]*\]\s*)+)")
# A function's head, which begins on the line of its name or on the one above.
_HEAD = re.compile(
    r"^\w[^;{}()\n]*(?:\n[^;{}()\n]*)?\b(\w+)\s*\([^;{}]{0,600}\)\s*\{", re.MULTILINE
)
DEEPEST = 6  # calls below a function that is not called
_BARRIER = re.compile(r"__syncthreads\s*\(\s*\)\s*;")
_BYTES = {"float": 4, "int": 4, "unsigned": 4, "double": 8, "float2": 8, "float4": 16, "char": 1}
_BYTES |= {"double2": 16, "int4": 16, "uint8_t": 1}
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
    """An array of shared memory with constant sizes."""

    name: str
    element: int  # bytes
    sizes: tuple[int, ...]
    line: int

    def bytes(self) -> int:
        return self.element * math.prod(self.sizes)


@dataclass(frozen=True)
class Source:
    """A file's text. header: that of lab.h, for its constants."""

    text: str
    header: str = ""

    @cached_property
    def code(self) -> str:
        """The text with spaces in place of comments."""
        return without_comments(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.code))]

    def line_at(self, offset: int) -> int:
        return self.code.count("\n", 0, offset) + 1

    def quoted(self, line: int) -> str:
        lines = self.text.splitlines()
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def definition(self, name: str) -> int:
        """The line that names a function where it is defined; 0 where there is none."""
        found = (head for head in _HEAD.finditer(self.code) if head[1] == name)
        return next((self.line_at(head.start(1)) for head in found), 0)

    # ---- constants

    @cached_property
    def constants(self) -> dict[str, int]:
        """The whole numbers that the file names: enumerators, macros and constants."""
        found: dict[str, int] = {}
        texts: list[tuple[str, str]] = []
        for code in (without_comments(self.header), self.code):
            entries = [e.partition("=") for block in _ENUM.findall(code) for e in block.split(",")]
            texts += [(name.strip(), value) for name, _, value in entries if value.strip()]
            texts += _DEFINE.findall(code) + _CONST.findall(code)
        for name, value in texts:
            if (number := evaluated(value, found)) is not None:
                found[name] = number
        return found

    # ---- shared memory

    def shared(self, extra: dict[str, int] | None = None, strict: bool = True) -> list[Shared]:
        """The arrays of shared memory whose sizes are constant. strict: raises CannotTell at
        another, which is left out otherwise."""
        known, found = self.constants | (extra or {}), []
        for match in _SHARED.finditer(self.code):
            if match["extern"] and strict:
                raise CannotTell("shared memory whose size is set at the launch")
            words = re.sub(r"__align__\s*\([^)]*\)|alignas\s*\([^)]*\)", "", match["rest"])
            type_ = words.split()[0]
            for name, sizes in _ARRAY.findall(words):
                values = [evaluated(t, known) for t in re.findall(r"\[([^\]]*)\]", sizes)]
                numbers = tuple(v for v in values if v is not None)
                if type_ in _BYTES and len(numbers) == len(values):
                    found.append(Shared(name, _BYTES[type_], numbers, self.line_at(match.start())))
                elif strict:
                    raise CannotTell(f"the size of {name}")
        return found

    def shared_in(self, line: int, strict: bool = True) -> list[Shared]:
        """Those of the function that holds a line. Raises CannotTell."""
        return Source(self.function_text(line)).shared(self.constants, strict)

    def function_text(self, line: int) -> str:
        """The function that holds a line, in its place: behind empty lines."""
        first, last = self.function(line)
        return "\n" * (first - 1) + "\n".join(self.code.splitlines()[first - 1 : last])

    def function(self, line: int) -> tuple[int, int]:
        """The lines of the function that holds a line: from one that begins at the margin."""
        lines = self.code.splitlines()
        above, below = range(line, 1, -1), range(line, len(lines))
        first = next((n for n in above if re.match(r"[A-Za-z_]", lines[n - 1])), 1)
        return first, next((n for n in below if lines[n - 1].startswith("}")), len(lines))

    def barriers(self) -> list[int]:
        """The lines of barriers that stand alone as a statement."""
        return [self.line_at(match.start()) for match in _BARRIER.finditer(self.code)]

    def call(self, inside: int) -> tuple[int, list[str]]:
        """Where a call ends, behind its closing bracket, and its arguments, each on one line.
        inside: the offset behind the opening one. Raises CannotTell."""
        end = self._closing(inside, "()")
        arguments, depth = [""], 0
        for letter in self.code[inside:end]:
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 0:
                arguments.append("")
            else:
                arguments[-1] += letter
        return end + 1, [" ".join(argument.split()) for argument in arguments]

    # ---- changes

    def bodies(self) -> Iterator[tuple[str, int, int]]:
        """The functions, each with where its body begins and ends."""
        end = 0
        for head in _HEAD.finditer(self.code):
            if head.end() > end and (end := self.code.find("\n}", head.end() - 1) + 1) > 0:
                yield head[1], head.end(), end
            elif end == 0:
                return

    def without(self, unused: set[str], used: set[str]) -> bytes:
        """The text in which functions that nothing calls have no body, nor those that only they
        call: it compiles in less time. Every line stays where it is. used: by the driver."""
        text, before = self.text, Counter(re.findall(r"\w+", self.code))
        for _ in range(DEEPEST):
            now = Source(text)
            words, pieces, at = Counter(re.findall(r"\w+", now.code)), [""], 0
            for name, start, end in now.bodies():
                if words[name] == 1 and name not in used and (before[name] > 1 or name in unused):
                    empty = "__builtin_trap();" + "\n" * text.count("\n", start, end)
                    pieces += [text[at:start], empty]
                    at = end
            text = "".join([*pieces, text[at:]])
            if text == now.text:
                break
        return text.encode()

    def _replaced(self, start: int, end: int, new: str) -> bytes:
        # Comments are as long as the spaces in their place: offsets are the same in both texts.
        return (self.text[:start] + new + self.text[end:]).encode()

    def without_barrier(self, line: int) -> bytes:
        """The text without the barrier of a line, one of barriers()."""
        found = (m for m in _BARRIER.finditer(self.code) if self.line_at(m.start()) == line)
        return self._replaced(*next(found).span(), ";")

    def with_call(self, name: str, line: int, new: str) -> bytes:
        """The text with another expression in place of a call at a line. Raises CannotTell."""
        calls = re.finditer(rf"\b{name}\s*\(", self.code)
        found = [call for call in calls if self.line_at(call.start()) == line]
        if len(found) != 1:
            raise CannotTell("which call it is")
        return self._replaced(found[0].start(), self.call(found[0].end())[0], new)

    def with_values(self, values: dict[int, str]) -> bytes:
        """The text in which the assignment at each line stores another value. Raises CannotTell."""
        text = self.text
        places = [(*self._right_side(line), new) for line, new in values.items()]
        for start, end, new in sorted(places, reverse=True):
            text = text[:start] + " " + new + text[end:]
        return text.encode()

    def _right_side(self, line: int) -> tuple[int, int]:
        """Where the value of the assignment `x[...] = value;` at a line stands."""
        start = self._starts[line - 1]
        # The statement may have begun above.
        while start > 0 and self.code[:start].rstrip()[-1:] not in ("", ";", "{", "}", ")", ":"):
            start = self.code.rfind("\n", 0, start - 1) + 1
        match = re.compile(r"\s*([^;{}]*?\]\s*=(?![=]))").match(self.code, start)
        if match is not None and self.line_at(match.end()) >= line - 3:
            end = self.code.find(";", match.end())
            inside = self.code[match.end() : end]
            is_whole = end >= 0 and inside.count("(") == inside.count(")")
            if is_whole and self.line_at(match.start(1)) <= line <= self.line_at(end):
                return match.end(), end
        raise CannotTell("the line is not a simple assignment")

    def _closing(self, inside: int, pair: str) -> int:
        """Where the bracket closes that was opened before `inside`. Raises CannotTell."""
        depth = 1
        for at in range(inside, len(self.code)):
            depth += (self.code[at] == pair[0]) - (self.code[at] == pair[1])
            if depth == 0:
                return at
        raise CannotTell("brackets")


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
