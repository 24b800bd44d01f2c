"""Disguises of a program, as someone would make them who hands in another's work.

Each takes a source and returns one that does the same (merged and partial copies: that parses)."""

import re
from collections.abc import Callable
from itertools import pairwise

from tree_sitter import Node

from grader.classroom.similarity.names import Names
from grader.source import lexer
from grader.source.tree import parse

Edit = Callable[[Node, bytes], bytes | None]
_KEPT = (
    *("BORDER_ZERO", "BORDER_REPLICATE", "MASK_MAX_RADIUS", "MASK_MAX_SIZE", "PHASES", "NULL"),
    *("x", "y", "z", "w", "omp", "unroll", "set_mask", "set_bank", "correlate_constant"),
    *("correlate_polyphase", "correlate_loops", "correlate_rows", "correlate_openmp"),
)
KEPT = Names(frozenset(_KEPT))


def _edited(source: bytes, edit: Edit) -> bytes:
    """The source with every node for which `edit` returns a text replaced by it, from the inside
    out."""

    def render(node: Node) -> bytes:
        parts, place = [], node.start_byte
        for child in node.children:
            parts += [source[place : child.start_byte], render(child)]
            place = child.end_byte
        text = b"".join([*parts, source[place : node.end_byte]])
        replaced = edit(node, text)
        return text if replaced is None else replaced

    root = parse(source)
    return source[: root.start_byte] + render(root) + source[root.end_byte :]


def renamed(source: bytes) -> bytes:
    """Every name that a student can choose is another one."""
    new: dict[bytes, bytes] = {}

    def edit(node: Node, text: bytes) -> bytes | None:
        if node.type != "identifier" or KEPT.stays(text.decode()):
            return None
        return new.setdefault(text, b"other_%d" % len(new))

    done = _edited(source, edit)
    for old, name in new.items():  # macros and launches that the grammar reads as types or text
        done = re.sub(rb"\b" + re.escape(old) + rb"\b(?!\s*\.h)", name, done)
    return done


def recommented(source: bytes) -> bytes:
    """Other comments, other white space, each statement behind a comment of its own."""
    text = lexer.without_comments(source.decode(), "").encode()
    lines = [line.strip() for line in text.split(b"\n") if line.strip()]
    return b"\n\n".join(
        line
        if line.startswith(b"#") or line.endswith(b"\\")
        else b"\t" + line + b" // my idea %d" % i
        for i, line in enumerate(lines)
    )


def reordered(source: bytes) -> bytes:
    """The functions in the opposite order, behind the rest of the file."""
    root = parse(source)
    functions = ("function_definition", "template_declaration")
    items = [(n.type in functions, source[n.start_byte : n.end_byte]) for n in root.children]
    others = [text for is_function, text in items if not is_function]
    return b"\n".join([*others, *reversed([text for is_function, text in items if is_function])])


def relooped(source: bytes) -> bytes:
    """`for` becomes `while`, and `i++` becomes `i += 1`. A loop with `continue` keeps its form."""

    def edit(node: Node, text: bytes) -> bytes | None:
        owner = node.parent.type if node.parent is not None else ""
        if node.type == "update_expression" and owner in ("for_statement", "expression_statement"):
            name = source[node.start_byte : node.end_byte].strip(b"+-")
            return name + (b" += 1" if b"++" in text else b" -= 1")
        if node.type == "for_statement" and b"continue" not in text and not _after_pragma(node):
            head = _head(text)
            if head is None:
                return None
            start, test, step, body = head
            return b"{ %s; while (%s) { %s %s; } }" % (
                start,
                test or b"1",
                body,
                step or b"(void)0",
            )
        return None

    return _edited(source, edit)


def _after_pragma(node: Node) -> bool:
    before = node.prev_named_sibling
    return before is not None and before.type == "preproc_call"


def _head(text: bytes) -> tuple[bytes, bytes, bytes, bytes] | None:
    """The three parts between the brackets of a `for`, and its body."""
    start = text.index(b"(")
    depth, cuts = 0, [start]
    for i in range(start, len(text)):
        depth += (text[i : i + 1] == b"(") - (text[i : i + 1] == b")")
        if depth == 1 and text[i : i + 1] == b";":
            cuts.append(i)
        if depth == 0:
            cuts.append(i)
            break
    if len(cuts) != 4:
        return None
    a, b, c = (text[x + 1 : y].strip() for x, y in pairwise(cuts))
    return a, b, c, text[cuts[3] + 1 :].strip()


def rebraced(source: bytes) -> bytes:
    """Braces round single statements, and declarations apart from their values."""

    def edit(node: Node, text: bytes) -> bytes | None:
        owner = node.parent.type if node.parent is not None else ""
        if node.type in ("expression_statement", "return_statement") and owner in (
            "if_statement",
            "for_statement",
            "else_clause",
        ):
            return b"{\n" + text + b"\n}"
        if node.type == "declaration" and owner == "compound_statement":
            split = re.fullmatch(rb"(int|float) (\w+) = ([^,;]*);", text)
            if split:
                return b"%s %s;\n%s = %s;" % (split[1], split[2], split[2], split[3])
        return None

    return _edited(source, edit)


def everything(source: bytes) -> bytes:
    return recommented(reordered(renamed(rebraced(relooped(source)))))


DISGUISES: dict[str, Callable[[bytes], bytes]] = {
    "renamed variables": renamed,
    "other comments": recommented,
    "functions in another order": reordered,
    "other loop forms": relooped,
    "other braces, split declarations": rebraced,
    "all of these": everything,
}
