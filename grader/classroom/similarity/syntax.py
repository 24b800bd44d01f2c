"""A token of a file that is compared, and what a walk over its tree needs to know first."""

from typing import NamedTuple

from tree_sitter import Node

from grader.source.tree import levels

MOST_DEPTH = 150  # of nested nodes; the walk over them is recursive
NUMBER, STUDENT = "0", "V"
NAMING = frozenset(["declaration", "enumerator", "preproc_def"])
SILENT = frozenset([",", ";", "(", ")", "{", "}", "[", "]", "::"])


class Token(NamedTuple):
    """`name` tells the student's identifiers, whose `text` is STUDENT, from one another."""

    text: str
    row: int  # of the source, from 0
    name: str = ""


def survey(root: Node) -> tuple[int, list[Node]]:
    """How deep the nodes are nested, and those that name a constant, in the order of the file."""
    nested = levels(root, MOST_DEPTH)
    naming = [node for level in nested for node in level if node.type in NAMING]
    return len(nested), sorted(naming, key=lambda node: node.start_byte)
