"""Constant tables of device functions: nvcc keeps them in global memory, and so does the simulator.

g++ reports no load of what it knows to be constant. Where the index surely depends on the launch,
neither compiler knows the element, so the load is there on a device, too: sim_table() (sim/loads.h)
hides from g++ what it reads. Any other load may be gone once a compiler has unrolled a loop.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from labs.sim.translate.loops.run_time_values import is_made_of
from labs.sim.translate.reader.tree import descendants, text_of

CONSTANT = (b"const", b"constexpr")


def table_loads(body: Node, unknown: set[bytes]) -> Iterator[Node]:
    """What is indexed by a value of the launch: a table of the function, or a string literal.
    unknown: the names that make such a value, those of a kernel's pointers among them."""
    tables = set(_tables(body))
    for node in descendants(body):
        array = node.child_by_field_name("argument")
        if node.type != "subscript_expression" or array is None:
            continue
        is_table = array.type == "string_literal" or (
            array.type == "identifier" and text_of(array) in tables
        )
        index = node.child_by_field_name("indices") or node.child_by_field_name("index")
        if is_table and is_made_of(index, unknown):
            yield array


def _tables(body: Node) -> Iterator[bytes]:
    """The names of the arrays that are static and constant."""
    for node in descendants(body):
        words = {child.text for child in node.children} if node.type == "declaration" else set()
        if b"static" not in words or not words.intersection(CONSTANT):
            continue
        for part in node.named_children:
            array = part.child_by_field_name("declarator")
            name = array.child_by_field_name("declarator") if array is not None else None
            if (
                array is not None
                and array.type == "array_declarator"
                and name is not None
                and name.type == "identifier"
            ):
                yield text_of(name)
