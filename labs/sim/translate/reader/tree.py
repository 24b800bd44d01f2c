"""The syntax tree of a program, and how its nodes are read."""

from __future__ import annotations

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser


def parsed(code: bytes) -> Node:
    """The root of the tree of a program's text."""
    return Parser(Language(tree_sitter_cuda.language())).parse(code).root_node


def text_of(node: Node | None, field: str = "") -> bytes:
    """The source of a node, or of what it has as that field; b"" for none."""
    part = node.child_by_field_name(field) if node is not None and field else node
    return (part.text if part is not None else b"") or b""


def children_of(node: Node) -> list[Node]:
    """Its named children without comments."""
    return [c for c in node.named_children if c.type != "comment"]


def descendants(node: Node) -> list[Node]:
    """The node and all named nodes below it."""
    found, stack = [], [node]
    while stack:
        found.append(stack.pop())
        stack.extend(found[-1].named_children)
    return found
