"""How nvcc reads and writes structures, where g++ copies them as a whole.

nvcc treats a local structure as so many variables. So it reads only the fields of
`float4 v = in[i];` that the function uses (sim_fields says in how many loads); it reads below a
test what is used only there, and it stores `c ? in[i] : make_float4(...)` once. g++ does so with
variables, and not with structures. What to insert is in sim/loads.h.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from labs.sim.translate.reader.tree import children_of, descendants, text_of

FIELDS = ("x", "y", "z", "w")
CACHED = re.compile(rb"__ld(?:g|c[agsv]|lu)$")
TYPE = re.compile(r"(?:u?(?:char|short|int|long|longlong)|float|double)[234]")
PLAIN = ("identifier", "number_literal", "binary_expression", "parenthesized_expression",
         "condition_clause", "field_identifier")  # fmt: skip
BUILT_IN = re.compile(rb"(?:thread|block)Idx\.\w|(?:block|grid)Dim\.\w")


def _is_load(node: Node | None) -> bool:
    if node is None:
        return False
    if node.type == "call_expression":
        return CACHED.match(text_of(node, "function")) is not None
    return node.type == "subscript_expression" or (
        node.type == "pointer_expression" and text_of(node)[:1] == b"*"
    )


class Structures:
    """Those of one function. own: the names of the program's own structures. shared: the arrays in
    shared memory, where nvcc merges fields that are words."""

    def __init__(self, body: Node, own: set[str], shared: set[bytes]) -> None:
        self.own = own
        self.shared = shared
        self.uses: dict[bytes, list[Node]] = {}
        self.declared: dict[bytes, int] = {}
        for node in descendants(body):
            if node.type == "identifier":
                self.uses.setdefault(text_of(node), []).append(node)
                parent = node.parent
                if parent is not None and parent.child_by_field_name("declarator") == node:
                    self.declared[text_of(node)] = self.declared.get(text_of(node), 0) + 1

    def declaration(self, node: Node) -> list[tuple[Node, str, str]]:
        """What to insert around the values of a declaration of structures."""
        kind = " ".join(text_of(node, "type").decode(errors="replace").split())
        if kind not in self.own and TYPE.fullmatch(kind) is None:
            return []
        inserts: list[tuple[Node, str, str]] = []
        test = self._test_below(node)
        for part in node.named_children:
            value = part.child_by_field_name("value") if part.type == "init_declarator" else None
            name = part.child_by_field_name("declarator")
            if value is None or name is None or name.type != "identifier" or not _is_load(value):
                continue
            fields = self._fields(name)
            if not fields or (kind not in self.own and not fields <= set(FIELDS)):
                continue
            if kind in self.own:
                if self.shared & {
                    text_of(used) for used in descendants(value) if used.type == "identifier"
                }:
                    continue
                members = "".join(f", &{kind}::{field}" for field in sorted(fields))
                before, after = "sim_members(", f"{members})"
            else:
                mask = sum(1 << FIELDS.index(field) for field in fields)
                before, after = f"sim_fields<{mask}>(", ")"
            if test is not None:
                before = f"sim_below({test}, [&]() -> decltype(auto) {{ return {before}"
                after += "; })"
            inserts.append((value, before, after))
        return inserts

    def _fields(self, name: Node) -> set[str]:
        """The fields that are read; none if the structure is used otherwise, too."""
        fields: set[str] = set()
        if self.declared.get(text_of(name)) != 1:
            return fields
        for use in self.uses[text_of(name)]:
            parent = use.parent
            if use == name or parent is None:
                continue
            if parent.type != "field_expression" or parent.child_by_field_name("argument") != use:
                return set()
            outer = parent.parent
            if outer is not None and (
                outer.type in ("subscript_expression", "call_expression", "field_expression")
                or (outer.type == "pointer_expression" and text_of(outer)[:1] == b"&")
                or (
                    outer.type == "assignment_expression"
                    and outer.child_by_field_name("left") == parent
                    and text_of(outer, "operator") == b"="
                )
            ):
                return set()
            fields.add(text_of(parent, "field").decode(errors="replace"))
        return fields

    def _test_below(self, node: Node) -> str | None:
        """The condition of the if that follows, if all uses of what is declared are in its body."""
        following = node.next_named_sibling
        if following is None or following.type != "if_statement":
            return None
        condition = following.child_by_field_name("condition")
        arm = following.child_by_field_name("consequence")
        if condition is None or arm is None or following.child_by_field_name("alternative"):
            return None
        text = b" ".join(text_of(condition).split())
        parts = descendants(condition)
        if any(part.type not in (*PLAIN, "field_expression") for part in parts) or any(
            part.type == "field_expression" and not BUILT_IN.fullmatch(text_of(part))
            for part in parts
        ):
            return None
        for part in node.named_children:
            if part.type == "init_declarator":
                name = part.child_by_field_name("declarator")
                for use in self.uses.get(text_of(name), []):
                    if use != name and not arm.start_byte <= use.start_byte < arm.end_byte:
                        return None
        return text.decode()


def chosen_store(node: Node) -> list[tuple[Node, str, str]]:
    """What to insert around the value of `a[i] = c ? b[i] : make_float4(...);`."""
    inner = children_of(node)
    if node.type != "expression_statement" or len(inner) != 1:
        return []
    assignment = inner[0]
    value = assignment.child_by_field_name("right")
    if assignment.type != "assignment_expression" or value is None:
        return []
    while value.type == "parenthesized_expression" and len(children_of(value)) == 1:
        value = children_of(value)[0]
    arms = [value.child_by_field_name(f) for f in ("consequence", "alternative")]
    if value.type != "conditional_expression" or not any(
        arm is not None and re.match(rb"make_\w+\s*\(", text_of(arm)) for arm in arms
    ):
        return []
    return [(value, "sim_chosen(", ")")]
