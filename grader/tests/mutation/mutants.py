"""Makes mutants of the solutions: each is a solution with one small change that a slip could make.

Only what a student writes is changed: the lines between BEGIN SOLUTION and END SOLUTION. The same
solutions always give the same mutants, each with an id that says where it is: the lab, the
function, the kind of change and its number among those of that kind in the function.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

from grader import paths
from grader.model import spec

OPERATORS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "==": "!=", "!=": "==", "&&": "||",
    "||": "&&", "<<": ">>", ">>": "<<", "|": "&", "&": "|", "+=": "=",
}  # fmt: skip
BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
AXES = {
    "x": "y", "y": "x", "row": "column", "column": "row", "a": "b", "b": "a", "width": "height",
    "height": "width",
}  # fmt: skip
KINDS = ("axis", "barrier", "bound", "constant", "index", "operator")
# How many of each lab are graded. Lab 4's file takes the compiler ten times as long as lab 1's.
WANTED = {
    "lab1": 26, "lab2": 22, "lab3": 20, "lab4": 12, "lab5": 18, "lab6": 18, "lab7": 20, "lab8": 26,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A change: the bytes start..end of a file of a lab become `new`."""

    lab: str
    file: str
    function: str
    kind: str
    number: int  # of its kind in the function, from 1
    start: int
    end: int
    old: str
    new: str
    line: int

    @property
    def id(self) -> str:
        return f"{self.lab}/{self.function}/{self.kind}-{self.number}"

    def change(self) -> str:
        return f"`{self.old}` to `{self.new}`" if self.new else f"`{self.old}` dropped"


def solution(lab: str, file: str) -> Path:
    return paths.ROOT / "solutions" / spec.load(lab).folder / file


def mutated(mutant: Mutant) -> bytes:
    """The file with the change."""
    source = solution(mutant.lab, mutant.file).read_bytes()
    return source[: mutant.start] + mutant.new.encode() + source[mutant.end :]


def chosen(lab: str) -> list[Mutant]:
    """As many as are wanted, taken from every kind in turn, in an order that nothing favours."""
    every = sorted(all_of(lab), key=lambda m: hashlib.sha256(m.id.encode()).digest())
    queues = {kind: [m for m in every if m.kind == kind] for kind in KINDS}
    taken: list[Mutant] = []
    while len(taken) < WANTED[lab] and any(queues.values()):
        for kind in KINDS:
            if queues[kind] and len(taken) < WANTED[lab]:
                taken.append(queues[kind].pop(0))
    return sorted(taken, key=lambda m: (m.file, m.start, m.kind))


def all_of(lab: str) -> list[Mutant]:
    return [mutant for file in spec.load(lab).submit for mutant in _of_file(lab, file)]


def fingerprint() -> str:
    """Changes whenever a solution or the choice of mutants does."""
    mixed = hashlib.sha256()
    for lab in WANTED:
        for file in spec.load(lab).submit:
            mixed.update(solution(lab, file).read_bytes())
        for mutant in chosen(lab):
            mixed.update(f"{mutant.id} {mutant.start} {mutant.new}\n".encode())
    return mixed.hexdigest()[:16]


def _of_file(lab: str, file: str) -> Iterator[Mutant]:
    source = solution(lab, file).read_bytes()
    inside = _solved(source)
    parser = Parser(Language(tree_sitter_cuda.language()))
    numbers: dict[tuple[str, str], int] = {}
    for node, function, begin in _nodes(parser.parse(source).root_node):
        if node.start_point[0] not in inside:
            continue
        known = source[begin : node.start_byte].decode()
        for kind, place, new in _changes(node):
            if kind == "axis" and not re.search(rf"\b{new}\b", known):
                continue  # a name that is not declared yet
            number = numbers[function, kind] = numbers.get((function, kind), 0) + 1
            old = " ".join(_text(place).split())
            line = node.start_point[0] + 1
            span = (place.start_byte, place.end_byte)
            yield Mutant(lab, file, function, kind, number, *span, old, new, line)


def _solved(source: bytes) -> set[int]:
    """The numbers (from 0) of the lines that a student writes."""
    found: set[int] = set()
    for match in re.finditer(rb"// BEGIN SOLUTION.*?// END SOLUTION", source, re.DOTALL):
        first = source.count(b"\n", 0, match.start())
        found |= set(range(first, first + match[0].count(b"\n")))
    return found


def _nodes(root: Node) -> Iterator[tuple[Node, str, int]]:
    """Every node in the order of the text, with its function's name and where that begins."""
    stack = [(root, "file", 0)]
    while stack:
        node, function, begin = stack.pop()
        if node.type == "function_definition":
            function, begin = _name(node), node.start_byte
        yield node, function, begin
        stack += [(child, function, begin) for child in reversed(node.children)]


def _name(function: Node) -> str:
    node = function.child_by_field_name("declarator")
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return _text(node) if node is not None else ""


def _changes(node: Node) -> Iterator[tuple[str, Node, str]]:
    """The changes at a node: the kind, what is replaced, and by what."""
    if node.type in ("binary_expression", "assignment_expression"):
        sign = node.child_by_field_name("operator")
        if sign is not None and not _is_type(node):
            if new := OPERATORS.get(_text(sign)):
                yield "operator", sign, new
            if new := BOUNDS.get(_text(sign)):
                yield "bound", sign, new
    elif node.type == "number_literal" and _text(node).isdecimal():
        value = int(_text(node))
        yield "constant", node, str(value + 1)
        if value > 1:
            yield "constant", node, str(value - 1)
    elif node.type == "subscript_argument_list" and len(node.named_children) == 1:
        yield "index", node, f"[{_text(node.named_children[0])} + 1]"
    elif node.type in ("identifier", "field_identifier") and _is_used(node):
        if new := AXES.get(_text(node)):
            yield "axis", node, new
    elif node.type == "expression_statement" and _text(node) == "__syncthreads();":
        yield "barrier", node, ""


def _is_used(node: Node) -> bool:
    """An axis of a variable that is read: not one that is declared or written here."""
    parent = node.parent
    if parent is None or parent.type.endswith(("declarator", "declaration")):
        return parent is not None and parent.child_by_field_name("value") == node
    if parent.type == "field_expression":
        return _text(parent).startswith(("threadIdx", "blockIdx", "blockDim", "gridDim"))
    return parent.child_by_field_name("left") != node or parent.type == "binary_expression"


def _is_type(node: Node) -> bool:
    """A cast such as (float *)x, which the grammar may take for a product."""
    return _text(node).startswith("(") and "*)" in _text(node).split(")")[0] + ")"


def _text(node: Node) -> str:
    return (node.text or b"").decode()
