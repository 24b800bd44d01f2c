"""A CUDA source file as a syntax tree, and edits that keep every line at its number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

# nvcc's #pragma unroll, which has another name in g++; the counters of a traced run depend on it.
# Only before a loop, as g++ allows it nowhere else. Only a literal number of iterations: any other
# may depend on a template parameter, which g++ does not allow.
UNROLL = re.compile(
    rb"""^[ \t]*\#[ \t]*pragma[ \t]+
    (?P<unroll>unroll\b(?:[ \t]*\(?[ \t]*(?P<iterations>[1-9]\d{0,3})(?:[ \t]*\))?)?)
    [ \t\r]*(?://.*)?\n
    (?=(?:\s|//.*\n|/\*(?:[^*]|\*(?!/))*\*/)*(?:for|while|do)\b)""",
    re.MULTILINE | re.VERBOSE,
)
# nvcc's mark of a function that is not inlined. A macro cannot replace it, because the C++ library
# writes __attribute__((__noinline__)).
NOT_INLINED = re.compile(rb"[(,]\s*__noinline__\b|\b(?P<word>__noinline__)\b")
# The mark of device lambdas, which the grammar does not know: [=] __device__(int i) {}
LAMBDA = re.compile(rb"(?<=[^\]]\])\s*(?:__(?:host|device)__\s*)+(?=[({])")
# A grid or block in braces, <<<1, {16, 16}>>>: for the grammar, parentheses take their place.
LAUNCH = re.compile(rb"<<<(?:(?!>>>|;)[\s\S]){1,400}>>>")
BRACED = re.compile(rb"((?:<<<|,)\s*)\{([^{}]+)\}(?=\s*(?:,|>>>))")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAX_ITERATIONS = "1024"  # of a loop that is to be unrolled completely


class Refusal(Exception):  # noqa: N818 - the word for it
    """Something that the simulator cannot run, and its line and column (both from 1)."""

    def __init__(self, shown: str, node: Node, message: str) -> None:
        row, column = node.start_point
        super().__init__(f"{shown}:{row + 1}:{column + 1}: error: {message}")


@dataclass(frozen=True)
class Edit:
    """Replaces the bytes start..end by `text`."""

    start: int
    end: int
    text: str


def text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def below(node: Node) -> Iterator[Node]:
    """Every node of a (small) tree, in source order."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(here.children))


def on_one_line(node: Node) -> str:
    """The text of an expression without comments and line ends."""
    code = bytearray(node.text or b"")
    for part in below(node):
        if part.type == "comment":
            for i in range(part.start_byte - node.start_byte, part.end_byte - node.start_byte):
                code[i] = ord(" ")
    return " ".join(code.decode(errors="replace").replace("\\\n", " ").split())


@dataclass
class Source:
    """One file: its bytes, its tree, and the edits so far."""

    source: bytes
    shown: str  # the file's name in messages
    edits: list[Edit] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.source = self.source.removeprefix(BYTE_ORDER_MARK)
        # The grammar does not know __align__(n), which is written like alignas(n).
        understood = self.source.replace(b"__align__", b"alignas  ")
        understood = LAMBDA.sub(lambda m: re.sub(rb"\w", b" ", m.group()), understood)
        self.understood = LAUNCH.sub(lambda m: BRACED.sub(rb"\1(\2)", m.group()), understood)
        parser = Parser(Language(tree_sitter_cuda.language()))
        self.root = parser.parse(self.understood).root_node
        for match in UNROLL.finditer(self.source):
            iterations = (match["iterations"] or b"").decode() or MAX_ITERATIONS
            self.cut(*match.span("unroll"), f"GCC unroll {iterations}")
        for match in NOT_INLINED.finditer(self.source):
            if match["word"]:
                self.cut(*match.span("word"), "__attribute__((noinline))")

    def refusal(self, node: Node, message: str) -> Refusal:
        return Refusal(self.shown, node, message)

    def find(self, pattern: bytes) -> Iterator[tuple[Node, str]]:
        """The matches of a regular expression, each with the smallest node that holds it."""
        for match in re.finditer(pattern, self.understood, re.MULTILINE):
            node = self.root.descendant_for_byte_range(match.start(), match.end())
            if node is not None:
                yield node, match.group().decode(errors="replace")

    def find_word(self, word: str) -> Iterator[Node]:
        return (node for node, _ in self.find(rb"\b%s\b" % word.encode()))

    def above(self, node: Node) -> list[Node]:
        """The nodes that contain `node`, the innermost first."""
        path: list[Node] = []
        here: Node | None = self.root
        while here is not None and here != node:
            path.append(here)
            here = here.child_with_descendant(node)
        return path[::-1]

    def function(self, node: Node) -> tuple[Node, str] | None:
        """The innermost function around `node`, and the source before its body."""
        for at in self.above(node):
            body = at.child_by_field_name("body")
            if at.type == "function_definition" and body is not None:
                head = self.source[at.start_byte : body.start_byte].decode(errors="replace")
                return at, head
        return None

    def cut(self, start: int, end: int, new: str) -> None:
        self.edits.append(Edit(start, end, new))

    def insert(self, at: int, new: str) -> None:
        self.cut(at, at, new)

    def replace(self, node: Node, new: str) -> None:
        self.cut(node.start_byte, node.end_byte, new)

    def edited(self) -> bytes:
        """The file with its edits; edits at the same index apply in the order of their creation."""
        out: list[bytes] = []
        at = 0
        for edit in sorted(self.edits, key=lambda e: (e.start, e.end)):
            out += [self.source[at : edit.start], edit.text.encode()]
            at = edit.end
        return b"".join([*out, self.source[at:]])
