"""What the edits ask of nodes of a syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from grader.correction.types import operator
from grader.source.tree import descend, text_of

STRENGTH = {"*": 5, "/": 5, "%": 5, "+": 4, "-": 4, "<<": 3, ">>": 3, "&": 2, "|": 1}
# What a constant must stand in, or what no expression can replace.
FIXED = {
    "template_argument_list", "enumerator", "case_statement", "static_assert_declaration",
    "sizeof_expression", "preproc_def", "preproc_function_def", "preproc_if", "preproc_call",
    "launch_bounds", "attribute_specifier", "parameter_list", "lambda_capture_specifier",
}  # fmt: skip
BY_NAME = re.compile(r"cudaMemcpy\w*Symbol\w*|cudaGetSymbol\w+")  # their argument is a name
OF_ROOM = re.compile(r"(?:cudaMalloc|cudaHostAlloc|malloc|realloc)\w*\s*\(")
OF_BYTES = re.compile(r"(?:cudaM|cudaHostAlloc|malloc|memcpy|memset|realloc)\w*\s*\(")
INTRINSIC = re.compile(r"_mm\w+")
PAIRS = (
    ("x", "y"), ("width", "height"), ("w", "h"), ("rows", "columns"), ("row", "column"),
    ("row", "col"), ("rows", "cols"), ("a", "b"), ("i", "j"), ("u", "v"), ("left", "top"),
    ("p", "q"), ("r", "c"), ("m", "c"), ("mask", "channel"), ("masks", "channels"),
    ("first", "last"),
)  # fmt: skip


def fixed(function: Node) -> set[int]:
    """The nodes that must stay as they are: sizes of arrays and what they are made of, arguments of
    templates, the head of a loop that OpenMP divides."""
    sizes = [
        n for d in descend(function) if d.type == "array_declarator"
        if (n := d.child_by_field_name("size"))
    ]  # fmt: skip
    needed = {text_of(n) for size in sizes for n in descend(size) if n.type == "identifier"}
    roots, addressed = [*sizes], set[int]()
    for node in descend(function):
        if node.type in FIXED or (node.type == "declaration" and "constexpr" in plain(node)):
            roots.append(node)
        elif node.type == "init_declarator":
            if text_of(node.child_by_field_name("declarator")) in needed:
                roots.append(node)
        elif node.type == "for_statement" and is_divided(node):
            roots += [
                n for name in ("initializer", "condition", "update")
                if (n := node.child_by_field_name(name))
            ]  # fmt: skip
        elif node.type == "pointer_expression" and text_of(node).startswith("&"):
            addressed |= {inner.id for inner in _chain(node)}
    return addressed | {inside.id for root in roots for inside in descend(root)}


def _chain(node: Node | None) -> Iterator[Node]:
    """A node and what it is the element or the address of, but no index."""
    while node is not None:
        yield node
        node = node.child_by_field_name("argument")


def without_brackets(node: Node) -> Node:
    is_bracketed = node.type == "parenthesized_expression" and node.named_children
    return node.named_children[0] if is_bracketed else node


def heads(node: Node) -> list[Node]:
    """What is between the brackets of the nearest `for` around a statement."""
    loop = node.parent
    while loop is not None and loop.type != "for_statement":
        loop = loop.parent
    return [n for n in loop.named_children if not n.type.endswith("statement")] if loop else []


def leaves(node: Node) -> bool:
    """Does it end its function, or a round of a loop around it?"""
    ways = ("return_statement", "break_statement", "continue_statement")
    return any(inside.type in ways for inside in descend(node))


def is_movable(node: Node) -> bool:
    """Is it a call or a loop that no directive is about?"""
    above = node.prev_named_sibling
    is_free = above is None or not above.type.startswith("preproc")
    return is_free and node.type in ("expression_statement", "for_statement")


def shortened(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[:most].rsplit(maxsplit=1)[0]} …"


def is_divided(loop: Node) -> bool:
    above = loop.prev_named_sibling
    return above is not None and above.type.startswith("preproc") and "omp" in text_of(above)


def regrouped(left: Node, sign: str, right: Node) -> Iterator[str]:
    """The other orders of three operands of unlike strength."""
    if left.type == "binary_expression" and differ(left, sign):
        a, b = sides(left)
        yield f"{plain(a)} {operator(left)} ({plain(b)} {sign} {plain(right)})"
    if right.type == "binary_expression" and differ(right, sign):
        a, b = sides(right)
        yield f"({plain(left)} {sign} {plain(a)}) {operator(right)} {plain(b)}"
    for side, other in ((left, right), (right, left)):
        inner = without_brackets(side)
        if inner is not side and inner.type == "binary_expression" and differ(inner, sign):
            both = (plain(inner), plain(other))
            yield f" {sign} ".join(both if side is left else both[::-1])


def differ(node: Node, sign: str) -> bool:
    return STRENGTH.get(operator(node), 0) not in (0, STRENGTH[sign])


def sides(node: Node) -> tuple[Node | None, Node | None]:
    return node.child_by_field_name("left"), node.child_by_field_name("right")


def binary(node: Node, sign: str) -> str:
    left, right = sides(node)
    return f"{plain(left)} {sign} {plain(right)}"


def plain(node: Node | None) -> str:
    return one_line(text_of(node))


def one_line(text: str) -> str:
    """The text without comments and line ends."""
    return " ".join(re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL).split())


def operand(node: Node) -> str:
    """The text, as an operand."""
    text = plain(node)
    simple = ("identifier", "number_literal", "parenthesized_expression", "call_expression",
              "subscript_expression", "field_expression")  # fmt: skip
    return text if node.type in simple else f"({text})"


def is_leaf(node: Node) -> bool:
    is_part = node.parent is not None and node.parent.type == "field_expression"
    return node.type in ("identifier", "field_expression") and not is_part and not is_target(node)


def is_target(node: Node) -> bool:
    """Is it assigned to, or counted up?"""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "update_expression" or parent.type.endswith("declarator"):
        return parent.child_by_field_name("value") != node
    return parent.type == "assignment_expression" and parent.child_by_field_name("left") == node


def is_called(node: Node) -> bool:
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "call_expression":
        return parent.child_by_field_name("function") == node
    by_name = parent.parent.child_by_field_name("function") if parent.parent else None
    return parent.type == "field_expression" or bool(BY_NAME.fullmatch(text_of(by_name)))


def in_index(node: Node) -> bool:
    """Is it inside of an index, of an argument, of a pointer's offset, or of a loop's condition?"""
    while node.parent is not None and not node.type.endswith("statement"):
        if is_condition(node):
            return True
        node = node.parent
        if node.type in ("subscript_argument_list", "argument_list", "init_declarator"):
            return True
    return False


def is_condition(node: Node) -> bool:
    """Is it that of a loop?"""
    loop, around = node.parent, node.parent.parent if node.parent else None
    if around is not None and around.type == "while_statement":
        return around.child_by_field_name("condition") == loop
    is_loop = loop is not None and loop.type == "for_statement"
    return is_loop and loop.child_by_field_name("condition") == node  # type: ignore[union-attr]


def is_stepped(node: Node) -> bool:
    """Is it the condition of a loop that may not count by one?"""
    step = node.parent.child_by_field_name("update") if node.parent else None
    return is_condition(node) and (step is None or step.type != "update_expression")


def in_step(node: Node) -> bool:
    """Is it in what a `for` adds each time?"""
    while node.parent is not None and not node.type.endswith("statement"):
        if node.type == "assignment_expression" and node.parent.type == "for_statement":
            return node.parent.child_by_field_name("update") == node
        node = node.parent
    return False


def in_grid(function: Node) -> set[int]:
    """The nodes that count blocks or threads: in `dim3 grid(...)`, the first two numbers of a
    launch, and what is stored in a variable that stands there."""
    found = [n for node in descend(function) for n in _shape(node)]
    names = {text_of(node) for node in found if node.type == "identifier"}
    for node in descend(function):
        value, target = (node.child_by_field_name(n) for n in ("value", "declarator"))
        if node.type == "init_declarator" and value and text_of(target) in names:
            found.append(value)
    return {inside.id for node in found for inside in descend(node)}


def _shape(node: Node) -> list[Node]:
    if node.type == "kernel_call_syntax":
        return node.named_children[:2]
    is_dim3 = node.type == "declaration" and text_of(node.child_by_field_name("type")) == "dim3"
    return [node] if is_dim3 else []


def rest(node: Node) -> str:
    """What is left of a loop over `node` each time, as in for (...; i < n; i += node); "" for what
    no loop around it steps by."""
    loop, name = node.parent, text_of(node)
    while loop is not None:
        step, test = (loop.child_by_field_name(n) for n in ("update", "condition"))
        if step and test and step.type == "assignment_expression" and operator(test) == "<":
            counted, by = sides(step)
            first, end = sides(test)
            is_step = operator(step) == "+=" and text_of(by) == name
            if is_step and text_of(first) == text_of(counted) and node.start_byte > step.end_byte:
                return f"{operand(end)} - {plain(counted)}" if end else ""
        loop = loop.parent
    return ""


def index(node: Node) -> Node | None:
    inside = node.child_by_field_name("indices")
    return inside.named_children[0] if inside and inside.named_children else None


def words(node: Node) -> set[str]:
    """The names in it."""
    return {text_of(inside) for inside in descend(node) if inside.type == "identifier"}


def statement_of(node: Node) -> Node:
    """The smallest statement or declaration around a node."""
    while node.parent is not None and not node.type.endswith(("statement", "declaration")):
        node = node.parent
    return node


def part_of(node: Node) -> Node:
    """The smallest statement, declaration or condition of a loop around a node."""
    while node.parent is not None and not (
        is_condition(node) or node.type.endswith(("statement", "declaration"))
    ):
        node = node.parent
    return node


def launch_of(call: Node) -> Node | None:
    """What is between <<< and >>>; None where the call is no launch."""
    return next((n for n in call.named_children if n.type == "kernel_call_syntax"), None)


@dataclass(frozen=True)
class Bytes:
    """Nodes of a function, by their ids. whole: the numbers of bytes that allocations, copies and
    launches get, and what is stored in a variable that stands there without a sizeof. inside: all
    nodes in what becomes such a number. room: those of numbers that only make room: of allocations
    and of a launch's shared memory, of which more than is needed does no harm."""

    whole: set[int]
    inside: set[int]
    room: set[int]


def in_bytes(function: Node) -> Bytes:
    """Which of its nodes are numbers of bytes, or in one."""
    room: list[Node] = []
    copied: list[Node] = []
    for node in descend(function):
        if node.type == "kernel_call_syntax":
            room += node.named_children[2:3]
        elif node.type == "call_expression" and OF_BYTES.match(text_of(node)):
            given = node.child_by_field_name("arguments")
            (room if OF_ROOM.match(text_of(node)) else copied).extend(
                given.named_children if given else []
            )
    found = room + copied
    bare = {name for given in found if "sizeof" not in text_of(given) for name in words(given)}
    in_room, in_copies = (set[str]().union(*map(words, each)) for each in (room, copied))
    whole = {node.id for node in found}
    for node in descend(function):
        target = node.child_by_field_name("declarator") or node.child_by_field_name("left")
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        is_stored = node.type in ("init_declarator", "assignment_expression")
        if not is_stored or not value or (name := text_of(target)) not in in_room | in_copies:
            continue
        found.append(value)
        if name in bare:
            whole.add(value.id)
        if name not in in_copies:
            room.append(value)
    return Bytes(whole, _inside(found), _inside(room))


def _inside(found: list[Node]) -> set[int]:
    return {inside.id for node in found for inside in descend(node)}


def given(call: Node) -> str:
    """Its arguments, with the brackets around them."""
    return plain(call.child_by_field_name("arguments"))


def intrinsic_around(node: Node) -> Node | None:
    given = node.parent
    call = given.parent if given and given.type == "argument_list" else None
    is_one = call and INTRINSIC.fullmatch(text_of(call.child_by_field_name("function")))
    return call if is_one else None


def around(node: Node) -> str:
    """The smallest expression that says where a node is."""
    while node.parent is not None and (
        len(plain(node)) < 12 or node.type in ("argument_list", "subscript_argument_list")
    ):
        if node.parent.type.endswith(("statement", "declaration", "clause")):
            break
        node = node.parent
    return plain(node)


def are_alike(one: str, other: str) -> bool:
    """Do two names differ by a word that people confuse, or share one?"""
    a, b = (
        set(re.findall(r"[a-z]+", re.sub(r"([A-Z][a-z])", r"_\1", n).lower())) for n in (one, other)
    )
    if a == b or (a & b and one.isupper() == other.isupper()):
        return True
    only = a - b, b - a
    return any(only in (({p}, {q}), ({q}, {p})) for p, q in PAIRS)


def is_constant(name: str) -> bool:
    return name.isupper() or name[:1] == "k"


def line(node: Node) -> int:
    return int(node.start_point.row) + 1
