"""The syntax tree of a file, for callers that need expressions.

The grammar is C++ with CUDA. What does not fit it, such as some macros, is an ERROR node, and nodes
near it may be guessed: code.py reads functions, calls and statements without one.
"""

import warnings
from collections.abc import Iterator
from functools import cache

from tree_sitter import Language, Node, Parser


@cache
def _parser() -> Parser:
    import tree_sitter_cuda

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its capsule is an older one
        return Parser(Language(tree_sitter_cuda.language()))


def parse(source: bytes) -> Node:
    """The root of the tree. Takes linear time, up to 20 seconds for a megabyte that is made to.
    Nodes may be nested 10,000 deep: a recursive function checks `levels` first."""
    return _parser().parse(source).root_node


def text_of(node: Node | None) -> str:
    """The source of a node; "" for none."""
    return ((node.text if node is not None else b"") or b"").decode(errors="replace")


def descend(root: Node) -> Iterator[Node]:
    """The node and all named nodes below it, in the order of the text."""
    stack = [root]
    while stack:
        yield (node := stack.pop())
        stack.extend(reversed(node.named_children))


def levels(root: Node, most: int) -> list[list[Node]]:
    """The named nodes by how deep they are nested: at most one level more than `most`."""
    found = [[root]]
    while found[-1] and len(found) <= most:
        found.append([child for node in found[-1] for child in node.named_children])
    return found if found[-1] else found[:-1]
