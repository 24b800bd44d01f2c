"""Loads of shared memory that nvcc makes once, before a loop, and g++ in every round.

Kernels store to global memory, and nvcc knows that this cannot change shared memory; for g++ both
are memory. So nvcc moves a load out of a loop if its index does not change there, every round makes
it, and nothing in the loop may store to shared memory. It is made when the loop is entered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tree_sitter import Node

from labs.sim.translate.reader.tree import descendants, text_of

SIMPLE = ("expression_statement", "declaration")
STORES_TO_GLOBAL = re.compile(rb"atomic\w+$")
FIXED = re.compile(rb"(?:thread|block)Idx\.\w|(?:block|grid)Dim\.\w")
INDEX = ("identifier", "number_literal", "binary_expression", "unary_expression",
         "parenthesized_expression", "subscript_argument_list", "field_expression",
         "field_identifier", "cast_expression", "type_descriptor", "primitive_type")  # fmt: skip


def _base(node: Node | None) -> bytes:
    """The name of the array or pointer that an element belongs to; b"" if unclear."""
    while node is not None and node.type in ("subscript_expression", "field_expression"):
        if node.type == "field_expression" and b"->" in text_of(node):
            return b""
        node = node.child_by_field_name("argument")
    return text_of(node) if node is not None and node.type == "identifier" else b""


@dataclass(frozen=True)
class Hoisted:
    """A load, and the name of the variable that takes its place."""

    load: Node
    name: str

    @property
    def text(self) -> str:
        return " ".join(text_of(self.load).decode(errors="replace").split())


class Hoister:
    """shared: the arrays in shared memory; pointers: parameters that point to global memory."""

    def __init__(
        self, shared: set[bytes], pointers: set[bytes], has_calls: Callable[[Node], bool]
    ) -> None:
        self.shared = shared
        self.pointers = pointers
        self.has_calls = has_calls

    def loads(self, loop: Node, number: int) -> list[Hoisted]:
        """The loads that nvcc moves out of a loop."""
        body = loop.child_by_field_name("body")
        parent = loop.parent
        if body is None or parent is None or parent.type != "compound_statement":
            return []
        if loop.type not in ("for_statement", "while_statement") or self.has_calls(body):
            return []
        parts = descendants(loop)
        changed = self._changed(parts)
        if changed is None:
            return []
        found: dict[bytes, Hoisted] = {}
        statements = body.named_children if body.type == "compound_statement" else [body]
        loads = []
        for statement in statements:
            if statement.type == "comment":
                continue
            if statement.type not in SIMPLE:
                break  # what follows may not be made in every round
            for load in self._candidates(statement, changed):
                name = f"sim_hoisted_{number}_{len(found)}"
                first = found.setdefault(text_of(load), Hoisted(load, name))
                loads.append(Hoisted(load, first.name))
        return loads

    def _changed(self, parts: list[Node]) -> set[bytes] | None:
        """The variables that a loop changes or declares; None if it may store to shared memory, or
        stores nothing to global memory: then g++ moves the loads as well."""
        changed: set[bytes] = set()
        stores = False
        for part in parts:
            target: Node | None = None
            if part.type in ("lambda_expression", "goto_statement", "labeled_statement"):
                return None
            if part.type == "assignment_expression":
                target = part.child_by_field_name("left")
            elif part.type == "update_expression" or (
                part.type == "pointer_expression" and text_of(part)[:1] == b"&"
            ):
                target = part.child_by_field_name("argument")
            elif part.type == "call_expression":
                name = text_of(part, "function")
                if re.match(rb"__(?:sync|shfl|ballot|any|all|threadfence|bar|match|reduce)", name):
                    return None
                stores = stores or STORES_TO_GLOBAL.match(name) is not None
            elif part.type in ("init_declarator", "declaration", "parameter_declaration"):
                declarator = part.child_by_field_name("declarator")
                changed.add(text_of(declarator))
            if target is None:
                continue
            if target.type == "identifier":
                changed.add(text_of(target))
            elif _base(target) in self.pointers:
                stores = stores or part.type != "pointer_expression"
            elif _base(target) in self.shared or target.type != "field_expression":
                return None
            else:
                changed.add(_base(target))
        return changed if stores else None

    def _candidates(self, statement: Node, changed: set[bytes]) -> list[Node]:
        found = []
        stack = [statement]
        while stack:
            node = stack.pop()
            operator = text_of(node, "operator")
            if node.type in (
                "conditional_expression",
                "pointer_expression",
                "sizeof_expression",
            ) or (node.type == "binary_expression" and operator in (b"&&", b"||")):
                continue
            if node.type == "subscript_expression" and _base(node) in self.shared:
                if self._is_fixed(node, changed):
                    found.append(node)
                continue
            stack.extend(node.named_children)
        return found

    def _is_fixed(self, load: Node, changed: set[bytes]) -> bool:
        text = text_of(load)
        if any(mark in text for mark in (b"//", b"/*", b"#")):
            return False
        array: Node | None = load
        while array is not None and array.type == "subscript_expression":
            for part in array.named_children[1:]:
                for inner in descendants(part):
                    if inner.type not in INDEX or (
                        inner.type == "field_expression" and not FIXED.fullmatch(text_of(inner))
                    ):
                        return False
                    if inner.type == "identifier" and text_of(inner) in changed:
                        return False
            array = array.child_by_field_name("argument")
        return array is not None and array.type == "identifier"
