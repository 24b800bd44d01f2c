"""The types of names and expressions, as far as a change needs them to compile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from grader.source.tree import descend, text_of

WHOLE = re.compile(r"\b(int|unsigned|long|short|size_t|ptrdiff_t|u?int\d+_t|bool|char)\b")
REAL = re.compile(r"\b(float|double)\b")
DIMENSIONS = ("threadIdx", "blockIdx", "blockDim", "gridDim")
LOGICAL = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")
OF_REALS = ("fabs", "fabsf", "sqrt", "sqrtf", "fmax", "fmaxf", "fmin", "fminf")
SAME = ("min", "max", "abs")  # functions whose result has the type of what they are given


@dataclass(frozen=True)
class Type:
    """depth: how many times it can be dereferenced."""

    base: str  # of a variable as base_of() says, of a pointer as it is written, "const" included
    depth: int = 0

    def moved(self, step: int) -> Type:
        """What it is behind `step` more, or fewer, stars."""
        depth = self.depth + step
        return Type(self.base if depth else base_of(self.base.removeprefix("const ")), depth)

    def is_whole(self) -> bool:
        return self.base == "int" and self.depth == 0


INT = Type("int")


@dataclass(frozen=True)
class Name:
    """A variable that may be used between two offsets."""

    name: str
    type: Type
    first: int
    last: int


def names(function: Node) -> Iterator[Name]:
    """The parameters and variables of a function, in order."""
    for node in descend(function):
        if node.type == "parameter_declaration":
            yield from _declared(node, function)
        elif node.type == "declaration":
            yield from _declared(node, _scope(node, function))


def _scope(node: Node, function: Node) -> Node:
    scope = node.parent
    while scope and scope.type not in ("compound_statement", "for_statement"):
        scope = scope.parent
    return scope or function


def _declared(node: Node, scope: Node) -> Iterator[Name]:
    base = text_of(node.child_by_field_name("type"))
    is_constant = any(text_of(n) == "const" for n in node.children if n.type == "type_qualifier")
    for declarator in node.children_by_field_name("declarator"):
        depth, inner = 0, declarator
        while inner.type not in ("identifier", "field_identifier"):
            depth += inner.type in ("pointer_declarator", "array_declarator")
            following = inner.child_by_field_name("declarator") or next(
                (n for n in inner.named_children if n.type == "identifier"), None
            )
            if following is None or inner.type == "function_declarator":
                break
            inner = following
        else:
            pointed = f"const {base}" if is_constant else base
            own = pointed if depth else base_of(base)
            yield Name(text_of(inner), Type(own, depth), declarator.end_byte, scope.end_byte)


def base_of(text: str) -> str:
    """The type's name; "int" for all whole numbers, "float" for all with a fraction."""
    if REAL.search(text):
        return "float"
    return "int" if WHOLE.search(text) else text


class Types:
    """Of the expressions of a function."""

    def __init__(self, variables: list[Name]) -> None:
        self._of = {v.name: v.type for v in variables}

    def of(self, node: Node | None) -> Type | None:
        """None where it is not known."""
        if node is None:
            return None
        known = getattr(self, f"_{node.type}", None)
        found: Type | None = known(node) if known else None
        return found

    def _identifier(self, node: Node) -> Type | None:
        return self._of.get(text_of(node))

    def _number_literal(self, node: Node) -> Type:
        text = text_of(node).lower()
        is_real = not text.startswith("0x") and any(sign in text for sign in ".ef")
        return Type("float") if is_real else INT

    def _binary_expression(self, node: Node) -> Type | None:
        sides = [self.of(node.child_by_field_name(side)) for side in ("left", "right")]
        if operator(node) in LOGICAL:
            return INT
        return _joined(sides)

    def _conditional_expression(self, node: Node) -> Type | None:
        return _joined(
            [self.of(node.child_by_field_name(n)) for n in ("consequence", "alternative")]
        )

    def _parenthesized_expression(self, node: Node) -> Type | None:
        return self.of(node.named_children[0]) if node.named_children else None

    def _unary_expression(self, node: Node) -> Type | None:
        return self.of(node.child_by_field_name("argument"))

    def _sizeof_expression(self, _: Node) -> Type:
        return INT

    def _cast_expression(self, node: Node) -> Type:
        text = text_of(node.child_by_field_name("type"))
        depth = text.count("*")
        return Type(text.replace("*", "").strip() if depth else base_of(text), depth)

    def _pointer_expression(self, node: Node) -> Type | None:
        inner = self.of(node.child_by_field_name("argument"))
        step = -1 if text_of(node).startswith("*") else 1
        return inner.moved(step) if inner else None

    def _subscript_expression(self, node: Node) -> Type | None:
        inner = self.of(node.child_by_field_name("argument"))
        return inner.moved(-1) if inner and inner.depth else None

    def _field_expression(self, node: Node) -> Type | None:
        of = node.child_by_field_name("argument")
        inner = self.of(of)
        is_dimension = text_of(of) in DIMENSIONS or (inner and inner.base in ("dim3", "uint3"))
        return INT if is_dimension else None

    def _call_expression(self, node: Node) -> Type | None:
        called = text_of(node.child_by_field_name("function"))
        if called not in SAME:
            return Type("float") if called in OF_REALS else None
        given = node.child_by_field_name("arguments")
        return _joined([self.of(each) for each in given.named_children]) if given else None


def operator(node: Node) -> str:
    """The sign of a binary expression or an assignment."""
    sign = node.child_by_field_name("operator")
    return sign.type if sign is not None else ""


def _joined(types: list[Type | None]) -> Type | None:
    if any(each is None for each in types):
        return None
    known = [each for each in types if each is not None]
    pointers = [each for each in known if each.depth]
    reals = [each for each in known if each.base == "float"]
    return next(iter(pointers or reals or known), None)
