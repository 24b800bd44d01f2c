"""Which values of a device function surely depend on the launch, so that no compiler knows them.

No #pragma unroll makes straight code of a loop whose length is one: g++ would copy its body as
often as the pragma allows, with a test in front of each copy.
"""

from __future__ import annotations

from tree_sitter import Node

from labs.sim.translate.reader.tree import descendants, text_of


def known_at_run_time(function: Node, is_kernel: bool) -> set[bytes]:
    """The names in a function whose values surely depend on the launch: an argument of a kernel,
    and what is made of one or of the thread's index. What a function is given may be a constant
    once the compiler has inlined it."""
    names = {b"threadIdx", b"blockIdx", b"blockDim", b"gridDim"}
    others: set[bytes] = set()  # may be constants
    for node in sorted(descendants(function), key=lambda node: node.start_byte):
        name = node.child_by_field_name("declarator")
        if name is None or name.type != "identifier":
            continue
        if node.type == "init_declarator":
            depends = is_made_of(node.child_by_field_name("value"), names)
        else:
            depends = is_kernel and node.type == "parameter_declaration"
            depends = depends and _is_of(function, node)
        (names if depends else others).add(text_of(name))
    return names - others


def _is_of(function: Node, parameter: Node) -> bool:
    """Is it a parameter of the function, not of a lambda in it?"""
    body = function.child_by_field_name("body")
    return body is None or parameter.end_byte <= body.start_byte


def is_made_of(node: Node | None, names: set[bytes]) -> bool:
    """Is one of the names in an expression?"""
    found = descendants(node) if node is not None else []
    return any(d.type == "identifier" and text_of(d) in names for d in found)
