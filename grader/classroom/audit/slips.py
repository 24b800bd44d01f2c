"""Small slips inside an expression, and forgotten barriers: one function for each kind.

A function gets a node of the syntax tree and yields the changes that start there.
"""

from collections.abc import Callable, Iterator

from tree_sitter import Node

from grader.source.tree import text_of as text

# What is replaced, and by what. A change may be in more than one place.
Change = list[tuple[Node, str]]

OPERATORS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "==": "!=", "!=": "==", "&&": "||",
    "||": "&&", "<<": ">>", ">>": "<<", "|": "&", "&": "|", "+=": "=",
}  # fmt: skip
BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
AXES = {
    "x": "y", "y": "x", "row": "column", "column": "row", "a": "b", "b": "a", "width": "height",
    "height": "width",
}  # fmt: skip


def axis(node: Node) -> Iterator[Change]:
    new = AXES.get(text(node))
    if new and node.type in ("identifier", "field_identifier") and _is_used(node):
        yield [(node, new)]


def barrier(node: Node) -> Iterator[Change]:
    if node.type == "expression_statement" and text(node) == "__syncthreads();":
        yield [(node, "")]


def bound(node: Node) -> Iterator[Change]:
    yield from _signs(node, BOUNDS)


def constant(node: Node) -> Iterator[Change]:
    if node.type == "number_literal" and text(node).isdecimal():
        value = int(text(node))
        yield [(node, str(value + 1))]
        if value > 1:
            yield [(node, str(value - 1))]


def index(node: Node) -> Iterator[Change]:
    if node.type == "subscript_argument_list" and len(node.named_children) == 1:
        yield [(node, f"[{text(node.named_children[0])} + 1]")]


def operator(node: Node) -> Iterator[Change]:
    yield from _signs(node, OPERATORS)


KINDS: dict[str, Callable[[Node], Iterator[Change]]] = {
    "axis": axis,
    "barrier": barrier,
    "bound": bound,
    "constant": constant,
    "index": index,
    "operator": operator,
}


def _signs(node: Node, table: dict[str, str]) -> Iterator[Change]:
    if node.type in ("binary_expression", "assignment_expression") and not _is_type(node):
        sign = node.child_by_field_name("operator")
        if sign is not None and (new := table.get(text(sign))):
            yield [(sign, new)]


def _is_used(node: Node) -> bool:
    """An axis of a variable that is read: not one that is declared or written here."""
    parent = node.parent
    if parent is None or parent.type.endswith(("declarator", "declaration")):
        return parent is not None and parent.child_by_field_name("value") == node
    if parent.type == "field_expression":
        return text(parent).startswith(("threadIdx", "blockIdx", "blockDim", "gridDim"))
    return parent.child_by_field_name("left") != node or parent.type == "binary_expression"


def _is_type(node: Node) -> bool:
    """A cast such as (float *)x, which the grammar may take for a product."""
    return text(node).startswith("(") and "*)" in text(node).split(")")[0] + ")"
