"""The edits of a student's file, in the order in which they are tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from tree_sitter import Node

from grader.correction.combined import combined
from grader.correction.edits import Edit, Editor
from grader.correction.types import INT, Name, Type, names
from grader.source.code import read
from grader.source.constants import constants
from grader.source.tree import descend, levels, parse, text_of

LARGEST, DEEPEST = 100_000, 60  # bytes, and levels of nesting: more is not read
MOST = 8000  # edits


def candidates(
    text: str, header: str, entries: Sequence[str], right: Sequence[str] = ()
) -> list[Edit]:
    """The edits of the functions that `entries` call, directly or not, and of these; of all
    functions where there are no entries. Edits of what the functions of `right` need come last
    among those of a rank. header: declares constants that the file may use."""
    if len(text) > LARGEST:
        return []
    root = parse(text.encode())
    if len(levels(root, DEEPEST)) > DEEPEST:
        return []
    functions: dict[str, Node] = {}
    for function in _functions(root):
        if "constexpr" not in text_of(function).split("{")[0]:
            functions.setdefault(_name(function), function)  # another one is behind #else
    functions.pop("", None)
    declared = {function.name for function in read(header).declared}
    used = {text_of(node) for node in descend(root) if node.type == "identifier"}
    bodies = [(f.start_byte, f.end_byte) for f in functions.values()]
    shared = [
        Name(c.name, _of_value(c.value), c.end if source is text else 0, len(root.text or b""))
        for source in (text, header)
        for c in constants(read(source))
        if c.name in used
        and not (source is text and any(first <= c.start < last for first, last in bodies))
    ]
    alike = _alike({name: f for name, f in functions.items() if name not in declared})
    found: list[Edit] = []
    last = {f.id for f in _reached(functions, right)} if right else set()
    for function in sorted(_reached(functions, entries), key=lambda f: f.id in last):
        calls = {
            name: [o for o in others if functions[o].end_byte <= function.start_byte]
            for name, others in alike.items()
        }
        editor = Editor(function, [*names(function), *shared], calls)
        alone = list(islice(editor.edits(), max(0, MOST - len(found))))
        found += [*alone, *combined(alone)]
    found.sort(key=lambda e: -e.rank)  # of several edits of the same places, the likeliest is kept
    return sorted({e.places: e for e in found}.values(), key=lambda e: e.rank)


def _of_value(text: str) -> Type:
    return Type("float") if re.search(r"\d\.|\.\d", text) else INT


def _functions(root: Node) -> Iterator[Node]:
    return (node for node in descend(root) if node.type == "function_definition")


def _name(function: Node) -> str:
    node = function.child_by_field_name("declarator")
    while node is not None and node.type not in ("identifier", "field_identifier"):
        node = node.child_by_field_name("declarator") or next(
            (n for n in node.named_children if n.type.endswith(("declarator", "identifier"))), None
        )
    return text_of(node)


def _alike(functions: dict[str, Node]) -> dict[str, list[str]]:
    """By the name of each function the others of its type: result and parameters. Not those of the
    header: one part's answer for another's would only go round the mistake."""
    types = {name: _type(function) for name, function in functions.items()}
    return {
        name: [other for other in types if other != name and types[other] == types[name]]
        for name in types
    }


def _type(function: Node) -> tuple[str, list[Type]]:
    declarator = function.child_by_field_name("declarator")
    given = declarator.child_by_field_name("parameters") if declarator else None
    head = (function.text or b"").decode(errors="replace").split("(")[0]
    return " ".join(head.split()[:-1]), [n.type for n in names(given)] if given else []


def _reached(functions: dict[str, Node], entries: Sequence[str]) -> list[Node]:
    waiting = [name for name in entries if name in functions] or list(functions)
    reached: dict[str, None] = {}
    while waiting:
        name = waiting.pop(0)
        if name in reached:
            continue
        reached[name] = None
        inside = (text_of(n) for n in descend(functions[name]) if n.type == "identifier")
        waiting += [other for other in inside if other in functions and other not in reached]
    return [functions[name] for name in reached]
