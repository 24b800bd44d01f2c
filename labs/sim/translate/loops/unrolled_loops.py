"""Which loops nvcc unrolls by four although their length is known only when they begin.

Lanes with different trip counts then run different copies of the body, so their accesses are not
one instruction of the warp. nvcc's middle end (as LLVM's pass does) unrolls an innermost loop whose
number of rounds can be computed when it begins, and whose body has no other exit and nothing
convergent: by four while a round has at most about 50 instructions, by two up to 100. A step that
is written with blockDim or gridDim in the loop's head prevents it. The rounds left over when the
number is divided by four go first, unless an integer that the loop changes begins as a constant;
then they go last. Its assembler unrolls the loop of four rounds once more, to 16, 8 and 4, if the
step is a constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from labs.sim.translate.reader.pragmas import Pragmas
from labs.sim.translate.reader.tree import children_of, descendants, text_of

UNROLLED, REMAINDER_LAST, COUNTED, BY_TWO, WHOLE = 1, 2, 4, 8, 16  # as in sim/marks.h
MOST_FOR_FOUR, MOST_FOR_TWO = 50, 100  # instructions of a round
COSTS = {"subscript_expression": 3, "pointer_expression": 2, "binary_expression": 1,
         "unary_expression": 1, "update_expression": 1, "call_expression": 1,
         "conditional_expression": 2, "if_statement": 2}  # fmt: skip
LOOP_COST = 3  # to count, compare and jump

LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
COMPARISONS = (b"<", b"<=", b">", b">=", b"!=")
EXITS = ("break_statement", "return_statement", "goto_statement", "labeled_statement",
         "lambda_expression")  # fmt: skip
CONVERGENT = re.compile(rb"__(?:sync|shfl|ballot|any|all|match|reduce|activemask|bar|threadfence)")
PURE_CALL = re.compile(rb"(?:u?ll?)?(?:min|max)$")
INTEGER = re.compile(rb"\b(?:int|unsigned|long|short|char|size_t|u?int\d+_t)\b")


def changed(node: Node) -> list[bytes]:
    """What assignments in it change, once for each."""
    names = []
    for part in descendants(node):
        if part.type == "assignment_expression":
            names.append(text_of(part, "left"))
        elif part.type == "update_expression" or (
            part.type == "pointer_expression" and text_of(part)[:1] == b"&"
        ):
            names.append(text_of(part, "argument"))
    return names


def _cost(node: Node) -> int:
    """About how many instructions the middle end counts for it."""
    total = 0
    for part in descendants(node):
        total += COSTS.get(part.type, 0)
        if part.type == "assignment_expression":
            total += text_of(part, "operator") != b"="
    return total


def _is_literal(node: Node | bool | None) -> bool:
    return isinstance(node, Node) and re.fullmatch(rb"-?\d\w*", text_of(node)) is not None


def _step(node: Node, name: bytes) -> Node | bool | None:
    """What is added to a variable in each round: True for one, None if it is not clear."""
    if node.type == "expression_statement":
        node = (children_of(node) or [node])[0]
    if node.type == "update_expression":
        return True if text_of(node, "argument") == name else None
    if node.type == "assignment_expression":
        is_sum = text_of(node, "operator") in (b"+=", b"-=")
        if is_sum and text_of(node, "left") == name:
            return node.child_by_field_name("right")
    return None


def _comparisons(condition: Node) -> list[Node] | None:
    """The comparisons that all must hold, or None if it is something else."""
    if condition.type in ("condition_clause", "parenthesized_expression"):
        inner = children_of(condition)
        return _comparisons(inner[0]) if len(inner) == 1 else None
    if condition.type != "binary_expression":
        return None
    operator = text_of(condition, "operator")
    if operator == b"&&":
        sides = [_comparisons(c) for c in children_of(condition)]
        return None if None in sides else [c for side in sides for c in side or []]
    return [condition] if operator in COMPARISONS else None


def _is_invariant(node: Node, changed: list[bytes]) -> bool:
    """Does it have one value while the loop runs, and read no memory that a store may change?"""
    for part in descendants(node):
        if part.type in ("subscript_expression", "pointer_expression"):
            return False
        if part.type == "field_expression" and b"->" in text_of(part):
            return False
        if part.type == "call_expression" and not PURE_CALL.match(text_of(part, "function")):
            return False
        if part.type == "identifier" and text_of(part) in changed:
            return False
    return True


def _is_step(step: Node, changed: list[bytes]) -> bool:
    return _is_invariant(step, changed) and not re.search(rb"\b(?:block|grid)Dim\b", text_of(step))


def _begins_constant(loop: Node, changed: list[bytes]) -> bool:
    """Is a changed integer declared as a constant just before the loop?"""
    before = loop.prev_named_sibling
    while before is not None and before.type in ("declaration", "comment"):
        if INTEGER.search(text_of(before, "type")):
            for part in before.named_children:
                if (
                    part.type == "init_declarator"
                    and _is_literal(part.child_by_field_name("value"))
                    and text_of(part, "declarator") in changed
                ):
                    return True
        before = before.prev_named_sibling
    return False


def unrolling(loop: Node, pragmas: Pragmas, has_calls: Callable[[Node], bool]) -> int:
    """How nvcc unrolls the loop: 0, or UNROLLED and more. has_calls: has a statement calls or
    loops?"""
    body, condition = loop.child_by_field_name("body"), loop.child_by_field_name("condition")
    if loop.type not in ("for_statement", "while_statement") or body is None or condition is None:
        return 0
    if pragmas.before(loop.start_byte) is not None or has_calls(body) or has_calls(condition):
        return 0
    if any(
        part.type in EXITS or (part.type == "call_expression" and CONVERGENT.match(text_of(part)))
        for part in descendants(body)
    ):
        return 0
    update = loop.child_by_field_name("update")
    changes = changed(body) + (changed(update) if update is not None else [])
    comparisons = _comparisons(condition)
    if not comparisons:
        return 0
    name, step = b"", None
    for comparison in comparisons:
        left = comparison.child_by_field_name("left")
        right = comparison.child_by_field_name("right")
        if left is None or right is None or left.type != "identifier":
            return 0
        if (name and text_of(left) != name) or not _is_invariant(right, changes):
            return 0
        name = text_of(left)
    inner = children_of(body)
    last = update if update is not None or not inner else inner[-1]
    if last is not None and body.type in ("compound_statement", "expression_statement"):
        step = _step(last, name)
    if step is None or changes.count(name) != 1:
        return 0
    if step is not True and not (isinstance(step, Node) and _is_step(step, changes)):
        return 0
    cost = _cost(body) + LOOP_COST
    if cost > MOST_FOR_TWO:
        return 0
    if cost > MOST_FOR_FOUR:
        is_counted_again, width = False, BY_TWO
    else:
        is_counted_again, width = True, 0
    first = loop.child_by_field_name("initializer")
    values = [p.child_by_field_name("value") or p.child_by_field_name("right")
              for p in descendants(first)] if first is not None else []  # fmt: skip
    is_last = any(_is_literal(v) for v in values) or _begins_constant(loop, changes)
    is_counted = is_counted_again and (step is True or _is_literal(step))
    return UNROLLED | width | (REMAINDER_LAST if is_last else 0) | (COUNTED if is_counted else 0)
