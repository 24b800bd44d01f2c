"""What costs no points, since no input of a check shows it: a grid with a block too many, and an
index that overflows on an image larger than any of them."""

from collections.abc import Iterator

from tree_sitter import Node

from grader.model import plain_text
from grader.model.submission import Submission
from grader.source.tree import descend, levels, parse, text_of

WIDE = ("size_t", "long", "64", "ptrdiff", "float", "double", "auto")  # in the name of a type
FACTORS = 3
SIDES = ("width", "height")
LARGEST, DEEPEST = 200_000, 100  # bytes, and levels of nesting: more is not read


def warnings(submission: Submission) -> list[str]:
    """One line for each place, in the files of CUDA."""
    lines: dict[str, None] = {}
    for name, content in submission.contents.items():
        if name.endswith(".cu") and len(content) <= LARGEST:
            root = parse(content)
            if len(levels(root, DEEPEST)) > DEEPEST:
                continue
            for node, words in (*_blocks_too_many(root), *_narrow_products(root)):
                where = f"{submission.path(name)}:{node.start_point.row + 1}"
                lines[plain_text.line(f"{where}: {words}")] = None
    return list(lines)


def _blocks_too_many(root: Node) -> Iterator[tuple[Node, str]]:
    """Quotients n / b + 1 of a grid; (n - 1) / b + 1 is rounded up."""
    for node in _of_grids(root):
        quotient, one = (node.child_by_field_name(side) for side in ("left", "right"))
        if _sign(node) != "+" or text_of(one) != "1" or _sign(quotient) != "/":
            continue
        assert quotient
        n, b = (text_of(quotient.child_by_field_name(side)) for side in ("left", "right"))
        if "-" not in n:
            instead = f"({n} + {b} - 1) / {b} rounds up"
            yield node, f"`{text_of(node)}` is a block too many where {b} divides {n}: {instead}"
        elif "+" in n:
            instead = f"`{text_of(quotient)}` is rounded up already"
            yield node, f"`{text_of(node)}` is a block too many: {instead}"


def _of_grids(root: Node) -> Iterator[Node]:
    """What is computed in a dim3, between <<< and >>>, or for a variable that stands there."""
    nodes = list(descend(root))
    grids = [grid for node in nodes if (grid := _grid(node))]
    names = {name for grid in grids for name in _names(grid)}
    known = {grid.id for grid in grids}
    for node in nodes:
        is_named = node.type == "init_declarator" and _names(node.child_by_field_name("declarator"))
        if node.id in known or (is_named and is_named <= names):
            yield from (each for each in descend(node) if each.type == "binary_expression")


def _grid(node: Node) -> Node | None:
    """The node, if it makes a dim3; of <<<...>>> the first argument."""
    if node.type == "kernel_call_syntax":
        return next(iter(node.named_children), None)
    field = {"declaration": "type", "call_expression": "function"}.get(node.type, "")
    is_one = field and text_of(node.child_by_field_name(field)) == "dim3"
    return node if is_one else None


def _narrow_products(root: Node) -> Iterator[tuple[Node, str]]:
    """Products of both sides of an image and more in int or unsigned."""
    wide = {name for node in descend(root) for name in _declared_wide(node)}
    for node in descend(root):
        if _sign(node) != "*" or _sign(node.parent) == "*":
            continue
        factors = _factors(node)
        words = [text_of(each) for each in factors]
        plain = all(
            each.type in ("identifier", "field_expression", "parenthesized_expression")
            and not any(part.type == "cast_expression" for part in descend(each))
            and not wide & _names(each)
            for each in factors
        )
        varying = [w for w in words if not w.isupper()]
        if plain and len(varying) >= FACTORS and all(any(s in w for w in words) for s in SIDES):
            instead = f"begin the product with (size_t){words[0]}"
            yield node, f"`{text_of(node)}` overflows its 32 bits on a large image: {instead}"


def _sign(node: Node | None) -> str:
    is_binary = node is not None and node.type == "binary_expression"
    return text_of(node.child_by_field_name("operator")) if node and is_binary else ""


def _factors(node: Node | None) -> list[Node]:
    """Those of a * b * c, which is (a * b) * c."""
    found = []
    while node and _sign(node) == "*":
        found += [right] if (right := node.child_by_field_name("right")) else []
        node = node.child_by_field_name("left")
    return [*([node] if node else []), *reversed(found)]


def _declared_wide(node: Node) -> set[str]:
    """The names that a declaration gives one of the types that hold more than 32 bits."""
    is_one = node.type in ("declaration", "parameter_declaration")
    if not is_one or not any(w in text_of(node.child_by_field_name("type")) for w in WIDE):
        return set()
    declared = node.children_by_field_name("declarator")
    inner = (each.child_by_field_name("declarator") or each for each in declared)
    return {name for each in inner for name in _names(each)}


def _names(node: Node | None) -> set[str]:
    nodes = descend(node) if node else ()
    return {text_of(each) for each in nodes if each.type == "identifier"}
