"""Which loops are straight code in a traced program: every lane that enters one makes the same
accesses in the same order.

nvcc makes straight code of such a loop, because of a #pragma unroll or because it is short; its
rounds are constant, and nothing in it depends on the lane: a condition has only constants and the
counters of such loops. So its rounds need no marks (control_flow/marks.py), nor does a function
that only computes. Each mark is a call, which takes more of g++'s time than the round itself:
24 000 of them took half the build of lab 4's solution.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from labs.sim.translate.loops.constant_values import Constants
from labs.sim.translate.loops.unrolled_loops import changed
from labs.sim.translate.loops.whole_loops import is_whole, stride, variable
from labs.sim.translate.reader.pragmas import Pragmas
from labs.sim.translate.reader.tree import descendants, text_of

# Calls that every lane makes in the same way, and that no lane waits in.
CALL = re.compile(
    rb"(?:f?min|f?max|fabsf|fminf|fmaxf|fmaf?|__(?:[fd](?:add|sub|mul|div)|fmaf?)_r[nzdu]|__ldg"
    rb"|make_\w+|sizeof)$"
)
CONDITIONAL = ("switch_statement", "lambda_expression",
               "labeled_statement", "break_statement", "continue_statement", "return_statement",
               "goto_statement", "while_statement", "do_statement", "for_range_loop",
               "try_statement", "ERROR")  # fmt: skip
CHOICES = ("if_statement", "conditional_expression")
# What a function that only computes does not have: control flow, and accesses to memory.
NOT_COMPUTED = ("for_statement", "if_statement", "switch_statement", "while_statement",
                "do_statement", "for_range_loop", "goto_statement", "labeled_statement",
                "try_statement", "lambda_expression", "subscript_expression",
                "pointer_expression", "field_expression", "reference_declarator",
                "ERROR")  # fmt: skip
SHORT_CIRCUIT = (b"&&", b"||", b"and", b"or")
COMPARISONS = (b"<", b"<=", b">", b">=", b"!=")
UNROLL = re.compile(rb"#[ \t]*pragma[ \t]+unroll[ \t]*(?:\n|$)")
NAME = re.compile(rb"[A-Za-z_]\w*")


def constants_of(function: Node) -> set[bytes]:
    """The names that are constexpr wherever the function declares them."""
    constant: set[bytes] = set()
    variables: set[bytes] = set()
    for node in descendants(function):
        if node.type in ("init_declarator", "parameter_declaration", "declaration"):
            name = node.child_by_field_name("declarator")
            outer = node.parent if node.type == "init_declarator" else None
            is_constant = outer is not None and re.match(
                rb"(?:(?:static|const)\s+)*constexpr\b", text_of(outer)
            )
            while name is not None and name.type == "array_declarator":
                name, is_constant = name.child_by_field_name("declarator"), None
            if name is not None and name.type != "init_declarator":
                found = NAME.findall(text_of(name))
                (constant if is_constant and name.type == "identifier" else variables).update(found)
    return constant - variables


class Straight:
    """The straight code of one file."""

    def __init__(self, root: Node, constants: Constants, pragmas: Pragmas) -> None:
        self.constants = constants
        self.pragmas = pragmas
        self.functions: dict[bytes, list[Node]] = {}  # all definitions, by their name
        self.computing: dict[bytes, bool] = {}
        for node in descendants(root):
            if node.type == "function_definition":
                self.functions.setdefault(_name_of(node), []).append(node)

    def is_straight(self, loop: Node, local: set[bytes]) -> bool:
        """local: what is constant in the function around the loop, and the counters of the straight
        loops around it."""
        given = self.pragmas.before(loop.start_byte)
        body = loop.child_by_field_name("body")
        if body is None or (given is not None and not UNROLL.match(given)):
            return False
        if given is None and not is_whole(loop, self.constants, self.pragmas):
            return False
        counter = self.counter(loop, local)
        return bool(counter) and self._is_straight(body, local | counter)

    def _is_straight(self, node: Node, local: set[bytes]) -> bool:
        if node.type in CONDITIONAL:
            return False
        if node.type == "binary_expression" and (text_of(node, "operator") in SHORT_CIRCUIT):
            return self.is_constant(node, local)
        if node.type == "for_statement":
            return self.is_straight(node, local)
        if node.type in CHOICES and not self.is_constant(
            node.child_by_field_name("condition"), local
        ):
            return False
        if node.type == "call_expression" and not self._is_plain_call(node):
            return False
        return all(self._is_straight(c, local) for c in node.named_children)

    def _is_plain_call(self, call: Node) -> bool:
        function = call.child_by_field_name("function")
        if function is not None and function.type == "template_function":
            function = function.child_by_field_name("name")
        name = text_of(function)
        return bool(CALL.match(name)) or self.only_computes(name)

    def only_computes(self, name: bytes) -> bool:
        """Do all the file's functions of this name only compute a value from their arguments, in
        the same way in every lane?"""
        if name not in self.computing:
            self.computing[name] = False  # while it is looked at: a recursion does more
            found = self.functions.get(name, [])
            self.computing[name] = bool(found) and all(self.is_computation(f) for f in found)
        return self.computing[name]

    def is_computation(self, function: Node) -> bool:
        """Is there neither control flow nor an access to memory in its definition?"""
        local = constants_of(function)
        for node in descendants(function):
            if node.type in NOT_COMPUTED:
                return False
            if node.type == "conditional_expression" and not self.is_constant(
                node.child_by_field_name("condition"), local
            ):
                return False
            if node.type == "binary_expression" and (
                text_of(node, "operator") in SHORT_CIRCUIT and not self.is_constant(node, local)
            ):
                return False
            if node.type == "call_expression" and not self._is_plain_call(node):
                return False
        return True

    def counter(self, loop: Node, local: set[bytes]) -> set[bytes]:
        """The counter of `for (int i = A; i < B; i += C)` with constants, whatever their values;
        else nothing."""
        name, first = variable(loop)
        condition = loop.child_by_field_name("condition")
        body = loop.child_by_field_name("body")
        if not name or first is None or condition is None or body is None:
            return set()
        if (
            condition.type != "binary_expression"
            or text_of(condition.named_children[0]) != name
            or text_of(condition, "operator") not in COMPARISONS
            or stride(loop, name, self.constants) is None
            or name in changed(body)
            or re.search(rb"&\s*" + name + rb"\b", text_of(body))
            or any(text_of(d) == name for d in _declared(body))
            or self._is_lent(name, body)
        ):
            return set()
        bound = condition.child_by_field_name("right")
        return {name} if all(self.is_constant(n, local) for n in (first, bound)) else set()

    def _is_lent(self, name: bytes, body: Node) -> bool:
        """May a function that is called change it?"""
        for node in descendants(body):
            if node.type == "argument_list" and any(text_of(a) == name for a in node.children):
                call = node.parent
                if call is None or call.type != "call_expression" or not self._is_plain_call(call):
                    return True
        return False

    def is_constant(self, node: Node | None, local: set[bytes]) -> bool:
        """Has an expression one value for all lanes, known when nvcc compiles it?"""
        if node is None:
            return False
        if node.type == "identifier":
            return self.constants.is_known(text_of(node)) or text_of(node) in local
        if node.type not in ("number_literal", "parenthesized_expression", "condition_clause",
                             "unary_expression", "binary_expression", "conditional_expression",
                             "true", "false"):  # fmt: skip
            return False
        return all(self.is_constant(c, local) for c in node.named_children)


def _declared(node: Node) -> list[Node | None]:
    """What is declared in it, other than arrays."""
    kinds = ("init_declarator", "declaration", "parameter_declaration")
    return [d.child_by_field_name("declarator") for d in descendants(node) if d.type in kinds]


def _name_of(definition: Node) -> bytes:
    """The name of a function, or b"" if it has none: an operator, a conversion."""
    node = definition.child_by_field_name("declarator")
    while node is not None and node.type != "function_declarator":
        node = node.child_by_field_name("declarator")
    name = node.child_by_field_name("declarator") if node is not None else None
    return text_of(name) if name is not None and name.type == "identifier" else b""
