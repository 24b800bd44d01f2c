"""The numbered TODOs of a source file that are still open: those above the lines of the starter.

A student may leave a TODO's comment above the code that solves it; so do the solutions.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_TODO = re.compile(r"/\*\s*TODO \d+\b.*?(?:\*/|\Z)", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
# What a starter has for code: it names the arguments, so that no compiler warns, and returns.
_STAND_IN = re.compile(r"\s*(\(void\)[^;]*;\s*)*(return [\w.]+;|return make_\w+\([^()]*\);)?\s*")
_HEADING = re.compile(r"---- part (\w+):")
_ATTRIBUTE = re.compile(r"__\w+\(\(.*?\)\)|__\w+\([^()]*\)")
_HEAD = re.compile(r"^[A-Za-z_](?!.*:$)", re.MULTILINE)  # no label
_END = re.compile(r"^\}", re.MULTILINE)  # of a function, as everybody indents


@dataclass(frozen=True)
class Todo:
    """An open TODO: its line from 1, the part whose heading it is under ("": above all), and the
    function that it is in."""

    line: int
    part: str
    function: str


def open_in(text: str) -> list[Todo]:
    """The open TODOs of a file, in order."""
    todos, part, line = [], "", 1
    for function, block in _blocks(text):
        for position, heading in _marks(block):
            part = heading or part
            if not heading and _is_open(block, position):
                todos.append(Todo(line + block.count("\n", 0, position), part, function))
        line += block.count("\n")
    return todos


def needed(text: str, roots: Sequence[str]) -> list[Todo]:
    """The open TODOs in what `roots` call, directly or not; a root that is open calls nothing."""
    bodies = {name: _COMMENT.sub("", block) for name, block in _blocks(text)}
    todos = open_in(text)
    still_open = {todo.function for todo in todos}
    reached, ahead = set(roots), [root for root in roots if root not in still_open]
    while ahead:
        called = set(re.findall(r"\w+", bodies.get(ahead.pop(), ""))) & bodies.keys()
        ahead += called - reached
        reached |= called
    return [todo for todo in todos if todo.function in reached - set(roots)]


def _blocks(text: str) -> list[tuple[str, str]]:
    """The file in pieces that end where a function does, each with that function's name."""
    starts = [0, *(end.start() for end in _END.finditer(text)), len(text)]
    pieces = [text[begin:end] for begin, end in pairwise(starts)]
    return [(_name(piece), piece) for piece in pieces]


def _name(block: str) -> str:
    """The name of the function that ends a block: the line that begins it is not indented."""
    heads = list(_HEAD.finditer(block))
    head = block[heads[-1].start() :].partition("{")[0] if heads else ""
    name = re.search(r"(\w+)\s*\(", _ATTRIBUTE.sub("", head))
    return name[1] if name else ""


def _marks(block: str) -> list[tuple[int, str]]:
    """Where a TODO, or the heading of a part, stands, and the part, in order."""
    todos = [(todo.start(), "") for todo in _TODO.finditer(block)]
    return sorted([*todos, *((h.start(), h[1]) for h in _HEADING.finditer(block))])


def _is_open(block: str, position: int) -> bool:
    """Is the code below the TODO's comment, up to the next one, that of a starter?"""
    code = re.split(r"/\*\s*TODO \d+\b", block[position + 1 :], maxsplit=1)[0]
    code = code.partition("*/")[2]
    return bool(_STAND_IN.fullmatch(_COMMENT.sub("", code)))
