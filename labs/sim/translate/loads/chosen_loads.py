"""Choices between two loads of one type, which nvcc turns into one load of a chosen address.

`c ? a[i] : b[j]` is one load of all lanes on the GPU, whatever c is: nvcc (as LLVM does) sinks the
loads that both arms end with into one. An arm that does more with its value keeps a load of its
own. Only loads through pointers that a function is given are taken: shared memory has other
instructions.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from labs.sim.translate.reader.tree import descendants, text_of

QUALIFIERS = re.compile(rb"\b(?:const|__restrict__|__restrict|restrict|struct)\b|\s+")


def pointer_parameters(function: Node) -> dict[bytes, bytes]:
    """The parameters `T *name` of a function, each with its T, except those whose name is declared
    again in the body."""
    pointers: dict[bytes, bytes] = {}
    for part in descendants(function):
        if part.type != "parameter_declaration":
            continue
        found = re.fullmatch(
            rb"\s*([\w\s:]+?)\s*\*\s*(?:const|__restrict__|__restrict)?\s*(\w+)\s*", text_of(part)
        )
        if found and b"volatile" not in found[1]:
            element = QUALIFIERS.sub(b" ", found[1]).strip()
            pointers[found[2]] = b" ".join(element.split())
    body = function.child_by_field_name("body")
    for part in descendants(body) if body is not None else []:
        if part.type in ("declaration", "parameter_declaration"):
            for name in descendants(part):
                parent = name.parent
                if name.type == "identifier" and parent is not None and (
                    parent.child_by_field_name("declarator") == name
                ):  # fmt: skip
                    pointers.pop(text_of(name), None)
    return pointers


def _loads(node: Node, pointers: dict[bytes, bytes]) -> list[Node] | None:
    """The loads that are the arms of a choice, or the load itself; None if there is more."""
    if node.type == "conditional_expression":
        loads: list[Node] = []
        for field in ("consequence", "alternative"):
            arm = node.child_by_field_name(field)
            found = _loads(arm, pointers) if arm is not None else None
            if found is None:
                return None
            loads += found
        return loads
    if node.type != "subscript_expression":
        return None
    base = node.child_by_field_name("argument")
    if base is None or base.type != "identifier" or text_of(base) not in pointers:
        return None
    for part in descendants(node)[1:]:
        if part.type in ("subscript_expression", "pointer_expression", "call_expression",
                         "conditional_expression", "update_expression", "lambda_expression",
                         "assignment_expression"):  # fmt: skip
            return None
    return [node]


def chosen_loads(node: Node, pointers: dict[bytes, bytes]) -> list[Node]:
    """The loads of a conditional expression that nvcc makes one load; [] if it does not."""
    loads = _loads(node, pointers) or []
    types = {pointers[text_of(load, "argument")] for load in loads}
    return loads if len(types) == 1 else []
