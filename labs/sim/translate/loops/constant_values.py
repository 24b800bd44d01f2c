"""Integers that nvcc knows when it compiles a file: constants, and parameters of templates."""

from __future__ import annotations

import re

from tree_sitter import Node

from labs.sim.translate.reader.tree import text_of

LITERAL = re.compile(rb"-?(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlL]*")
NUMBERED = ("for_statement", "compound_statement", "function_definition", "lambda_expression")


def _quotient(a: int, b: int) -> int | None:
    """As C divides: towards zero."""
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    quotient = _quotient(a, b)
    return None if quotient is None else a - quotient * b


class Constants:
    """The constants of one file. `local` holds those of the function that is looked at."""

    def __init__(self, root: Node) -> None:
        self.values: dict[bytes, int] = {}
        self.local: dict[bytes, int] = {}
        self.known: set[bytes] = set()  # constants whose value is not known here
        self.bit_fields: set[bytes] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node.type == "enumerator":
                self._add(node.child_by_field_name("name"), node.child_by_field_name("value"))
            elif node.type == "declaration":
                self._declaration(node)
            elif node.type == "template_parameter_list":
                for part in node.named_children:
                    if re.match(rb"(?:const\s+)?(?:unsigned|int|long|short|size_t|bool|auto)\b",
                                text_of(part)):  # fmt: skip
                        name = re.search(rb"(\w+)\s*(?:=.*)?$", text_of(part))
                        self.known |= {name[1]} if name else set()
            elif node.type == "field_declaration" and any(
                c.type == "bitfield_clause" for c in node.named_children
            ):
                self.bit_fields |= {
                    text_of(c) for c in node.named_children if c.type == "field_identifier"
                }
            stack.extend(reversed(node.named_children) if node.type not in NUMBERED else [])

    def _declaration(self, node: Node) -> None:
        text = text_of(node)
        if re.match(rb"(?:\w+\s+)*?(?:const|constexpr)\b", text) and not re.search(
            rb"\b__(?:device|constant|shared|managed)__\b", text
        ):
            for part in node.named_children:
                if part.type == "init_declarator":
                    self._add(
                        part.child_by_field_name("declarator"), part.child_by_field_name("value")
                    )

    def _add(self, name: Node | None, value: Node | None) -> None:
        if name is None or name.type != "identifier":
            return
        found = self.value(value) if value is not None else None
        if found is None:
            self.known.add(text_of(name))
        else:
            self.values[text_of(name)] = found

    def is_known(self, name: bytes) -> bool:
        return name in self.known or name in self.values or name in self.local

    def value(self, node: Node | None) -> int | None:
        """The value of an expression, or None."""
        if node is None:
            return None
        if node.type == "number_literal":
            found = LITERAL.fullmatch(text_of(node))
            octal = found is not None and re.match(rb"0\d", found[1])
            if found is None or octal:
                return None
            return int(found[1], 0) * (-1 if text_of(node)[:1] == b"-" else 1)
        if node.type == "identifier":
            return self.local.get(text_of(node), self.values.get(text_of(node)))
        if node.type == "parenthesized_expression":
            return self.value(node.named_children[0]) if node.named_child_count == 1 else None
        if node.type == "cast_expression":
            kind = text_of(node, "type")
            is_integer = kind in (b"int", b"unsigned", b"unsigned int", b"long", b"size_t")
            return self.value(node.child_by_field_name("value")) if is_integer else None
        if node.type == "unary_expression":
            inner = self.value(node.child_by_field_name("argument"))
            sign = text_of(node, "operator")
            if inner is None or sign not in (b"-", b"+", b"~"):
                return None
            return {b"-": -inner, b"+": inner, b"~": ~inner}[sign]
        if node.type == "binary_expression":
            left = self.value(node.child_by_field_name("left"))
            right = self.value(node.child_by_field_name("right"))
            if left is None or right is None:
                return None
            return self.after(text_of(node, "operator"), left, right)
        return None

    @staticmethod
    def after(operator: bytes, a: int, b: int) -> int | None:
        """a operator b, or None."""
        if operator in (b"<<", b">>") and not 0 <= b < 32:
            return None
        simple = {b"+": a + b, b"-": a - b, b"*": a * b, b"&": a & b, b"|": a | b,
                  b"/": _quotient(a, b), b"%": _remainder(a, b)}  # fmt: skip
        if operator in (b"<<", b">>"):
            return a << b if operator == b"<<" else a >> b
        return simple.get(operator)
