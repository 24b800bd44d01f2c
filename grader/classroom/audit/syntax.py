"""Walks the syntax tree of a CUDA or C file."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from grader.source.tree import text_of


def nodes(root: Node) -> Iterator[tuple[Node, str, int]]:
    """Every node in the order of the text, with its function's name and where that begins."""
    stack = [(root, "file", 0)]
    while stack:
        node, function, begin = stack.pop()
        if node.type == "function_definition":
            function, begin = _name(node), node.start_byte
        yield node, function, begin
        stack += [(child, function, begin) for child in reversed(node.children)]


def solved(source: bytes) -> set[int]:
    """The numbers (from 0) of the lines that a student writes."""
    found: set[int] = set()
    for match in re.finditer(rb"// BEGIN SOLUTION.*?// END SOLUTION", source, re.DOTALL):
        first = source.count(b"\n", 0, match.start())
        found |= set(range(first, first + match[0].count(b"\n")))
    return found


def enclosing(node: Node, kind: str) -> Node | None:
    """The nearest node of this kind around it."""
    outer = node.parent
    while outer is not None and outer.type != kind:
        outer = outer.parent
    return outer


def _name(function: Node) -> str:
    node = function.child_by_field_name("declarator")
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return text_of(node)
