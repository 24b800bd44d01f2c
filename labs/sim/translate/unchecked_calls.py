"""Calls whose result the program ignores, as far as the source shows it."""

from __future__ import annotations

from syntax_tree import below, text
from tree_sitter import Node


def is_unchecked(call: Node) -> bool:
    """Does the program ignore what this call returns?

    It stands alone as a statement, or a variable takes its result and, before anything else
    mentions that variable, takes that of another expression. `(void)call` ignores it on purpose.
    """
    parent = call.parent
    if parent is None:
        return False
    if parent.type == "expression_statement":
        return True
    if parent.type == "assignment_expression":
        target, statement = parent.child_by_field_name("left"), parent.parent
    elif parent.type == "init_declarator":
        target, statement = parent.child_by_field_name("declarator"), parent.parent
    else:
        return False
    if target is None or target.type != "identifier" or statement is None:
        return False
    if statement.type not in ("expression_statement", "declaration"):
        return False
    return _is_overwritten(text(target), statement)


def _is_overwritten(name: str, statement: Node) -> bool:
    """Is the first later statement of the block that mentions the variable an assignment to it?"""
    following = statement.next_named_sibling
    while following is not None:
        if any(text(n) == name for n in below(following) if n.type == "identifier"):
            return _assigns(name, following)
        following = following.next_named_sibling
    return False


def _assigns(name: str, statement: Node) -> bool:
    """`name = expression;` where the expression does not mention it."""
    assignment = statement.named_children[0] if statement.type == "expression_statement" else None
    if assignment is None or assignment.type != "assignment_expression":
        return False
    left = assignment.child_by_field_name("left")
    right = assignment.child_by_field_name("right")
    if left is None or right is None or text(left) != name:
        return False
    return not any(text(n) == name for n in below(right) if n.type == "identifier")
