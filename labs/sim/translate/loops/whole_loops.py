"""Which loops nvcc unrolls completely: their rounds become one piece of straight code.

The number of rounds is a constant, and the code of all rounds, with the loops in it, is not too
long: nvcc's middle end unrolls while that is less than about a thousand instructions. A
#pragma unroll unrolls whatever its length.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from labs.sim.translate.loops.constant_values import Constants
from labs.sim.translate.loops.unrolled_loops import COSTS, LOOP_COST, LOOPS
from labs.sim.translate.reader.pragmas import Pragmas
from labs.sim.translate.reader.tree import text_of

# In the units of COSTS, without comparisons: nvcc 13.0 unrolls 121 rounds of `sum += s[k] * in[i]`
# (cost 9) and not 128; 81 of the body of a 9x9 mask with a border test (14), not of a minimum (20).
MOST = 1140
MOST_ROUNDS = 1024
FREE = (b"<", b"<=", b">", b">=", b"==", b"!=", b"&&", b"||")


def _step(update: Node | None, name: bytes, constants: Constants) -> tuple[bytes, int] | None:
    """What a round does to the variable: an operator and a number."""
    if update is None:
        return None
    if update.type == "update_expression" and text_of(update, "argument") == name:
        return (b"+" if b"++" in text_of(update) else b"-"), 1
    if update.type == "assignment_expression" and (text_of(update, "left") == name):
        operator = text_of(update, "operator")
        value = constants.value(update.child_by_field_name("right"))
        if value is not None and operator in (b"+=", b"-=", b"*=", b"/=", b">>=", b"<<="):
            return operator[:-1], value
    return None


def _holds(operator: bytes, value: int, bound: int) -> bool:
    return {b"<": value < bound, b"<=": value <= bound, b">": value > bound,
            b">=": value >= bound, b"!=": value != bound}.get(operator, False)  # fmt: skip


def variable(loop: Node) -> tuple[bytes, Node | None]:
    """The variable that a for loop begins by setting, and its first value; b"" if unclear."""
    first = loop.child_by_field_name("initializer") if loop.type == "for_statement" else None
    if first is None:
        return b"", None
    part = next((c for c in first.named_children if c.type == "init_declarator"), first)
    if part.type == "init_declarator":
        return (
            text_of(part, "declarator"),
            part.child_by_field_name("value"),
        )
    if first.type == "expression_statement" and first.named_child_count == 1:
        part = first.named_children[0]
    if part.type != "assignment_expression":
        return b"", None
    return text_of(part, "left"), part.child_by_field_name("right")


def stride(loop: Node, name: bytes, constants: Constants) -> int | None:
    """How much a round adds to the variable or takes from it, if that is a constant."""
    step = _step(loop.child_by_field_name("update"), name, constants)
    return abs(step[1]) if step is not None and step[0] in (b"+", b"-") else None


def rounds(loop: Node, constants: Constants) -> int | None:
    """How many rounds a for loop makes, if that is a constant; whatever breaks it off."""
    name, first = variable(loop)
    condition = loop.child_by_field_name("condition")
    value = constants.value(first)
    step = _step(loop.child_by_field_name("update"), name, constants)
    if not name or value is None or step is None or condition is None:
        return None
    if condition.type != "binary_expression" or text_of(condition.named_children[0]) != name:
        return None
    bound = constants.value(condition.child_by_field_name("right"))
    if bound is None:
        return None
    count = 0
    while _holds(text_of(condition, "operator"), value, bound):
        count += 1
        value = constants.after(step[0], value, step[1]) or 0
        if count > MOST_ROUNDS:
            return None
    return count


def _cost(node: Node, constants: Constants, pragmas: Pragmas) -> int | None:
    """What the code of a statement costs, once its loops are unrolled; None if one is not."""
    if node.type in LOOPS:
        return _whole_cost(node, constants, pragmas)
    total = COSTS.get(node.type, 0)
    operator = text_of(node, "operator")
    is_free = node.type == "binary_expression" and operator in FREE
    if is_free or node.type == "if_statement":
        total = 0
    if node.type == "assignment_expression":
        total += operator != b"="
    for child in node.named_children:
        cost = _cost(child, constants, pragmas)
        if cost is None:
            return None
        total += cost
    return total


def _whole_cost(loop: Node, constants: Constants, pragmas: Pragmas) -> int | None:
    body = loop.child_by_field_name("body")
    count = rounds(loop, constants)
    if loop.type != "for_statement" or body is None or count is None:
        return None
    cost = _cost(body, constants, pragmas)
    return None if cost is None else count * (cost or LOOP_COST)


def is_whole(loop: Node, constants: Constants, pragmas: Pragmas) -> bool:
    """Does nvcc unroll it completely?"""
    given = pragmas.before(loop.start_byte)
    if given is not None:
        number = re.search(rb"unroll\W*(\d+)?", given)
        if b"nounroll" in given or number is None:
            return False
        count = rounds(loop, constants)
        if number[1] is not None and (count is None or int(number[1]) < count):
            return False
        return count is not None or _is_constant(loop, constants)
    cost = _whole_cost(loop, constants, pragmas)
    return cost is not None and cost <= MOST


def _is_constant(loop: Node, constants: Constants) -> bool:
    """Does the number of rounds depend on constants alone, whatever their values?"""
    name, first = variable(loop)
    condition = loop.child_by_field_name("condition")
    if not name or first is None or condition is None:
        return False
    stack = [first, condition]
    while stack:
        node = stack.pop()
        stack += node.named_children
        if node.type in ("call_expression", "field_expression", "subscript_expression"):
            return False
        if (
            node.type == "identifier"
            and text_of(node) != name
            and not constants.is_known(text_of(node))
        ):
            return False
    return True
