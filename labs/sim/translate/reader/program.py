"""A program as the translator knows it: its text, its tokens with their brackets, its functions and
launches, its syntax tree, and the edits that keep every line.

The text holds no comments and no macros. Line markers and pragmas are not tokens. `<` and `>` are
always tokens of one character: `k << < 1, 32 >> > (p)` is how some formatters write a launch.
Tokens and brackets make sense of any text, also of one that does not compile: what is refused, and
what every build rewrites, is decided by them. The tree, made when something first asks for it, is
for the control flow of functions that the grammar understands.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from labs.sim.translate.reader.expanded import TOKEN, Expanded, Refusal, blanked
from labs.sim.translate.reader.pragmas import Pragmas, without_directives

if TYPE_CHECKING:
    from tree_sitter import Node

OPEN = {b"(": b")", b"[": b"]", b"{": b"}"}
CLOSE = {close: opened for opened, close in OPEN.items()}
ENDS = (b";", b"{", b"}")
BOUNDS = b"__launch_bounds__"
MARKS = (b"__global__", b"__device__", b"__host__")
# Of variables that are added to a traced program and register something before main(): so the
# grader (grader/compile/permitted/) tells them from what the program itself would run there.
BEFORE_MAIN = "__attribute__((init_priority(200)))"
# Words that are not names: an expression or a declaration begins after one.
KEYWORDS = frozenset(
    b"return else do case goto throw new delete sizeof typeof alignof if while for switch default "
    b"co_return co_yield co_await operator and or not xor bitand bitor compl not_eq and_eq or_eq "
    b"xor_eq".split()
)


ARITHMETIC = frozenset(b"+ - * / % & | ^".split())
# Types of numbers.
NUMBERS = frozenset(
    b"bool char short int long unsigned signed float double size_t int8_t int16_t int32_t int64_t "
    b"uint8_t uint16_t uint32_t uint64_t".split()
)


@dataclass(frozen=True)
class Edit:
    """Replaces the bytes start..end by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Function:
    """A function or lambda with a mark: indices of tokens. `marks`: __global__, __device__, ..."""

    head: int
    opened: int
    closed: int
    marks: frozenset[bytes]

    @property
    def is_device(self) -> bool:
        """Does it run on the device only?"""
        return b"__global__" in self.marks or (
            b"__device__" in self.marks and b"__host__" not in self.marks
        )

    @property
    def may_run_on_device(self) -> bool:
        return b"__global__" in self.marks or b"__device__" in self.marks


@dataclass(frozen=True)
class Bounds:
    """A __launch_bounds__(...): its bytes, and the text of its first argument."""

    start: int
    end: int
    threads: bytes


class Program:
    """A program's own text. A token is named by its index."""

    def __init__(self, expanded: Expanded) -> None:
        self.expanded = expanded
        self.source = expanded.own
        self.text: list[bytes] = []
        self.start: list[int] = []
        self.kind: list[str | None] = []
        for found in TOKEN.finditer(self.source):
            if found.lastgroup != "directive":
                self.text.append(found.group())
                self.start.append(found.start())
                self.kind.append(found.lastgroup)
        self.bounds = self._set_aside_bounds()
        self.match = [-1] * len(self.text)  # the other bracket of each bracket
        self.up = [-1] * len(self.text)  # the innermost { around each token
        self._match_brackets()
        self.functions = self._functions()
        self.bodies = {f.opened: f for f in self.functions}
        self.edits: list[Edit] = []
        self.warnings = b""  # about what compiles and is not meant, in the format of g++

    def _set_aside_bounds(self) -> list[Bounds]:
        """Takes each __launch_bounds__(...) out of the tokens: nothing else has to know of them."""
        bounds: list[Bounds] = []
        i = 0 if BOUNDS in self.source else len(self.text)
        while i < len(self.text) - 1:
            if self.text[i] != BOUNDS or self.text[i + 1] != b"(":
                i += 1
                continue
            depth, comma, closed = 0, None, i + 1
            while closed < len(self.text):
                text = self.text[closed]
                depth += (text in (b"(", b"[", b"{")) - (text in (b")", b"]", b"}"))
                if depth == 0:
                    break
                if depth == 1 and text == b"," and comma is None:
                    comma = self.start[closed]
                closed += 1
            if closed == len(self.text):
                break
            first, last = self.start[i + 1] + 1, comma or self.start[closed]
            bounds.append(Bounds(self.start[i], self.end(closed), self.source[first:last]))
            for program in (self.text, self.start, self.kind):
                del program[i : closed + 1]
        return bounds

    def _match_brackets(self) -> None:
        stack: list[int] = []
        braces: list[int] = [-1]
        for i, text in enumerate(self.text):
            if text == b"}" and len(braces) > 1 and self.kind[i] == "sign":
                braces.pop()
            self.up[i] = braces[-1]
            if self.kind[i] != "sign":
                continue
            if text in OPEN:
                stack.append(i)
                if text == b"{":
                    braces.append(i)
            elif text in CLOSE:
                # A brace closes what was left open inside it.
                while stack and text == b"}" and self.text[stack[-1]] != b"{":
                    stack.pop()
                if stack and self.text[stack[-1]] == CLOSE[text]:
                    self.match[i] = stack.pop()
                    self.match[self.match[i]] = i

    # ---- reading

    def __len__(self) -> int:
        return len(self.text)

    def at(self, i: int) -> bytes:
        return self.text[i] if 0 <= i < len(self.text) else b""

    def is_word(self, i: int) -> bool:
        return 0 <= i < len(self.text) and self.kind[i] == "word"

    def is_name(self, i: int) -> bool:
        return 0 <= i < len(self.kind) and self.kind[i] == "word" and self.text[i] not in KEYWORDS

    def end(self, i: int) -> int:
        """The byte after token i."""
        return self.start[i] + len(self.text[i])

    def words(self, *names: bytes) -> list[int]:
        return sorted(i for name in set(names) for i in self._words.get(name, ()))

    @cached_property
    def _words(self) -> dict[bytes, list[int]]:
        found: dict[bytes, list[int]] = {}
        for i, text in enumerate(self.text):
            if self.kind[i] == "word":
                found.setdefault(text, []).append(i)
        return found

    def position(self, i: int) -> tuple[str, int, int]:
        """File, line and column of a token."""
        return self.expanded.position(self.start[i])

    def refusal(self, i: int, message: str) -> Refusal:
        return self.expanded.refusal(self.start[i], message)

    def flat(self, first: int, last: int) -> str:
        """The tokens first..last (exclusive) on one line, with the spaces of the source."""
        out: list[bytes] = []
        for i in range(first, last):
            if i > first and self.start[i] > self.end(i - 1):
                out.append(b" ")
            out.append(self.text[i])
        return b"".join(out).decode(errors="surrogateescape")

    def past(self, i: int) -> int:
        """The token after i, or after the brackets that i opens."""
        return (self.match[i] if self.text[i] in OPEN and self.match[i] > i else i) + 1

    def until(self, i: int, *ends: bytes) -> int:
        """The first of these from token i on, outside of brackets that open before it; the number
        of tokens if there is none."""
        while i < len(self.text) and self.text[i] not in ends:
            i = self.past(i)
        return i

    def past_indices(self, i: int) -> int:
        """The token after the [N][M] that begin at token i."""
        while self.at(i) == b"[":
            i = self.past(i)
        return i

    def before(self, i: int) -> int:
        """The token before i, or the bracket that opens what ends there."""
        return self.match[i - 1] if self.match[i - 1] >= 0 else i - 1

    def statement(self, i: int) -> int:
        """The first token of the statement or declaration that holds token i."""
        while i > 0:
            before = self.text[i - 1]
            if before in (b")", b"]") and self.match[i - 1] >= 0:
                i = self.match[i - 1]
                continue
            if before in (*ENDS, b"(", b"[", b":"):
                return i
            i -= 1
        return i

    def statement_end(self, i: int) -> int:
        """The last token of the statement that begins at token i."""
        text = self.at(i)
        if text == b"{":
            return max(self.match[i], i)
        if text in (b"for", b"while", b"if", b"switch") and self.at(i + 1) == b"(":
            end = self.statement_end(self.past(i + 1))
            return self.statement_end(end + 2) if self.at(end + 1) == b"else" else end
        if text == b"do":
            return self.statement_end(i + 1)
        return max(min(self.until(i, b";", b"}"), len(self) - 1), i)

    def first_of_name(self, i: int) -> int:
        """The first token of space::name, whose last word is token i."""
        while self.at(i - 1) == b"::":
            i -= 2 if self.is_name(i - 2) else 1
        return i

    def angle(self, i: int) -> int | None:
        """The > that closes the < at i, or None if it is an operator."""
        depth = 0
        while i < len(self.text):
            text = self.text[i]
            if self.kind[i] == "sign":
                if text == b"<":
                    depth += 1
                elif text == b">":
                    depth -= 1
                    if depth == 0:
                        return i
                elif text in (b";", b")", b"]", b"}", b"{"):
                    return None
            i = self.past(i)
        return None

    def angle_back(self, i: int) -> int | None:
        """The < that the > at i closes."""
        depth = 0
        while i >= 0:
            text = self.text[i]
            if text == b">":
                depth += 1
            elif text == b"<":
                depth -= 1
                if depth == 0:
                    return i
            elif text in (b";", b"{", b"}", b"(", b"["):
                return None
            elif text in (b")", b"]"):
                i = self.match[i]
            i -= 1
        return None

    def commas(self, first: int, last: int, angles: bool = True) -> list[tuple[int, int]]:
        """The parts of first..last between commas, as first and last (exclusive) tokens. angles: a
        comma between < and > does not count."""
        parts: list[tuple[int, int]] = []
        begin = i = first
        while i < last:
            if self.text[i] == b"," and self.kind[i] == "sign":
                parts.append((begin, i))
                begin = i + 1
            if angles and self.text[i] == b"<" and self.is_name(i - 1):
                closed = self.angle(i)
                if closed is not None and closed < last:
                    i = closed
            i = self.past(i)
        if begin < last or parts:
            parts.append((begin, last))
        return parts

    # ---- functions

    def _functions(self) -> list[Function]:
        marks: dict[int, set[bytes]] = {}
        heads: dict[int, int] = {}
        for i in self.words(*MARKS):
            opened = self._body(i)
            if opened is not None and self.match[opened] > opened:
                marks.setdefault(opened, set()).add(self.text[i])
                heads[opened] = min(i, heads.get(opened, i))
        return [Function(heads[o], o, self.match[o], frozenset(marks[o])) for o in sorted(marks)]

    def _body(self, i: int) -> int | None:
        """The { of the function whose head holds token i; None for a variable or a declaration."""
        had_parameters = had_colon = False
        while i < len(self.text):
            text = self.text[i]
            if text in (b";", b"}", b"=", b")", b"]") and self.text[i - 1] != b"operator":
                return None
            if text == b"," and not had_colon:
                return None
            if text == b"{":
                if self.text[i - 1] in (b"]", *MARKS) or (had_parameters and not had_colon):
                    return i
                if had_colon and not (self.is_word(i - 1) or self.text[i - 1] == b">"):
                    return i
                if not had_parameters:
                    return None
            if text == b"operator":
                if self.at(i + 1) == b"(" and self.at(i + 2) == b")":
                    i += 2  # operator()
                while i + 1 < len(self.text) and self.text[i + 1] != b"(":
                    i += 1
            elif text == b"(":
                had_parameters = had_parameters or self.text[i - 1] != b"__attribute__"
            elif text == b":" and had_parameters:
                had_colon = True
            elif text == b"<" and self.is_name(i - 1):
                i = self.angle(i) or i
            i = self.past(i)
        return None

    def parameters(self, function: Function) -> int | None:
        """The ( of a function's parameters."""
        i = function.head
        while i < function.opened:
            is_list = self.text[i] == b"(" and self.is_name(i - 1)
            if is_list and self.at(i - 1) != b"__attribute__":
                return i
            i = self.past(i)
        return None

    def around(self, i: int) -> Function | None:
        """The innermost function with a mark around token i."""
        return next((self.bodies[b] for b in self.braces(i) if b in self.bodies), None)

    def braces(self, i: int) -> Iterator[int]:
        """Each { around token i, the innermost first."""
        brace = self.up[i]
        while brace >= 0:
            yield brace
            brace = self.up[brace]

    def loops_around(self, i: int) -> Iterator[int]:
        """The } of each loop around token i, in the innermost function with a mark."""
        opened = max((f.opened for f in self.functions if f.opened < i < f.closed), default=i)
        for brace in self.braces(i):
            if brace <= opened:
                return
            before = brace - 1
            if self.at(before) == b")" and self.match[before] >= 0:
                before = self.match[before] - 1
            if self.match[brace] > i and self.at(before) in (b"for", b"while", b"do"):
                yield self.match[brace]

    def is_scope(self, brace: int) -> bool:
        """Does the brace open a namespace or an extern "C"?"""
        first = self.statement(brace)
        words = self.text[first:brace]
        return b"namespace" in words or (words[:1] == [b"extern"] and brace == first + 2)

    def is_global(self, i: int) -> bool:
        """Is token i at the scope of a file or of a namespace?"""
        return all(self.is_scope(brace) for brace in self.braces(i))

    def declares(self, i: int) -> bool:
        """Does the name at token i stand where a declaration has it: after a type?"""
        before = self.at(i - 1)
        return self.is_name(i - 1) or (before in (b"*", b"&", b">") and self.at(i + 1) in (
            b"=", b",", b")", b";", b"(", b"[", b"{") and not self._is_product(i - 1))  # fmt: skip

    def _is_product(self, i: int) -> bool:
        """Is the * or & at token i certain to be an operator, as in `a[0] * b` and `x = a * b`?"""
        if self.text[i] == b">":
            return False
        while self.at(i) in (b"*", b"&", b"const", b"restrict", b"__restrict__"):
            i -= 1
        if not (self.is_word(i) or self.at(i) == b">"):
            return True
        while self.is_name(i) or self.at(i) in (b"::", b">"):
            i = (self.angle_back(i) or i) - 1 if self.text[i] == b">" else i - 1
        if self.at(i) == b"<":  # of a template, or of `i < a * b;`
            return self.angle(i) is None
        return self.at(i) not in (b";", b"{", b"}", b"(", b",", b")", b"", b":")

    # ---- operators

    def is_step(self, i: int) -> bool:
        """Do the signs at i and behind it make ++ or --?"""
        return self.at(i + 1) == self.text[i] and self.start[i + 1] == self.end(i)

    def assigns(self, i: int) -> bool:
        """Is = or its like at token i?"""
        sign = self.at(i)
        is_shift = sign in (b"<", b">") and self.at(i + 1) == sign
        behind = self.at(i + 2) if is_shift else self.at(i + 1)
        if sign == b"=":
            return behind != b"="
        return behind == b"=" and (is_shift or sign in ARITHMETIC)

    def ends_operand(self, i: int) -> bool:
        is_word = self.is_name(i) and self.at(i) != b"return"
        return is_word or self.kind[i] == "number" or self.at(i) in (b")", b"]")

    # ---- launches

    def begins_launch(self, i: int) -> bool:
        """Is this <<<, and not `operator<<` with an operator's template arguments?"""
        return self.text[i : i + 3] == [b"<"] * 3 and self.at(i - 1) != b"operator"

    @cached_property
    def launches(self) -> list[tuple[int, int | None]]:
        """The first < and the first of the last three > of each launch; None where none closes."""
        found: list[tuple[int, int | None]] = []
        for i, text in enumerate(self.text):
            is_behind = not found or i > found[-1][0] + 2
            if text == b"<" and is_behind and self.begins_launch(i):
                found.append((i, self._end_of_configuration(i + 3)))
        return found

    def _end_of_configuration(self, i: int) -> int | None:
        """The first of the last three > of a configuration that begins at token i."""
        while i < len(self.text):
            text = self.text[i]
            if self.kind[i] == "sign" and text in (b";", b")", b"]", b"}"):
                return None
            run = i
            while self.at(run) == b">":
                run += 1
            if run - i >= 3 and self.at(run) == b"(":
                return run - 3
            if self.match[i] < 0 and text in OPEN:
                return None
            i = run if run > i else self.past(i)
        return None

    # ---- the tree

    @cached_property
    def pragmas(self) -> Pragmas:
        return Pragmas(self.source)

    @cached_property
    def root(self) -> Node:
        """The root of the syntax tree. Its bytes are those of the source; what the grammar does not
        know is blank: directives, the qualifiers of a lambda, the configuration of a launch."""
        from labs.sim.translate.reader.tree import parsed  # its grammar takes a while to load

        code = bytearray(self.source)
        hidden = [
            (self.start[i], self.end(i))
            for i in self.words(*MARKS, b"__forceinline__", b"__noinline__")
            if self.text[i] not in MARKS
            or self.at(i - 1) == b"]"
            or (self.at(i - 1) in MARKS and self.at(i - 2) == b"]")
        ]
        hidden += [(self.start[i], self.end(last + 2)) for i, last in self.launches if last]
        for start, end in hidden:
            code[start:end] = blanked(self.source[start:end])
        return parsed(without_directives(bytes(code)))

    # ---- warnings and edits

    def warn(self, i: int, text: str) -> None:
        file, line, column = self.position(i)
        where = f"{file}:{line}:{column}: warning: "
        if where.encode() not in self.warnings:
            self.warnings += f"{where}{text}\n".encode()

    def cut(self, start: int, end: int, new: str) -> None:
        self.edits.append(Edit(start, end, new))

    def insert(self, at: int, new: str) -> None:
        self.cut(at, at, new)

    def replace(self, i: int, new: str) -> None:
        self.cut(self.start[i], self.end(i), new)

    def blank(self, first: int, last: int | None = None) -> None:
        """Removes tokens; spaces take their place, so that no column changes."""
        start, end = self.start[first], self.end(first if last is None else last)
        self.cut(start, end, blanked(self.source[start:end]).decode())

    def edited(self) -> bytes:
        """The whole program with its edits; those at the same index apply in the order of their
        creation."""
        out: list[bytes] = []
        at = length = 0
        indices: list[tuple[int, int]] = [(0, 0)]  # after each edit: index before, index after
        for edit in sorted(self.edits, key=lambda e: (e.start, e.end)):
            new = edit.text.encode(errors="surrogateescape")
            out += [self.source[at : edit.start], new]
            length += edit.start - at + len(new)
            at = edit.end
            indices.append((at, length))
        out.append(self.source[at:])

        def moved(index: int) -> int:
            before, after = indices[bisect.bisect_left(indices, (index + 1, 0)) - 1]
            return after + index - before

        return self.expanded.whole(b"".join(out), moved)
