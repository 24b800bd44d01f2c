"""The program's own structures: the runtime must know their alignment.

g++ reports a copy of a structure as so many bytes. nvcc copies it in pieces of its alignment, where
the address tells it no more.
"""

from __future__ import annotations

import re

from tree_sitter import Node

KINDS = ("struct_specifier", "class_specifier")
# Types that are less aligned than their fields, or than their elements. An attribute makes a
# structure more aligned, never less; a new name may be less aligned, too.
_IN_ATTRIBUTE = rb"\b__attribute(?:__)?\s*\(\s*\((?:[^;{}()]|\([^;{}]*?\))*?\b(?:__)?"
PACKED = re.compile(
    _IN_ATTRIBUTE + rb"packed(?:__)?\b"
    rb"|\bgnu\s*::\s*packed\b|\bpragma\s+pack\b"
    rb"|\b(?:typedef|using)\b[^;{}]*"
    + _IN_ATTRIBUTE
    + rb"aligned(?:__)?\s*\((?!\s*(?:[48]|\d\d+)\s*\))"
)
SCOPES = ("translation_unit", "declaration_list")  # of a namespace, or of extern "C"


def _name(node: Node | None) -> str | None:
    if node is None or node.type != "type_identifier" or node.text is None:
        return None
    return node.text.decode(errors="replace")


def layout(node: Node) -> tuple[str, int] | None:
    """The name of a structure that is defined outside of functions and templates, and where the
    definition ends."""
    if node.parent is None or node.parent.type not in SCOPES or node.has_error:
        return None
    name, after = None, node.next_sibling
    if node.type in KINDS and node.child_by_field_name("body") is not None:
        name = _name(node.child_by_field_name("name"))
        after = node.next_sibling if node.text and node.text[-1:] != b";" else node
    elif node.type == "type_definition":
        kind = node.child_by_field_name("type")
        if kind is not None and kind.type in KINDS and kind.child_by_field_name("body"):
            name, after = _name(node.child_by_field_name("declarator")), node
    if name is None or after is None or (after.text or b"")[-1:] != b";":
        return None
    return name, after.end_byte
