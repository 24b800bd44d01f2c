"""Which loops are straight code in a traced program: every lane that enters one makes the same
accesses in the same order.

A #pragma unroll makes straight code of such a loop, its rounds are constant, and nothing in it is
conditional. So its rounds need no marks (control_marks.py). Each mark is a call, which takes more
of g++'s time than the round itself: 24 000 of them took half the build of lab 4's solution.
"""

from __future__ import annotations

import re

from constant_values import Constants
from syntax_nodes import text_of
from tree_sitter import Node
from unrolled_loops import changed
from whole_loops import pragma, stride, variable

# Calls that every lane makes in the same way, and that no lane waits in.
CALL = re.compile(rb"(?:f?min|f?max|fabsf|fminf|fmaxf|fmaf?|__fmaf_rn|__ldg|make_\w+|sizeof)$")
CONDITIONAL = ("if_statement", "switch_statement", "conditional_expression", "lambda_expression",
               "labeled_statement", "break_statement", "continue_statement", "return_statement",
               "goto_statement", "while_statement", "do_statement", "for_range_loop",
               "try_statement", "ERROR")  # fmt: skip
SHORT_CIRCUIT = (b"&&", b"||", b"and", b"or")
COMPARISONS = (b"<", b"<=", b">", b">=", b"!=")
UNROLL = re.compile(rb"#[ \t]*pragma[ \t]+unroll[ \t]*(?:\n|$)")
NAME = re.compile(rb"[A-Za-z_]\w*")


def constants_of(function: Node) -> set[bytes]:
    """The names that are constexpr wherever the function declares them."""
    constant: set[bytes] = set()
    variables: set[bytes] = set()
    stack = [function]
    while stack:
        node = stack.pop()
        stack += node.named_children
        if node.type in ("init_declarator", "parameter_declaration", "declaration"):
            name = node.child_by_field_name("declarator")
            outer = node.parent if node.type == "init_declarator" else None
            is_constant = outer is not None and re.match(
                rb"(?:(?:static|const)\s+)*constexpr\b", text_of(outer)
            )
            if name is not None and name.type != "init_declarator":
                found = NAME.findall(text_of(name))
                (constant if is_constant and name.type == "identifier" else variables).update(found)
    return constant - variables


def is_straight(loop: Node, constants: Constants, local: set[bytes], source: bytes) -> bool:
    """local: constants_of() the function around the loop."""
    given = pragma(loop, source)
    if given is None or not UNROLL.match(given) or not _counts(loop, constants, local):
        return False
    body = loop.child_by_field_name("body")
    return body is not None and _is_straight(body, constants, local, source)


def _is_straight(node: Node, constants: Constants, local: set[bytes], source: bytes) -> bool:
    if node.type in CONDITIONAL:
        return False
    if (
        node.type == "binary_expression"
        and text_of(node.child_by_field_name("operator")) in SHORT_CIRCUIT
    ):
        return False
    if node.type == "call_expression" and not CALL.match(
        text_of(node.child_by_field_name("function"))
    ):
        return False
    if node.type == "for_statement":
        return is_straight(node, constants, local, source)
    return all(_is_straight(c, constants, local, source) for c in node.named_children)


def _counts(loop: Node, constants: Constants, local: set[bytes]) -> bool:
    """Is it `for (int i = A; i < B; i += C)` with constants, whatever their values?"""
    name, first = variable(loop)
    condition = loop.child_by_field_name("condition")
    body = loop.child_by_field_name("body")
    if not name or first is None or condition is None or body is None:
        return False
    if (
        condition.type != "binary_expression"
        or text_of(condition.named_children[0]) != name
        or text_of(condition.child_by_field_name("operator")) not in COMPARISONS
        or stride(loop, name, constants) is None
        or name in changed(body)
        or re.search(rb"&\s*" + name + rb"\b", text_of(body))
    ):
        return False
    bound = condition.child_by_field_name("right")
    return all(n is not None and _is_constant(n, constants, local) for n in (first, bound))


def _is_constant(node: Node, constants: Constants, local: set[bytes]) -> bool:
    if node.type == "identifier":
        return constants.is_known(text_of(node)) or text_of(node) in local
    if node.type not in ("number_literal", "parenthesized_expression", "unary_expression",
                         "binary_expression"):  # fmt: skip
        return False
    return all(_is_constant(c, constants, local) for c in node.named_children)
