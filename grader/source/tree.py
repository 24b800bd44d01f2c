"""The syntax tree of a file, for who asks for expressions.

The grammar is C++ with CUDA. What does not fit it, such as some macros, is an ERROR node, and nodes
near it may be guessed: code.py reads functions, calls and statements without one.
"""

import warnings
from collections.abc import Iterator
from functools import cache

from tree_sitter import Language, Node, Parser

MOST_BYTES = 1 << 17  # a larger file takes the parser seconds if it is made to


@cache
def _parser() -> Parser:
    import tree_sitter_cuda

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its capsule is an older one
        return Parser(Language(tree_sitter_cuda.language()))


def parse(source: bytes) -> Node:
    """The root of the tree. Nothing in it nests without end, but its nodes may: walk it with
    `descend`, or ask for its `depth` before a walk that calls itself."""
    return _parser().parse(source).root_node


def text_of(node: Node | None, field: str = "") -> str:
    """The source of a node, or of what it has as that field; "" for none."""
    part = node.child_by_field_name(field) if node is not None and field else node
    return ((part.text if part is not None else b"") or b"").decode(errors="replace")


def descend(root: Node) -> Iterator[Node]:
    """The node and all nodes below it, in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(node.children)


def depth(root: Node, most: int) -> int:
    """How deep named nodes are nested; more than `most` counts as one more."""
    deepest, level = 0, [root]
    while level and deepest <= most:
        deepest += 1
        level = [child for node in level for child in node.named_children]
    return deepest
