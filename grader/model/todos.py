"""The numbered TODOs of a source file that are still open: those above the lines of the starter.

A student may leave a TODO's comment above the code that solves it; so do the solutions.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.source import lexer
from grader.source.code import Code, read
from grader.source.functions import Function

_TODO = re.compile(r"/\*\s*TODO \d+\b")
# What a starter has for code: it names the arguments, so that no compiler warns, and returns.
_STAND_IN = re.compile(r"\s*(\(void\)[^;]*;\s*)*(return [\w.]+;|return make_\w+\([^()]*\);)?\s*")
_HEADING = re.compile(r"---- part (\w+):")


@dataclass(frozen=True)
class Todo:
    """An open TODO: its line from 1, the part whose heading it is under ("": above all), and the
    function that it is in."""

    line: int
    part: str
    function: str


def open_in(text: str) -> list[Todo]:
    """The open TODOs of a file, in order."""
    if not _TODO.search(text):
        return []
    code, found, part = read(text), [], ""
    marks = [(t.start, t.end, t.text) for t in lexer.tokens(text) if t.kind == "comment"]
    starts = [start for start, _, comment in marks if _TODO.match(comment)]
    for start, end, comment in marks:
        if heading := _HEADING.search(comment):
            part = heading[1]
        elif _TODO.match(comment):
            function = _around(code, start)
            name, last = (function.name, code.body(function)[1]) if function else ("", len(text))
            last = min((s for s in starts if end <= s < last), default=last)
            if _STAND_IN.fullmatch(code.plain[end:last]):
                found.append(Todo(code.line(start), part, name))
    return found


def needed(text: str, roots: Sequence[str]) -> list[Todo]:
    """The open TODOs in what `roots` call, directly or not; a root that is open calls nothing."""
    code = read(text)
    bodies = {function.name: function.body for function in code.functions}
    todos = open_in(text)
    still_open = {todo.function for todo in todos}
    reached, ahead = set(roots), [root for root in roots if root not in still_open]
    while ahead:
        called = code.names(bodies.get(ahead.pop(), range(0))) & bodies.keys()
        ahead += called - reached
        reached |= called
    return [todo for todo in todos if todo.function in reached - set(roots)]


def _around(code: Code, offset: int) -> Function | None:
    """The function that holds a place, or begins behind it."""
    return next((f for f in code.functions if offset < code.body(f)[1]), None)
