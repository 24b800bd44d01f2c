"""Accesses that nvcc may merge with neighbours, and what it knows of their addresses.

nvcc makes one access of up to 16 bytes of several neighbouring ones in a basic block, if it can
prove that their common address is a multiple of that. Two kinds of expressions are tagged for the
replay (labs/sim/src/profile/merged_accesses.h says what it merges):

- elements of an array in shared memory, which begins at a multiple of 16 bytes: the index is a sum
  of which some terms are known when nvcc compiles (constants, variables of loops that it unrolls
  completely) and of which the others are multiples of a constant, as in s[4 * threadIdx.x + 1];
- fields of p[i], where p is a parameter of the kernel, of which several are read or written: they
  are as aligned as the type of p[i].

A window is a basic block as nvcc sees it; their numbers rise with those of the marks
(control_flow/marks.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from tree_sitter import Node

from labs.sim.translate.loops.constant_values import Constants
from labs.sim.translate.loops.unrolled_loops import BY_TWO, REMAINDER_LAST, UNROLLED
from labs.sim.translate.loops.whole_loops import stride, variable
from labs.sim.translate.reader.tree import descendants, text_of

# As in sim/marks.h; what is added to the kind of a load for a store.
SHARED, GLOBAL, READ_ONLY, STORE = 1, 2, 3, 3
CONDITIONAL = ("conditional_expression", "lambda_expression", "sizeof_expression")
CHANGES = ("assignment_expression", "update_expression")


@dataclass(frozen=True)
class Multiple:
    """What nvcc knows of an integer: it is a multiple of `of` but for a constant that it knows, and
    a multiple of `whole` altogether. 0: it knows the integer."""

    of: int
    whole: int

    def plus(self, other: Multiple) -> Multiple:
        return Multiple(math.gcd(self.of, other.of), math.gcd(self.whole, other.whole))

    def times(self, other: Multiple) -> Multiple:
        """(a + of * m) * (b + other.of * n), of which a and b are known."""
        mine, its = math.gcd(self.of, self.whole), math.gcd(other.of, other.whole)
        of = math.gcd(self.of * its, other.of * mine)
        return Multiple(of, self.whole * other.whole)


UNKNOWN = Multiple(1, 1)
KNOWN = Multiple(0, 1)


@dataclass(frozen=True)
class Loop:
    """A loop around an expression. how: as unrolled_loops.py says; copies: its rounds are copies in
    one block, of which nvcc knows the variable."""

    variable: bytes
    multiple: Multiple
    how: int

    @property
    def copies(self) -> int:
        if not self.how & UNROLLED or not self.how & REMAINDER_LAST:
            return 0
        return 2 if self.how & BY_TWO else 4


class Function:
    """The accesses of one kernel, or of a device function whose marks say where it begins and
    ends."""

    def __init__(self, function: Node, constants: Constants) -> None:
        self.constants = constants
        self.loops: list[Loop] = []
        self.shared: set[bytes] = set()  # arrays
        self.parameters: dict[bytes, int] = {}  # pointers to what is in global memory: its space
        self.values: dict[bytes, Node] = {}  # of variables that are set once
        self.fields: dict[tuple[bytes, bool], set[bytes]] = {}  # read, or stored, of each p[i]
        self.looking: set[bytes] = set()
        nodes = descendants(function)
        declared: dict[bytes, int] = {}
        for node in nodes:
            if node.type == "declaration":
                self._declaration(node, declared)
            elif node.type == "parameter_declaration":
                self._parameter(node, declared)
        changed = {self._changed(n) for n in nodes if n.type in (*CHANGES, "pointer_expression")}
        for name in list(declared):
            if declared[name] > 1 or name in changed:
                self.values.pop(name, None)
                self.parameters.pop(name, None)
            if declared[name] > 1:
                self.shared.discard(name)
        constants.local = {}
        for name, value in self.values.items():
            known = constants.value(value)
            if known is not None:
                constants.local[name] = known
        for node in nodes:
            element = self._element(node)
            if element is not None:
                which = element, self._is_stored(node)
                self.fields.setdefault(which, set()).add(text_of(node, "field"))

    def _declaration(self, node: Node, declared: dict[bytes, int]) -> None:
        is_shared = re.search(rb"\b__shared__\b", text_of(node)) is not None
        for part in node.named_children:
            value = part.child_by_field_name("value") if part.type == "init_declarator" else None
            name = part.child_by_field_name("declarator") if value is not None else part
            is_array = False
            while name is not None and name.type in ("array_declarator", "pointer_declarator"):
                is_array = is_array or name.type == "array_declarator"
                name = name.child_by_field_name("declarator")
            if name is None or name.type != "identifier":
                continue
            declared[text_of(name)] = declared.get(text_of(name), 0) + 1
            if is_shared and is_array:
                self.shared.add(text_of(name))
            elif value is not None:
                self.values[text_of(name)] = value

    def _parameter(self, node: Node, declared: dict[bytes, int]) -> None:
        text = text_of(node)
        name = re.search(rb"(\w+)\s*$", text)
        if name is None:
            return
        declared[name[1]] = declared.get(name[1], 0) + 1
        if text.count(b"*") == 1 and b"volatile" not in text and b"[" not in text:
            is_read_only = b"restrict" in text and re.search(rb"\bconst\b[^*]*\*", text)
            self.parameters[name[1]] = READ_ONLY if is_read_only else GLOBAL

    def _changed(self, node: Node) -> bytes:
        """The variable that this expression changes, or may change."""
        if node.type == "assignment_expression":
            return text_of(node, "left")
        if node.type == "pointer_expression" and text_of(node)[:1] != b"&":
            return b""
        return text_of(node, "argument")

    @staticmethod
    def _is_stored(node: Node) -> bool:
        """Is it the left side of `=`?"""
        parent = node.parent
        if parent is None or parent.type != "assignment_expression":
            return False
        operator = text_of(parent, "operator")
        return parent.child_by_field_name("left") == node and operator == b"="

    # ---- what nvcc knows of an index

    def multiple(self, node: Node | None, without: bytes = b"") -> Multiple:
        """without: the variable of a loop, which counts as known."""
        if node is None:
            return UNKNOWN
        value = self.constants.value(node)
        if value is not None:
            return Multiple(0, abs(value))
        if node.type == "identifier":
            return self._variable(text_of(node), without)
        if node.type in ("parenthesized_expression", "cast_expression"):
            return self.multiple(node.named_children[-1], without)
        if node.type != "binary_expression":
            return UNKNOWN
        left = self.multiple(node.child_by_field_name("left"), without)
        right = self.multiple(node.child_by_field_name("right"), without)
        count = self.constants.value(node.child_by_field_name("right"))
        operator = text_of(node, "operator")
        if operator in (b"+", b"-"):
            return left.plus(right)
        if operator == b"*":
            return left.times(right)
        if operator == b"<<" and count is not None and 0 <= count < 32:
            return left.times(Multiple(0, 1 << count))
        if operator == b"&" and count is not None and count < 0:
            return Multiple(-count & count, -count & count)
        if left.of == right.of == 0:
            return KNOWN
        return UNKNOWN

    def _variable(self, name: bytes, without: bytes) -> Multiple:
        if name == without:
            return KNOWN
        for loop in reversed(self.loops):
            if loop.variable == name:
                return loop.multiple
        if self.constants.is_known(name):
            return KNOWN
        if name not in self.values or name in self.looking:
            return UNKNOWN
        self.looking.add(name)
        found = self.multiple(self.values[name], without)
        self.looking.discard(name)
        return found

    # ---- the accesses

    def _element(self, node: Node) -> bytes | None:
        """The p[i] of which this is a field, as it is written."""
        if node.type != "field_expression" or b"->" in text_of(node):
            return None
        base = node.child_by_field_name("argument")
        if base is None or base.type != "subscript_expression":
            return None
        if text_of(base, "argument") not in self.parameters:
            return None
        return b" ".join(text_of(base).split())

    def tags(self, statement: Node, windows: tuple[int, int]) -> list[tuple[int, str]]:
        """What to insert into a statement. windows: for shared and for global memory."""
        inserts: list[tuple[int, str]] = []
        stack = [statement]
        while stack:
            node = stack.pop()
            if node.type in CONDITIONAL:
                stack += node.named_children[:1] if node.type == CONDITIONAL[0] else []
                continue
            operator = text_of(node, "operator")
            if node.type == "binary_expression" and operator in (b"&&", b"||", b"and", b"or"):
                stack += node.named_children[:1]
                continue
            if node.type == "pointer_expression" and text_of(node)[:1] == b"&":
                stack += node.named_children[0].named_children[1:]
                continue
            call = node.parent if node.type == "field_expression" else None
            if call and call.type == "call_expression" and call.named_children[0] == node:
                stack += node.named_children[0].named_children[1:]  # s[i].method()
                continue
            tag = self._tag(node, windows)
            if tag is not None:
                inserts += [(node.start_byte, f"sim_neighbour<{tag}>("), (node.end_byte, ")")]
            stack += node.named_children[1:] if tag is not None else node.named_children
        return inserts

    def _tag(self, node: Node, windows: tuple[int, int]) -> str | None:
        element, is_stored = self._element(node), self._is_stored(node)
        if element is not None:
            field = text_of(node, "field")
            if len(self.fields[element, is_stored]) < 2 or field in self.constants.bit_fields:
                return None
            base = node.child_by_field_name("argument")
            name = text_of(base.child_by_field_name("argument") if base else None)
            kind = GLOBAL + STORE if is_stored else self.parameters[name]
            return f"{windows[1]}, {kind}, alignof(decltype({name.decode()}[0])), 0"
        array = node
        indices: list[Node] = []
        if array.type == "field_expression" and b"->" not in text_of(array):
            if text_of(array, "field") in self.constants.bit_fields:
                return None
            array = array.child_by_field_name("argument") or array
        while array.type == "subscript_expression":
            index = array.child_by_field_name("indices") or array.child_by_field_name("index")
            if index is None:
                return None
            inner = [c for c in index.named_children if c.type != "comment"]
            is_list = index.type == "subscript_argument_list"
            indices.insert(0, inner[0] if is_list and len(inner) == 1 else index)
            array = array.child_by_field_name("argument") or array
        if not indices or text_of(array) not in self.shared:
            return None
        kind = SHARED + STORE if is_stored else SHARED
        return f"{windows[0]}, {kind}, {self._known(text_of(array).decode(), indices)}"

    def _known(self, name: str, indices: list[Node]) -> str:
        """Of what an element's address is a multiple, and of how many copies."""
        known, copies = "0", 0
        for index in indices:
            name += "[0]"
            multiple = self.multiple(index).of
            if multiple:
                known = f"sim_gcd({known}, {multiple} * sizeof({name}))"
        for loop in self.loops:
            if loop.copies and any(self._uses(index, loop.variable) for index in indices):
                others = [self.multiple(index, loop.variable).of for index in indices]
                copies = loop.copies if any(others) else copies
        return f"{known}, {copies}"

    def _uses(self, node: Node, variable: bytes) -> bool:
        return any(
            part.type == "identifier" and text_of(part) == variable for part in descendants(node)
        )


def loop_around(node: Node, how: int, is_copied: bool, constants: Constants) -> Loop:
    """A loop, for the loads in it. is_copied: nvcc unrolls it completely."""
    name, first = variable(node)
    if is_copied:
        return Loop(name, KNOWN, 0)
    begin, step = constants.value(first), stride(node, name, constants)
    if begin is None or step is None:
        return Loop(name, UNKNOWN, how)
    of = step * max(Loop(name, UNKNOWN, how).copies, 1)
    return Loop(name, Multiple(of, math.gcd(of, begin, step)), how)


def is_block(node: Node, is_heavy: Callable[[Node], bool], is_copied: Callable[[Node], bool],
             in_global: bool) -> bool:  # fmt: skip
    """Does nvcc keep a statement in the basic block around it? is_copied: a loop that it unrolls
    completely."""
    if node.type in ("for_statement", "while_statement"):
        body = node.child_by_field_name("body")
        return (
            is_copied(node) and body is not None and is_block(body, is_heavy, is_copied, in_global)
        )
    if node.type == "if_statement":
        parts = descendants(node)
        return not is_heavy(node) and not any(
            part.type in JUMPS or (in_global and part.type in ACCESSES) for part in parts
        )
    if node.type in ("compound_statement", "else_clause"):
        return all(is_block(c, is_heavy, is_copied, in_global) for c in node.named_children)
    return node.type not in (*JUMPS, "switch_statement", "do_statement", "for_range_loop")


JUMPS = ("break_statement", "continue_statement", "return_statement", "goto_statement",
         "labeled_statement")  # fmt: skip
ACCESSES = ("subscript_expression", "pointer_expression", "field_expression", "call_expression")
