"""The syntax tree of a file, and what a walk over it needs to know first."""

import warnings
from functools import cache
from typing import NamedTuple

from tree_sitter import Language, Node, Parser

MOST_DEPTH = 150  # of nested nodes; the walk over them is recursive
NUMBER, STUDENT = "0", "V"
NAMING = frozenset(["declaration", "enumerator", "preproc_def"])
SILENT = frozenset([",", ";", "(", ")", "{", "}", "[", "]", "::"])


class Token(NamedTuple):
    """`name` tells the student's identifiers, whose `text` is STUDENT, from one another."""

    text: str
    row: int  # of the source, from 0
    name: str = ""


@cache
def _parser() -> Parser:
    import tree_sitter_cuda

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its capsule is an older one
        return Parser(Language(tree_sitter_cuda.language()))


def parse(source: bytes) -> Node:
    """The root of the syntax tree. Of a broken file, too: what does not fit is an ERROR node."""
    return _parser().parse(source).root_node


def depth(root: Node) -> int:
    return survey(root)[0]


def survey(root: Node) -> tuple[int, list[Node]]:
    """How deep the nodes are nested, and those that name a constant, in the order of the file."""
    deepest, level, naming = 0, [root], []
    while level and deepest <= MOST_DEPTH:
        deepest += 1
        below = []
        for node in level:
            for child in node.named_children:
                below.append(child)
                if child.type in NAMING:
                    naming.append(child)
        level = below
    return deepest, sorted(naming, key=lambda node: node.start_byte)
