"""The changes of one place that are tried: what people exchange, forget or write once too often.

They are the operators of mutation testing (relations, signs, names, numbers, order of arguments,
brackets), turned round: here the program is wrong, and one of them may make it right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from tree_sitter import Node

from grader.correction import nodes
from grader.correction.types import DIMENSIONS, INT, LOGICAL, Name, Type, Types, operator
from grader.source.tree import descend, text_of

RELATIONS = {
    "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="),
    "==": ("!=",), "!=": ("==",), "&&": ("||",), "||": ("&&",),
}  # fmt: skip
SIGNS = {
    "+": "-", "-": "+", "*": "/", "/": "%", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
}  # fmt: skip
OF_FRACTIONS = {"+": "-", "-": "+", "*": "/", "/": "*"}
ASSIGNED = {"=": ("+=",), "+=": ("=", "-="), "-=": ("+=",)}
REAL = Type("float")
STORED = ("assignment_expression", "init_declarator", "conditional_expression", "return_statement")
MOST_ARGUMENTS = 8
ADDED = re.compile(r"[+-] ([A-Za-z_]\w*)")
MOST_NUMBERS = 8  # of a function, each of which may belong where another stands
# The rank of another function: first and alone, since edits inside of functions change roundings.
CALLED = -1
# Names of the runtime and of vector functions that stand for each other.
ALIKE = (
    ("cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"),
    ("cudaHostAllocDefault", "cudaHostAllocWriteCombined"),
    ("cudaDevAttrMaxSharedMemoryPerBlock", "cudaDevAttrMaxSharedMemoryPerBlockOptin"),
)
VECTORS = re.compile(r"(_mm\d*_)(s[rl]li|unpack(?:lo|hi)|add|sub)_([es]p?i\d+)")
INSTEAD = {
    "srli": ("slli",), "slli": ("srli",), "add": ("sub",), "sub": ("add",),
    "unpacklo": ("unpackhi",), "unpackhi": ("unpacklo",),
}  # fmt: skip
WIDTHS = ("epi8", "epi16", "epi32", "epi64")


@dataclass(frozen=True)
class Place:
    """Bytes of the file and what stands there instead. is_statement: a whole statement. is_number:
    an expression of a type that a cast may name."""

    start: int
    end: int
    text: str
    is_statement: bool = False
    is_number: bool = False


@dataclass(frozen=True)
class Edit:
    """One change. what: it, in words; where: the expression around it; statement: the offset of
    the statement that it is in. in_grid: it changes how many blocks there are."""

    places: tuple[Place, ...]
    line: int
    what: str
    rank: int  # the lowest is tried first
    where: str
    statement: int
    in_grid: bool = False

    def sentence(self) -> str:
        return self.what if self.where in self.what else f"{self.what} in `{self.where}`"


def applied(source: bytes, edit: Edit) -> bytes:
    """The file after the change."""
    for place in sorted(edit.places, key=lambda p: -p.start):
        source = source[: place.start] + place.text.encode() + source[place.end :]
    return source


class Editor:
    """Finds the edits of a function. variables: its own, then what the file and its header have.
    calls: by a function's name the others that can be called as it is."""

    def __init__(
        self, function: Node, variables: list[Name], calls: Mapping[str, Sequence[str]]
    ) -> None:
        self._function, self._variables = function, variables
        self._calls = calls
        self._types = Types(variables)
        self._fixed = nodes.fixed(function)
        self._bytes = nodes.in_bytes(function)
        self._in_grid = nodes.in_grid(function)
        self._words = dict[int, set[str]]()
        root = function
        while root.parent is not None:
            root = root.parent
        self._added = Counter(ADDED.findall(text_of(root)))
        used = Counter(text_of(n) for n in descend(function) if n.type == "identifier")
        self._used = {*used}
        numbers = Counter(text_of(n) for n in descend(function) if n.type == "number_literal")
        self._numbers = [text for text, _ in numbers.most_common(MOST_NUMBERS)]
        own = {v.name for v in variables if function.start_byte < v.first < function.end_byte}
        self._idle = {name for name in own if used[name] == 1}  # more likely what is missing

    def edits(self) -> Iterator[Edit]:
        """Those of one place or one exchange, in the order of the text."""
        rules: dict[str, tuple[Callable[[Node], Iterator[Edit]], ...]] = {
            "binary_expression": (self._signs, self._operands, self._brackets),
            "identifier": (self._other_names, self._remainder, self._quotients),
            "field_expression": (self._other_fields,),
            "number_literal": (self._other_numbers,),
            "parenthesized_expression": (self._bracketed,),
            "subscript_expression": (self._indices, self._quotients),
            "argument_list": (self._arguments, self._third),
            "call_expression": (self._launch,),
            "assignment_expression": (self._assignment,),
            "expression_statement": (self._too_much, self._order),
            "for_statement": (self._order,),
            "if_statement": (self._always,),
            "update_expression": (self._steps,),
        }
        body = self._function.child_by_field_name("body")
        for node in descend(body) if body else ():
            if self._is_fixed(node):
                continue
            for rule in rules.get(node.type, ()):
                yield from rule(node)
            if self._is_whole_value(node):
                yield from self._terms(node)
            if nodes.is_leaf(node) and self._types.of(node) == INT and nodes.in_index(node):
                yield from self._factors(node)

    # ---- rules

    def _signs(self, node: Node) -> Iterator[Edit]:
        sign = operator(node)
        instead = RELATIONS.get(sign, ())
        if not instead and self._is_number(node):
            signs = SIGNS if self._types.of(node) == INT else OF_FRACTIONS
            instead = (signs[sign],) if sign in signs else ()
        is_stepped = nodes.is_stepped(node)
        rank = 3 if is_stepped else int(sign in ("&&", "||"))
        # A loop that never runs would leave all to what comes behind it.
        for other in instead[:1] if is_stepped else instead:
            yield self._one(node, nodes.binary(node, other), f"`{sign}` should be `{other}`", rank)
        if sign in LOGICAL[:4] and REAL in map(self._types.of, nodes.sides(node)):
            yield from self._magnitudes(node, sign)

    def _magnitudes(self, node: Node, sign: str) -> Iterator[Edit]:
        """A relation of numbers with fractions: of their magnitudes, or with a factor."""
        left, right = map(nodes.plain, nodes.sides(node))
        both = f"fabs({left}) {sign} fabs({right})"
        if "fabs" not in left + right:
            yield self._one(node, both, f"`fabs` is missing on both sides: `{both}`", 1)
        for inside in descend(node):
            is_known = self._types.of(inside) == REAL and "fabs" not in text_of(inside)
            if is_known and inside.type != "parenthesized_expression":
                text = f"fabs({nodes.plain(inside)})"
                yield self._one(inside, text, f"`fabs` is missing: `{text}`", 1)
        for side in filter(None, nodes.sides(node)):
            for other in self._usable(node, REAL):
                for factor in (other, f"fabs({other})"):
                    text = f"{nodes.operand(side)} * {factor}"
                    yield self._one(side, text, f"`* {factor}` is missing: `{text}`", 2)

    def _quotients(self, node: Node) -> Iterator[Edit]:
        """A number with a fraction that is stored, without its factor or divisor."""
        around = node.parent.type if node.parent else ""
        if self._types.of(node) == REAL and around in STORED and not nodes.is_target(node):
            for other in self._usable(node, REAL):
                for sign in "*/" if other not in nodes.words(node) else "":
                    text = f"{nodes.operand(node)} {sign} {other}"
                    yield self._one(node, text, f"`{sign} {other}` is missing: `{text}`", 2)

    def _operands(self, node: Node) -> Iterator[Edit]:
        left, right = nodes.sides(node)
        sign = operator(node)
        if sign in LOGICAL[:6] or not left or not right:
            return
        if sign in ("-", "/", "%", "<<", ">>") and self._is_number(node):
            swapped = f"{nodes.operand(right)} {sign} {nodes.operand(left)}"
            yield self._one(node, swapped, "the two sides are exchanged", 1)
        # Fewer conditions, and more blocks, can hide a mistake that is elsewhere.
        rank = 1 if sign in LOGICAL else 3 if node.id in self._in_grid else 0
        if sign in ("&&", "||", "+", "*", "-", "/", "%"):
            yield self._one(
                node, nodes.plain(left), f"`{sign} {nodes.plain(right)}` is too much", rank
            )
        if sign in ("&&", "||", "+", "*") and self._is_number(left):
            yield self._one(
                node, nodes.plain(right), f"`{nodes.plain(left)} {sign}` is too much", rank
            )

    def _brackets(self, node: Node) -> Iterator[Edit]:
        left, right = nodes.sides(node)
        sign = operator(node)
        if not left or not right or sign not in nodes.STRENGTH or not self._is_number(node):
            return
        for grouped in nodes.regrouped(left, sign, right):
            yield self._one(node, grouped, f"brackets: `{grouped}`", 0)
        if left.type == "cast_expression":
            kind, value = (left.child_by_field_name(n) for n in ("type", "value"))
            later = f"({text_of(kind)})({nodes.plain(value)} {sign} {nodes.plain(right)})"
            yield self._one(node, later, f"convert the result: `{later}`", 0)

    def _other_names(self, node: Node) -> Iterator[Edit]:
        own, name = self._types.of(node), text_of(node)
        for other in (o for names in ALIKE if name in names for o in names if o != name):
            yield self._one(node, other, f"`{name}` should be `{other}`", 0)
        if own is None or nodes.is_target(node) or nodes.is_called(node):
            return
        for other in self._usable(node, own):
            # Another number of bytes that is only larger would hide a mistake.
            if other != name and (
                node.id not in self._bytes.inside or nodes.are_alike(name, other)
            ):
                is_likely = nodes.are_alike(name, other) or own.depth or other in self._idle
                # A loop that only runs longer is no likely cause either.
                is_more = node.id in self._bytes.inside or nodes.is_condition(nodes.part_of(node))
                rank = 2 if is_more or other in self._near(node) else 3
                rank = 1 if is_likely and not is_more else rank
                edit = self._one(node, other, f"`{name}` should be `{other}`", rank)
                # Any larger number would do there: that it helps does not make it the right name.
                yield self._room(node, edit) if node.id in self._bytes.room else edit
        if own == INT and node.parent and node.parent.type == "subscript_argument_list":
            yield self._one(node, "0", f"`{name}` should be `0`", 2)

    def _room(self, node: Node, edit: Edit) -> Edit:
        """An edit of a number of bytes that only makes room."""
        while node.parent is not None and node.parent.id in self._bytes.room:
            node = node.parent
        return replace(edit, what="too little memory", where=nodes.shortened(nodes.plain(node)))

    def _remainder(self, node: Node) -> Iterator[Edit]:
        """What is left of the last round, or a variable that nothing uses, where it is less."""
        if self._types.of(node) != INT or nodes.is_target(node):
            return
        name, rest = text_of(node), nodes.rest(node)
        idle = [other for other in self._usable(node, INT) if other in self._idle]
        for least in [rest, *idle] if rest else idle:
            text = f"({least} < {name} ? {least} : {name})"
            yield self._one(node, text, f"`{name}` should be at most `{least}`", 1)

    def _bracketed(self, node: Node) -> Iterator[Edit]:
        """A factor: twice, or a variable instead of it."""
        if self._types.of(node) != INT or not node.parent:
            return
        text, around = nodes.plain(node), operator(node.parent)
        if node.id in self._bytes.inside:
            yield self._one(node, f"({text} * {text})", f"`* {text}` is missing", 1)
        for other in self._usable(node, INT) if around == "*" else ():
            yield self._one(node, other, f"`{text}` should be `{other}`", 3)

    def _other_fields(self, node: Node) -> Iterator[Edit]:
        of, field = node.child_by_field_name("argument"), text_of(node.child_by_field_name("field"))
        if self._types.of(node) != INT or field not in ("x", "y", "z") or nodes.is_target(node):
            return
        base = text_of(of)
        others = [f"{base}.{f}" for f in "xyz" if f != field]
        if base in DIMENSIONS:
            others += [f"{d}.{field}" for d in DIMENSIONS if d != base]
        for other in others:
            yield self._one(node, other, f"`{text_of(node)}` should be `{other}`", 0)

    def _other_numbers(self, node: Node) -> Iterator[Edit]:
        text = text_of(node)
        if node.id in self._bytes.inside or not re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", text):
            return
        value = int(text, 0) if not re.fullmatch(r"0\d+", text) else int(text, 8)
        is_vector = nodes.intrinsic_around(node) is not None
        if not value and not is_vector and node.parent and node.parent.type == "argument_list":
            return  # it may be a pointer or a stream
        is_hexadecimal = text[:2].lower() == "0x"
        near = [value + 1, value - 1, *([] if is_hexadecimal else [2 * value, value // 2, 0])]
        beside = node.parent.named_children if node.parent else ()
        if not is_hexadecimal and not (is_vector and len(beside) > MOST_ARGUMENTS):
            near += [int(text) for text in self._numbers if text.isdigit() and text[:1] != "0"]
        least = -1 if is_vector else operator(node.parent or node) in ("+", "-")
        for number, other in enumerate(dict.fromkeys(v for v in near if v >= least and v != value)):
            written = f"{other:#x}" if is_hexadecimal else str(other)
            rank = 0 if number < 2 else 1 if written in self._numbers else 2
            yield self._one(node, written, f"`{text}` should be `{written}`", rank)

    def _indices(self, node: Node) -> Iterator[Edit]:
        inner = node.child_by_field_name("argument")
        if inner and inner.type == "subscript_expression":
            first, second = nodes.index(inner), nodes.index(node)
            if first and second:
                yield self._exchange(
                    first, second, f"the indices of `{text_of(node)}` are exchanged"
                )

    def _arguments(self, node: Node) -> Iterator[Edit]:
        called = node.parent.child_by_field_name("function") if node.parent else None
        if nodes.BY_NAME.fullmatch(text_of(called)):
            return
        for one, other in combinations(node.named_children[:MOST_ARGUMENTS], 2):
            types = self._types.of(one), self._types.of(other)
            is_vector = types == (None, None) and nodes.INTRINSIC.fullmatch(text_of(called))
            is_same = types[0] is not None and types[0] == types[1] and types[0].depth < 2
            if (is_same or is_vector) and "0" not in (text_of(one), text_of(other)):
                what = f"`{text_of(one)}` and `{text_of(other)}` are exchanged"
                yield self._exchange(one, other, what)

    def _third(self, node: Node) -> Iterator[Edit]:
        """The z of a grid, which is 1 where it is left out."""
        given = node.named_children
        if node.id in self._in_grid and len(given) == 2 and node.parent and (
            node.parent.type == "init_declarator"
        ):  # fmt: skip
            end = given[-1].end_byte
            for other in self._usable(node, INT):
                place = Place(end, end, f", {other}")
                yield self._edit(node, (place,), f"the grid's z, `{other}`, is missing", 2)

    def _launch(self, node: Node) -> Iterator[Edit]:
        shape, called = nodes.launch_of(node), node.child_by_field_name("function")
        if called is None:
            return
        if vector := VECTORS.fullmatch(text_of(called)):
            yield from self._other_vectors(node, called, *vector.groups())
        for other in self._calls.get(text_of(called), ()):
            what = f"`{text_of(called)}` should be `{other}`"
            if not shape:
                yield self._one(node, f"{other}{nodes.given(node)}", what, CALLED)
            else:
                yield from self._relaunched(node, [(called, other)], what, CALLED)
        if shape and len(shape.named_children) > 1:
            grid, block = shape.named_children[:2]
            what = f"`{nodes.plain(grid)}` and `{nodes.plain(block)}` are exchanged"
            swapped = [(grid, text_of(block)), (block, text_of(grid))]
            yield from self._relaunched(node, swapped, what, 0)

    def _other_vectors(
        self, node: Node, called: Node, first: str, what: str, width: str
    ) -> Iterator[Edit]:
        of_bytes = "si256" if "256" in first else "si128"
        widths = (*WIDTHS[1:], of_bytes) if what in ("srli", "slli") else WIDTHS
        others = [f"{first}{what}_{w}" for w in widths if w != width]
        for other in [*others, *(f"{first}{w}_{width}" for w in INSTEAD[what])]:
            said = f"`{text_of(called)}` should be `{other}`"
            yield self._one(node, f"{other}{nodes.given(node)}", said, 0)

    def _relaunched(
        self, launch: Node, changes: list[tuple[Node, str]], what: str, rank: int
    ) -> Iterator[Edit]:
        """The whole statement of a launch, which is no expression that could stand in another."""
        statement = launch.parent
        if statement is None or statement.type != "expression_statement":
            return
        text, first = statement.text or b"", statement.start_byte
        for node, other in sorted(changes, key=lambda c: -c[0].start_byte):
            begin, end = node.start_byte - first, node.end_byte - first
            text = text[:begin] + other.encode() + text[end:]
        whole = nodes.one_line(text.decode(errors="replace"))
        place = Place(first, statement.end_byte, whole, is_statement=True)
        yield self._edit(launch, (place,), what, rank)

    def _assignment(self, node: Node) -> Iterator[Edit]:
        left, right = nodes.sides(node)
        known = self._types.of(left)
        if not node.parent or node.parent.type != "expression_statement":
            return
        if known in (INT, REAL):
            for other in ASSIGNED.get(operator(node), ()):
                text = f"{text_of(left)} {other} {text_of(right)};"
                place = Place(node.parent.start_byte, node.parent.end_byte, text, True)
                yield self._edit(node, (place,), f"`{operator(node)}` should be `{other}`", 0)

    def _too_much(self, node: Node) -> Iterator[Edit]:
        inner = node.named_children[0] if node.named_children else None
        if inner and inner.type in ("assignment_expression", "update_expression"):
            place = Place(node.start_byte, node.end_byte, ";", True)
            yield self._edit(node, (place,), f"`{nodes.plain(node)}` is too much", 1)

    def _always(self, node: Node) -> Iterator[Edit]:
        """What only some threads do, done by all."""
        body = node.child_by_field_name("consequence")
        if body and not node.child_by_field_name("alternative") and not nodes.leaves(body):
            test = f"if {nodes.plain(node.child_by_field_name('condition'))}"
            place = Place(node.start_byte, node.end_byte, nodes.plain(body), True)
            edit = self._edit(node, (place,), f"`{test}` is too much", 0)
            yield replace(edit, where=test)

    def _order(self, node: Node) -> Iterator[Edit]:
        """Exchanged with the statement behind it, one of the two without a loop."""
        after = node.next_named_sibling
        if not after or not nodes.is_movable(node) or not nodes.is_movable(after):
            return
        if "expression_statement" not in (node.type, after.type):
            return
        one, other = nodes.plain(node), nodes.plain(after)
        if "(" in one and "(" in other:
            places = tuple(
                Place(n.start_byte, n.end_byte, text, is_statement=True)
                for n, text in ((node, other), (after, one))
            )
            what = f"`{nodes.shortened(other)}` belongs before `{nodes.shortened(one)}`"
            yield replace(self._edit(node, places, what, 1), where=nodes.shortened(one))

    def _steps(self, node: Node) -> Iterator[Edit]:
        counted = node.child_by_field_name("argument")
        sign = operator(node)[:1]
        parent = node.parent
        is_value = parent is not None and parent.type not in (
            "expression_statement",
            "for_statement",
        )
        for other in () if is_value else ["2", "3", "4", *self._usable(node, INT)]:
            if other != text_of(counted):
                step = f"{text_of(counted)} {sign}= {other}"
                what = f"`{nodes.plain(node)}` should be `{step}`"
                yield self._one(node, step, what, 1 if other.isdigit() else 2)

    def _terms(self, node: Node) -> Iterator[Edit]:
        text = nodes.operand(node)
        is_index = node.parent is not None and node.parent.type == "subscript_argument_list"
        is_counted = node.id in self._in_grid or node.id in self._bytes.inside
        # Whoever writes a number alone has forgotten no name beside it.
        is_known = is_counted or node.type == "number_literal"
        for other in ["1"] if is_known else [*self._by_use(node), "1"]:
            is_new = not re.search(rf"\b{re.escape(other)}\b", text) or other == "1"
            by_index = "%" if is_index and nodes.is_constant(other) else ""
            for sign in "+-" + by_index if is_new else "":
                what = f"`{sign} {other}` is missing"
                rank = 1 if sign == "%" else self._far(node, other)
                yield self._one(node, f"{text} {sign} {other}", what, rank)
        what = f"a minus is missing before `{nodes.plain(node)}`"
        yield self._one(node, f"-({nodes.plain(node)})", what, 1)
        for other in self._usable(node, INT) if not is_counted else ():
            if nodes.is_constant(other) and re.search("/|div", text):
                up = f"({text} + {other} - 1) / {other} * {other}"
                yield self._one(node, up, f"it must be rounded up to a multiple of `{other}`", 2)
        if node.id in self._bytes.whole and "sizeof" not in text:
            yield self._one(node, f"{text} * sizeof(float)", "`* sizeof(float)` is missing", 1)

    def _by_use(self, node: Node) -> list[str]:
        """The whole numbers at a node; first what the file adds or subtracts most often elsewhere:
        of two constants with one value it is more likely the one that is missing."""
        return sorted(self._usable(node, INT), key=lambda name: -self._added[name])

    def _factors(self, node: Node) -> Iterator[Edit]:
        text = text_of(node)
        if node.id in self._in_grid or node.id in self._bytes.inside:
            return
        near = self._near(node)
        squares = [f"{c} * {c}" for c in self._usable(node, INT) if c.isupper() and c in near]
        for other in [*self._usable(node, INT), *squares, "2", "3", "4"]:
            if other != text:
                what = f"`* {other}` is missing after `{text}`"
                rank = self._far(node, other.split()[0])
                yield self._one(node, f"({text} * {other})", what, rank)

    def _near(self, node: Node) -> set[str]:
        """The names in its statement, or in the condition of a loop, in the head of the loop around
        it, and in the statements of its kind before and behind it: x and y are computed alike."""
        part = nodes.part_of(node)
        if part.id not in self._words:
            beside = (part.prev_named_sibling, part.next_named_sibling)
            alike = [n for n in beside if n and n.type == part.type != "for_statement"]
            alike += nodes.heads(part)
            self._words[part.id] = set[str]().union(*map(nodes.words, [part, *alike]))
        return self._words[part.id]

    def _far(self, node: Node, name: str) -> int:
        """The rank of an edit that uses this name, by where it is used already."""
        if name in self._idle or (name in self._near(node) and not name.isdigit()):
            return 1
        if nodes.is_constant(name) and self._added[name]:
            return 1
        sides = nodes.sides(node.parent) if node.parent else ()
        types = [self._types.of(side) for side in sides]
        if any(known and known.depth for known in types):  # the offset of a pointer
            return 1
        if name.isdigit() and nodes.is_condition(nodes.part_of(node)):
            return 1
        return 2 if name in self._used or not nodes.is_constant(name) else 3

    # ---- what they share

    def _one(self, node: Node, text: str, what: str, rank: int) -> Edit:
        """Replaces an expression; a number among a vector instruction's arguments with the whole
        call, since it must be a constant there."""
        call = nodes.intrinsic_around(node) if node.type == "number_literal" else None
        if call:
            at, end = node.start_byte - call.start_byte, node.end_byte - call.start_byte
            whole = call.text or b""
            text = (whole[:at] + text.encode() + whole[end:]).decode(errors="replace")
        return self._edit(node, (self._place(call or node, text),), what, rank)

    def _exchange(self, one: Node, other: Node, what: str) -> Edit:
        places = (self._place(one, text_of(other)), self._place(other, text_of(one)))
        return self._edit(one, places, what, 0)

    def _edit(self, node: Node, places: tuple[Place, ...], what: str, rank: int) -> Edit:
        statement = nodes.statement_of(node).start_byte
        if nodes.in_step(node):  # smaller steps do the same work more than once
            rank = 3
        where, in_grid = nodes.around(node), node.id in self._in_grid
        return Edit(places, nodes.line(node), what, rank, where, statement, in_grid)

    def _place(self, node: Node, text: str) -> Place:
        is_number = self._types.of(node) in (INT, REAL)
        return Place(node.start_byte, node.end_byte, text, is_number=is_number)

    def _usable(self, node: Node, wanted: Type) -> list[str]:
        """The variables of that type at a node; no arrays of arrays, whose sizes may differ."""
        if wanted.depth > 1:
            return []
        near = (v for v in self._variables if v.first <= node.start_byte < v.last)
        return list(dict.fromkeys(v.name for v in near if v.type == wanted))

    def _is_number(self, node: Node) -> bool:
        known = self._types.of(node)
        return known is None or not known.depth

    def _is_whole_value(self, node: Node) -> bool:
        """Is it all of an index, an argument, or what is assigned, and a whole number?"""
        parent = node.parent
        if parent is None or self._types.of(node) != INT or operator(node) in LOGICAL:
            return False
        if nodes.intrinsic_around(node) or text_of(node) == "0":
            return False  # it must be a constant of 8 bits, or may be a pointer
        if parent.type in ("subscript_argument_list", "argument_list", "initializer_list"):
            return True
        of = {"init_declarator": "value", "assignment_expression": "right"}.get(parent.type, "")
        return parent.child_by_field_name(of) == node if of else False

    def _is_fixed(self, node: Node) -> bool:
        return node.id in self._fixed
