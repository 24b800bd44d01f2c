"""One file in C or CUDA: its functions, calls, loops, pragmas and lines.

Comments, and what `#if 0` takes out, say nothing here. Places are offsets in the text, lines count
from 1, and a `range` holds indices of tokens. A file that does not parse answers as far as its
brackets fit: a function or a call that lacks one is left out.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from re import Pattern

from grader.source import brackets, directives, functions, lexer
from grader.source.brackets import Call
from grader.source.functions import Function


@dataclass(frozen=True)
class Statement:
    """A statement: its lines, its tokens, and the words of the pragmas right above it."""

    first: int
    last: int
    inside: range
    pragmas: list[list[str]]

    def holds(self, line: int) -> bool:
        return self.first <= line <= self.last


@dataclass(frozen=True)
class Indexed:
    """name[...][...]: the tokens of the name and of the last bracket, and the places of what is
    between the brackets."""

    name: str
    at: int
    last: int
    places: list[tuple[int, int]]


class Code:
    """A file. plain: the text with spaces in place of comments and dead code; tokens: its code;
    directives: its lines for the preprocessor."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = directives.live(list(lexer.tokens(text)))
        self.tokens, self.directives = found.code, found.directives
        self.plain = lexer.replaced(text, found.blank)
        self._starts = [token.start for token in self.tokens]
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    # ---- lines

    def line(self, offset: int) -> int:
        return bisect_right(self._line_starts, offset)

    def line_of(self, token: int) -> int:
        return self.line(self._starts[token])

    def between(self, first: int, last: int) -> range:
        """The tokens that begin on these lines, the last included."""
        offsets = [*self._line_starts, len(self.text) + 1]
        begin, end = (offsets[min(max(n, 0), len(offsets) - 1)] for n in (first - 1, last))
        return range(bisect_left(self._starts, begin), bisect_left(self._starts, end))

    # ---- brackets

    @cached_property
    def closing(self) -> dict[int, int]:
        """The token of the closing bracket by that of its opening one."""
        return brackets.pairs(self.tokens, self.directives)

    @cached_property
    def _ends(self) -> list[int]:
        return brackets.statement_ends(self.tokens, self.closing)

    def end(self, token: int) -> int:
        """The token behind the statement that begins with one."""
        return self._ends[token]

    def statement(self, at: int) -> Statement:
        """The statement that begins with a token."""
        end = max(self._ends[at], at + 1)
        above = (d for d in self.directives_at(at) if d.name == "pragma")
        return Statement(
            self.line_of(at), self.line_of(end - 1), range(at, end), [d.said() for d in above]
        )

    def directives_at(self, token: int) -> list[directives.Directive]:
        """Those between a token and the one before it."""
        first = bisect_left(self.directives, token, key=lambda d: d.at)
        return self.directives[first : bisect_right(self.directives, token, key=lambda d: d.at)]

    # ---- what there is

    @cached_property
    def declared(self) -> list[Function]:
        """The functions that the file defines or only declares, in order."""
        return list(functions.functions(self.tokens, self.closing))

    @cached_property
    def functions(self) -> list[Function]:
        """The functions that the file defines, in order."""
        return [function for function in self.declared if function.is_defined()]

    def function_at(self, line: int) -> Function | None:
        """The function of which that is a line, its head's first or its last included."""
        for function in self.functions:
            first, last = self.lines_of(function)
            if first <= line <= last:
                return function
        return None

    def lines_of(self, function: Function) -> tuple[int, int]:
        """The first line of its head and the last of its body."""
        return self.line_of(function.first), self.line_of(function.body.stop)

    def result(self, function: Function) -> str:
        """What a function returns, and what else precedes its name."""
        return self.plain[self._starts[function.first] : self._starts[function.at]].strip()

    def parameters(self, function: Function) -> str:
        """The text between the parentheses after its name."""
        opening = function.at + 1
        return self.plain[self.tokens[opening].end : self._starts[self.closing[opening]]].strip()

    def body(self, function: Function) -> tuple[int, int]:
        """Where the text between its braces begins and ends."""
        return self.tokens[function.body.start - 1].end, self._starts[function.body.stop]

    def names(self, inside: range) -> set[str]:
        """The words among some tokens."""
        return {self.tokens[at].text for at in inside if self.tokens[at].kind == "word"}

    def calls(self, names: str | Pattern[str] = r"\w+", inside: range | None = None) -> list[Call]:
        """The calls of functions whose whole name matches, among some tokens, or among all and in
        macros. A declaration looks the same. In order of the text."""
        pattern = re.compile(names)
        within = range(len(self.tokens)) if inside is None else inside
        found = brackets.calls(self.tokens, self.closing, self.plain, pattern, within)
        if inside is not None:
            return list(found)
        macros = ([*d.words] for d in self.directives if d.name == "define")
        in_macros = (
            brackets.calls(words, brackets.pairs(words), self.plain, pattern, range(1, len(words)))
            for words in macros
        )
        return sorted(chain(found, *in_macros), key=lambda call: call.start)

    @cached_property
    def loops(self) -> list[Statement]:
        """The `for` statements, in order."""
        words = enumerate(token.text for token in self.tokens)
        return [self.statement(at) for at, word in words if word == "for"]

    @cached_property
    def pragmas(self) -> list[tuple[int, list[str], Statement | None]]:
        """The line of each pragma, its words, and the statement that follows, if one does."""
        return [
            (
                self.line(pragma.start),
                pragma.said(),
                self.statement(pragma.at) if pragma.at < len(self.tokens) else None,
            )
            for pragma in self.directives
            if pragma.name == "pragma"
        ]

    def indexed(self, inside: range) -> Iterator[Indexed]:
        """The arrays among some tokens that an index follows, or their sizes."""
        for at in inside[:-1]:
            if self.tokens[at].kind == "word" and self.tokens[at + 1].text == "[":
                last, places = at, []
                while last + 1 in self.closing and self.tokens[last + 1].text == "[":
                    begin, last = self.tokens[last + 1].end, self.closing[last + 1]
                    places.append((begin, self._starts[last]))
                if places:
                    yield Indexed(self.tokens[at].text, at, last, places)

    def sequences(self, *words: str) -> Iterator[tuple[int, int]]:
        """Where each run of tokens that match begins and ends: of the code, then of macros."""
        patterns = [re.compile(word) for word in words]
        for run in (self.tokens, *(d.words for d in self.directives)):
            for at in range(len(run) - len(words) + 1):
                if all(p.fullmatch(run[at + n].text) for n, p in enumerate(patterns)):
                    yield run[at].start, run[at + len(words) - 1].end


@lru_cache(maxsize=8)
def read(text: str) -> Code:
    """The file with that text, read once."""
    return Code(text)
