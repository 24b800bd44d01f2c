"""The program's own structures: the runtime must know their alignment.

g++ reports a copy of a structure as so many bytes. nvcc copies it in pieces of its alignment, where
the address tells it no more. Where structures of one size differ in alignment, nothing says
which one a copy is of: it counts as one of the least aligned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from labs.sim.translate.reader.tree import descendants

KINDS = ("struct_specifier", "class_specifier")
ALL_KINDS = (*KINDS, "union_specifier")
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


def own_name(node: Node) -> str | None:
    """The name of a structure that is defined outside of functions and templates."""
    if node.parent is None or node.parent.type not in SCOPES or node.has_error:
        return None
    if node.type in KINDS and node.child_by_field_name("body") is not None:
        return _name(node.child_by_field_name("name"))
    return _name(_defines(node))


def _defines(node: Node) -> Node | None:
    """What `typedef struct { ... } name;` declares, for any kind of structure."""
    kind = node.child_by_field_name("type") if node.type == "type_definition" else None
    if kind is None or kind.type not in ALL_KINDS or kind.child_by_field_name("body") is None:
        return None
    return node.child_by_field_name("declarator")


def layouts(root: Node) -> Iterator[tuple[int, str]]:
    """Each structure that is defined anywhere: where a declaration may name it, and its name. That
    is in its own body, also of a template's; or behind a typedef of one that has no name."""
    for node in descendants(root):
        if node.type in ALL_KINDS:
            body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
            while name is not None and name.type in ("template_type", "qualified_identifier"):
                name = name.child_by_field_name("name")
            text = _name(name)
            if body is not None and text is not None:
                yield body.start_byte + 1, text
        elif (of := _name(_defines(node))) is not None and (node.text or b"")[-1:] == b";":
            kind = node.child_by_field_name("type")
            if kind is not None and kind.child_by_field_name("name") is None:
                yield node.end_byte, of
