"""Marks the control flow of device functions, so that a traced run knows where lanes meet again.

A compiler rearranges loops and branches, and so the blocks of a compiled kernel do not say where
the lanes of a warp reconverge. The source does: after the statement that separated them.
These marks, which sim/marks.h defines, tell the replay (labs/sim/src/exec/lane_position.h) where
in the source a lane is:

    SIM_FUNCTION(id)     in a function or lambda: from here to its end, however it ends
    SIM_LOOP(id, how)    a round of a loop begins; how: as unrolled_loops.py says nvcc unrolls it
    SIM_ROUND(id)        at the start of a round: when the round ends, however it ends
    sim_join<id>()       before a loop that is straight code once it is unrolled: it has no rounds
    SIM_UNROLL(n)        before such a loop without a pragma: g++ makes straight code of it, too
    SIM_ARM(id, n)       arm n of a statement begins: of an if, a switch, or the statement itself
    SIM_END(id)          after that loop or statement
    sim_first(load)      before a branch whose arms both begin with that load: nvcc reads it there
    *(c ? &a : &b)       one load where nvcc chooses between addresses (chosen_loads.py)
    sim_joined<id>(...)  around an operand that only some lanes evaluate
    sim_neighbour<...>(load)  an access that nvcc may merge with others (merged_accesses.py)
    sim_fields, sim_below, sim_chosen  structures that nvcc treats as variables (structure_loads.py)
    sim_layout           a structure is defined (structure_layouts.py)
    sim_packed           a type is less aligned than its fields

Only what the replay cannot see for itself is marked: loops; statements with calls or loops in an
arm. The marks of a function rise in the order of the source. Every edit is an insertion
within a line; placement.py gives SIM_UNROLL a line of its own, and the source its numbers back.
"""

from __future__ import annotations

import re
from itertools import takewhile

from tree_sitter import Node

from labs.sim.translate.loads.chosen_loads import chosen_loads, pointer_parameters
from labs.sim.translate.loads.constant_tables import table_loads
from labs.sim.translate.loads.merged_accesses import Function, is_block, loop_around
from labs.sim.translate.loads.structure_layouts import PACKED, layouts, own_name
from labs.sim.translate.loads.structure_loads import CACHED, Structures, chosen_store
from labs.sim.translate.loops.constant_values import Constants
from labs.sim.translate.loops.run_time_values import is_made_of, known_at_run_time
from labs.sim.translate.loops.straight_loops import Straight, constants_of
from labs.sim.translate.loops.unrolled_loops import LOOPS, WHOLE, unrolling
from labs.sim.translate.loops.whole_loops import is_whole, rounds, variable
from labs.sim.translate.reader.program import BEFORE_MAIN, Program
from labs.sim.translate.reader.tree import text_of

BRANCHES = ("if_statement", "switch_statement")
SEQUENCES = ("compound_statement", "case_statement")
DEVICE = re.compile(rb"__(?:global|device)__")
# Calls without control flow of their own: they need no mark, wherever they stand.
PLAIN_CALL = re.compile(
    rb"(?:__\w+|(?:f?min|f?max|f?abs|u?ll?min|u?ll?max)|fabsf|fminf|fmaxf|r?sqrtf?|(?:exp|log)\w*"
    rb"|powf?|sin\w*|cos\w*|tan\w*|floorf?|ceilf?|roundf?|fmaf?|fmodf?|atomic\w+|make_\w+|sizeof"
    rb"|static_cast<.*>|reinterpret_cast<.*>|tex\w+|surf\w+)$"
)
FIRST_OF_LOCK_STEP = 1 << 24  # the numbers of its marks: sim/marks.h


class Marker:
    """The marks of one file. is_counted: for the counters of a traced run, with what only they
    need. Otherwise for lock step (labs/sim/src/exec/lock_step.h), which knows only the marks and
    the order of the code: every function has one, and every branch around an access.
    """

    def __init__(self, program: Program, is_counted: bool) -> None:
        self.program = program
        self.is_counted = is_counted
        self.inserts: list[tuple[int, str]] = []
        self.of_any_length: set[int] = set()  # where loops begin whose length only a run knows
        self.last = 0 if is_counted else FIRST_OF_LOCK_STEP
        self.heavy: dict[int, bool] = {}
        self.jumps: dict[bytes, list[int]] = {}  # of the function
        self.pointers: dict[bytes, bytes] = {}  # its parameters: to what
        self.accesses: Function | None = None  # those that may be merged
        self.windows = (0, 0)  # for shared and for global memory
        self.structures: Structures | None = None
        self.own: set[str] = set()  # the program's own structures so far
        self.local: set[bytes] = set()  # what is constant here, in all lanes
        self.at_run_time: set[bytes] = set()  # what surely depends on the launch
        self.in_straight = False  # within a loop whose rounds are not marked

    def insert(self, at: int, text: str) -> None:
        self.inserts.append((at, text))

    def number(self) -> int:
        self.last += 1
        return self.last

    def file(self) -> None:
        root = self.program.root
        self.constants = Constants(root)
        self.straight = Straight(root, self.constants, self.program.pragmas)
        last = next((n for n in reversed(root.children) if n.type == "function_definition"), None)
        if self.is_counted and last is not None and PACKED.search(text_of(root)):
            self.insert(last.end_byte, f" {BEFORE_MAIN} static const sim_packed sim_is_packed;")
        for at, defined in layouts(root) if self.is_counted else ():
            self.insert(at, f' static_assert(sim_notes(&sim_layout<{defined}>), "");')
        stack = [root]
        while stack:
            node = stack.pop()
            if (name := own_name(node)) is not None:
                self.own.add(name)
            if node.type == "function_definition":
                body = node.child_by_field_name("body")
                if body is not None and body.type == "compound_statement":
                    head = text_of(node)[: body.start_byte - node.start_byte]
                    if DEVICE.search(head):
                        if not body.has_error and b"constexpr" not in head:
                            self.pointers = pointer_parameters(node)
                            self.function(body, is_kernel=b"__global__" in head)
                        continue
            stack.extend(reversed(node.children))

    # ---- what needs marks

    def is_heavy(self, node: Node) -> bool:
        """Does it contain a loop, a label or a call, whose accesses may come more than once; or in
        lock step, any access?"""
        if node.id not in self.heavy:
            if node.type == "lambda_expression":
                self.heavy[node.id] = False  # its body runs where it is called
            elif node.type in (*LOOPS, "labeled_statement") or (
                self._is_access(node) and not self.is_counted
            ):
                self.heavy[node.id] = True
            else:
                call = node.type == "call_expression" and not PLAIN_CALL.match(
                    text_of(node, "function")
                )
                self.heavy[node.id] = call or any(self.is_heavy(c) for c in node.named_children)
        return self.heavy[node.id]

    def is_conditional(self, node: Node) -> bool:
        """Does it contain an expression that only some lanes may evaluate, and that is heavy?"""
        if node.type == "lambda_expression":
            return False
        if self._is_choice(node) and self.is_heavy(node):
            return True
        return any(self.is_conditional(c) for c in node.named_children)

    def read_first(self, node: Node) -> None:
        """nvcc hoists what both arms begin with, and nothing else; g++ hoists nothing here."""
        condition = node.child_by_field_name("condition")
        arms = [node.child_by_field_name(f) for f in ("consequence", "alternative")]
        if not self.is_counted or condition is None or None in arms or self._has_effect(condition):
            return
        sequences: list[list[str]] = [[], []]
        for arm, loads in zip(arms, sequences, strict=True):
            if arm is not None:
                self._leading_loads(arm, loads)
        common = [x for x, _ in takewhile(lambda p: p[0] == p[1], zip(*sequences, strict=False))]
        load = "), sim_first(".join(dict.fromkeys(common))
        if not load:
            return
        if node.type == "conditional_expression":
            self.insert(condition.start_byte, f"(sim_first({load}), ")
            self.insert(condition.end_byte, ")")
        elif [c.type.endswith("declaration") for c in condition.named_children] == [False]:
            self.insert(condition.start_byte + 1, f"sim_first({load}), ")

    def _has_effect(self, node: Node) -> bool:
        if node.type in ("assignment_expression", "update_expression", "lambda_expression"):
            return True
        if node.type == "call_expression" and not PLAIN_CALL.match(text_of(node, "function")):
            return True
        return any(self._has_effect(c) for c in node.named_children)

    def _leading_loads(self, node: Node, loads: list[str]) -> bool:
        """Appends the loads that come before anything that only some lanes do or that changes a
        variable. False: that was reached."""
        if node.type in ("else_clause", "compound_statement"):
            inner = [c for c in node.named_children if c.type != "comment"]
            return bool(inner) and self._leading_loads(inner[0], loads) and False
        if node.type in (*LOOPS, *BRANCHES, "conditional_expression", "update_expression",
                         "lambda_expression", "labeled_statement"):  # fmt: skip
            return False
        if node.type == "call_expression" and self._has_effect(node):
            return False
        if node.type in ("sizeof_expression", "alignof_expression", "decltype"):
            return True
        object_of = self._named_object(node)
        parts = self._for_address(object_of) if object_of else list(node.named_children)
        if node.type == "assignment_expression":
            left = node.child_by_field_name("left")
            is_variable = left is not None and left.type == "identifier"
            if text_of(node, "operator") != b"=" and not is_variable:
                return False
            parts = parts[-1:]
        if self._is_choice(node):
            self._leading_loads(parts[0], loads)
            return False
        if not all(self._leading_loads(part, loads) for part in parts):
            return False
        text = text_of(node)
        if node.type in ("subscript_expression", "pointer_expression") and text[:1] != b"&":
            loads.append(" ".join(text.decode(errors="replace").split()))
            return b"//" not in text and b"/*" not in text
        return node.type != "assignment_expression"

    @staticmethod
    def _named_object(node: Node) -> Node | None:
        """The object that `&object` or the declaration of a reference names, and does not load."""
        if node.type == "pointer_expression" and text_of(node)[:1] == b"&":
            call = node.parent.parent if node.parent is not None else None
            is_loaded = call is not None and CACHED.match(text_of(call, "function"))
            return None if is_loaded else node.child_by_field_name("argument")
        declared = node.child_by_field_name("declarator")
        if node.type == "init_declarator" and text_of(declared)[:1] == b"&":
            return node.child_by_field_name("value")
        return None

    @staticmethod
    def _for_address(node: Node) -> list[Node]:
        """What is evaluated for the address of an object alone."""
        while node.type == "parenthesized_expression" or (
            node.type == "field_expression" and text_of(node, "operator") == b"."
        ):
            node = node.named_children[0]
        is_element = node.type in ("subscript_expression", "pointer_expression")
        return list(node.named_children) if is_element else [node]

    def join_within(self, statement: Node) -> None:
        """Lanes that evaluate a conditional operand and those that do not go on together in the
        rest of the expression, if it accesses memory."""
        conditionals: list[Node] = []
        others = False
        stack = [statement]
        while stack:
            node = stack.pop()
            if node.type == "lambda_expression":
                continue
            if self._is_choice(node) and self.is_heavy(node):
                conditionals.append(node)
                continue
            others = others or self._is_access(node)
            stack.extend(node.named_children)
        if not others and len(conditionals) < 2:
            return
        for node in conditionals:
            number = self.number()
            self.insert(node.start_byte, f"sim_joined<{number}>((sim_join<{number}>(), ")
            self.insert(node.end_byte, "))")

    def conditionals(self, node: Node) -> None:
        if node.type == "conditional_expression":
            if not self.is_heavy(node):
                loads = chosen_loads(node, self.pointers)
                if loads and self.is_counted:
                    self.insert(node.start_byte, "(*(")
                    for load in loads:
                        self.insert(load.start_byte, "&")
                    self.insert(node.end_byte, "))")
                    return
            self.read_first(node)
        elif node.type != "lambda_expression":
            for child in node.named_children:
                self.conditionals(child)

    @staticmethod
    def _is_choice(node: Node) -> bool:
        """An expression that may leave an operand out."""
        return node.type == "conditional_expression" or (
            node.type == "binary_expression"
            and text_of(node, "operator") in (b"&&", b"||", b"and", b"or")
        )

    @staticmethod
    def _is_access(node: Node) -> bool:
        return node.type in ("subscript_expression", "pointer_expression", "field_expression",
                             "call_expression")  # fmt: skip

    def needs_marks(self, body: Node) -> bool:
        """May lanes part in a function, or access memory on different ways through it?"""
        of = body.parent
        is_function = of is not None and of.type == "function_definition"
        computes = of is not None and is_function and self.straight.is_computation(of)
        return self.has_control_flow(body) and not computes

    def has_control_flow(self, node: Node) -> bool:
        if node.type == "lambda_expression":
            return False
        if node.type in (*LOOPS, *BRANCHES, "labeled_statement") or self._is_choice(node):
            return True
        return any(self.has_control_flow(c) for c in node.named_children)

    # ---- statements

    def function(self, body: Node, is_kernel: bool) -> None:
        is_marked = not is_kernel and (not self.is_counted or self.needs_marks(body))
        if is_marked:
            self.insert(body.start_byte + 1, f" SIM_FUNCTION({self.number()})")
        self.jumps = self._jumps(body)
        outer, outer_local, outer_at_run_time = self.accesses, self.local, self.at_run_time
        self.local = constants_of(body.parent or body) if self.is_counted else set()
        is_function = body.parent is not None and body.parent.type == "function_definition"
        if is_function and body.parent is not None:
            self.at_run_time = known_at_run_time(body.parent, is_kernel)
            unknown = self.at_run_time | (set(self.pointers) if is_kernel else set())
            for array in table_loads(body, unknown) if self.is_counted else ():
                self.insert(array.start_byte, "sim_table(")
                self.insert(array.end_byte, ")")
        self.accesses = None
        if self.is_counted and (is_kernel or is_marked) and is_function and body.parent is not None:
            self.accesses = Function(body.parent, self.constants)
        shared = self.accesses.shared if self.accesses is not None else set()
        self.structures = Structures(body, self.own, shared) if is_function else None
        self.windows = (self.number(), self.number())
        self.sequence(body)
        self.accesses, self.local, self.at_run_time = outer, outer_local, outer_at_run_time

    # ---- windows: basic blocks, as nvcc sees them

    def tag(self, node: Node) -> None:
        """Tags the accesses of an expression or a simple statement."""
        if self.accesses is not None:
            for at, text in self.accesses.tags(node, self.windows):
                self.insert(at, text)

    def structure(self, node: Node) -> list[tuple[int, str]]:
        """Returns what must be inserted after all else that is inserted into a statement."""
        pairs = chosen_store(node)
        if node.type == "declaration" and self.structures is not None:
            pairs = self.structures.declaration(node)
        for value, before, _ in pairs:
            self.insert(value.start_byte, before)
        return [(value.end_byte, after) for value, _, after in pairs]

    def is_copied(self, loop: Node) -> bool:
        return is_whole(loop, self.constants, self.program.pragmas)

    def window_after(self, node: Node) -> None:
        """New windows after a statement, unless it is part of the block around it."""
        self.windows = (
            self._window(node, self.windows[0], False),
            self._window(node, self.windows[1], True),
        )

    def _window(self, node: Node, window: int, in_global: bool) -> int:
        inside = is_block(node, self.is_heavy, self.is_copied, in_global)
        return window if inside else self.number()

    def _jumps(self, body: Node) -> dict[bytes, list[int]]:
        """Where each goto ends, by its label."""
        ends: dict[bytes, list[int]] = {}
        stack = [body]
        while stack:
            node = stack.pop()
            if node.type == "goto_statement":
                ends.setdefault(text_of(node, "label"), []).append(node.end_byte)
            stack.extend(node.named_children)
        return ends

    def sequence(self, node: Node) -> None:
        marked: list[tuple[Node, int]] = []  # the statements so far with a number
        repeated: list[tuple[int, int]] = []  # where the last jump back to a label ends; its number
        for child in node.named_children:
            if child.type == "labeled_statement":
                number = self.label(child, marked)
                back = [end for end in self._jumps_to(child) if end > child.start_byte]
                if back:
                    repeated.append((max(back), number))
            else:
                number = self.statement(child, node.type in SEQUENCES)
                if number:
                    marked.append((child, number))
            for label in [r for r in repeated if r[0] <= child.end_byte]:
                self.insert(child.end_byte, f" SIM_END({label[1]})")
                repeated.remove(label)

    def _jumps_to(self, label: Node) -> list[int]:
        return self.jumps.get(text_of(label, "label"), [])

    def label(self, node: Node, marked: list[tuple[Node, int]]) -> int:
        """A label is the end of the statements that lanes left for it, and perhaps a loop."""
        number = self.number()
        colon = next((c for c in node.children if c.type == ":"), None)
        inner = [c for c in node.named_children if c.type != "statement_identifier"]
        if colon is not None:
            jumps = self._jumps_to(node)
            for statement, of in marked:
                if any(statement.start_byte < end <= statement.end_byte for end in jumps):
                    self.insert(colon.end_byte, f" SIM_END({of})")
            if any(end > node.start_byte for end in jumps):
                self.insert(colon.end_byte, f" SIM_LOOP({number}, 0)")
            else:
                self.insert(colon.end_byte, f" SIM_END({number})")
        if inner:
            self.statement(inner[-1], in_sequence=False)
        return number

    def statement(self, node: Node, in_sequence: bool) -> int:
        """Marks one statement, and its end if others of its sequence follow. Returns its number,
        or 0."""
        number = self._statement(node, in_sequence)
        if node.type not in SEQUENCES:
            self.window_after(node)
        return number

    def _statement(self, node: Node, in_sequence: bool) -> int:
        number = 0
        if node.type in LOOPS:
            number = self.loop(node)
        elif node.type == "if_statement":
            number = self.branch(node)
        elif node.type == "switch_statement":
            number = self.switch(node)
        elif node.type == "labeled_statement":
            self.label(node, [])
        elif node.type in SEQUENCES:
            self.sequence(node)
        else:
            is_declaration = node.type == "declaration"
            is_expression = node.type == "expression_statement"
            may_part = in_sequence and not self.in_straight and (is_declaration or is_expression)
            if may_part and self.is_conditional(node):
                number = self.number()
                self.insert(node.start_byte, f"SIM_ARM({number}, 1) ")
            if is_declaration or is_expression or node.type == "return_statement":
                if not self.in_straight:
                    self.join_within(node)
                ends = self.structure(node)
                self.conditionals(node)
                self.tag(node)
                for at, text in ends:
                    self.insert(at, text)
            self.lambdas(node)
        if number and in_sequence:
            self.insert(node.end_byte, f" SIM_END({number})")
        return number

    def lambdas(self, node: Node) -> None:
        if node.type == "lambda_expression":
            body = node.child_by_field_name("body")
            if body is not None:
                jumps = self.jumps
                self.function(body, is_kernel=False)
                self.jumps = jumps
            return
        for child in node.named_children:
            self.lambdas(child)

    def arm(self, node: Node, after: int, mark: str) -> None:
        """A statement that begins with a mark. `after`: where the head before it ends."""
        outer = self.windows
        self.windows = (self.number(), self.number())
        self._arm(node, after, mark)
        self.windows = outer

    def _arm(self, node: Node, after: int, mark: str) -> None:
        if node.type == "compound_statement":
            self.insert(node.start_byte + 1, f" {mark}")
            self.sequence(node)
        else:
            self.insert(after, f" {{ {mark}")
            self.statement(node, in_sequence=False)
            self.insert(node.end_byte, " }")

    def loop(self, node: Node) -> int:
        number = self.number()
        body = node.child_by_field_name("body")
        if body is None:
            return 0
        head = [c for c in node.named_children if c != body and c.type != "comment"]
        for part in head:
            self.lambdas(part)
        unrolled = unrolling(node, self.program.pragmas, self.is_heavy)
        straight = (
            self.is_counted and not self.jumps and self.straight.is_straight(node, self.local)
        )
        copied = self.is_copied(node)
        how = unrolled | (WHOLE if copied else 0)
        mark = "" if straight else f"SIM_LOOP({number}, {how})"
        # What the head of the next round reads, all lanes that make it read together.
        if (
            not straight
            and node.type != "for_range_loop"
            and any(self._reads(part) for part in head)
        ):
            mark += f" SIM_ROUND({number})"
        before = [c for c in node.children if c.end_byte <= body.start_byte and c.type != "comment"]
        if straight and self.program.pragmas.before(node.start_byte) is None:
            self.insert(node.start_byte, f"SIM_UNROLL({rounds(node, self.constants)})")
        counter = self.straight.counter(node, self.local)
        name, first = variable(node)
        condition = node.child_by_field_name("condition")
        unknown = self.at_run_time - {name}
        if first is not None and any(is_made_of(n, unknown) for n in (first, condition)):
            self.of_any_length.add(node.start_byte)
        outer = self.windows
        if self.accesses is not None:
            self.accesses.loops.append(loop_around(node, unrolled, copied, self.constants))
        self.windows = (
            outer[0] if is_block(node, self.is_heavy, self.is_copied, False) else self.number(),
            outer[1] if is_block(node, self.is_heavy, self.is_copied, True) else self.number(),
        )
        inside = self.in_straight
        if straight and not inside and first is not None:
            self.insert(first.start_byte, f"(sim_join<{number}>(), ")
            self.insert(first.end_byte, ")")
        outer_local = self.local
        self.local = self.local | counter
        self.in_straight = straight
        self._arm(body, before[-1].end_byte, mark)
        self.in_straight, self.local = inside, outer_local
        self.windows = outer
        if self.accesses is not None:
            self.accesses.loops.pop()
        return 0 if inside else number

    def _reads(self, node: Node) -> bool:
        """May it access memory?"""
        return self._is_access(node) or any(self._reads(c) for c in node.named_children)

    def branch(self, node: Node) -> int:
        condition = node.child_by_field_name("condition")
        yes = node.child_by_field_name("consequence")
        no = node.child_by_field_name("alternative")
        if condition is None or yes is None:
            return 0
        self.lambdas(condition)
        other = next((c for c in no.named_children if c.type != "comment"), None) if no else None
        arms = [n for n in (yes, other) if n is not None]
        self.read_first(node)
        self.tag(condition)
        may_part = any(self.is_heavy(arm) for arm in arms) or self.is_conditional(condition)
        if self.in_straight or not may_part:
            outer = self.windows
            for arm in arms:
                self.windows = (self.number(), self.number())
                self.statement(arm, in_sequence=False)
            self.windows = outer
            return 0
        number = self.number()
        self.arm(yes, condition.end_byte, f"SIM_ARM({number}, 1)")
        if other is not None and no is not None:
            word = next(c for c in no.children if c.type == "else")
            self.arm(other, word.end_byte, f"SIM_ARM({number}, 2)")
        return number

    def switch(self, node: Node) -> int:
        body = node.child_by_field_name("body")
        if body is None or body.type != "compound_statement":
            return 0
        is_heavy = self.is_heavy(body)
        number = self.number() if is_heavy else 0
        arm = 0
        for case in body.named_children:
            self.windows = (self.number(), self.number())
            if case.type != "case_statement":
                self.statement(case, in_sequence=True)
                continue
            colon = next((c for c in case.children if c.type == ":"), None)
            if is_heavy and colon is not None:
                arm += 1
                self.insert(colon.end_byte, f" SIM_ARM({number}, {arm})")
            value = case.child_by_field_name("value")
            for child in case.named_children:
                if child != value:
                    self.statement(child, in_sequence=True)
        return number
