"""Names that stay names in a fingerprint, and constants that count as numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from grader.source.tree import descend, text_of

# What no student can rename: CUDA, and the C and C++ libraries as the labs use them.
_LIBRARY = re.compile(
    r"cuda\w*|cu[A-Z]\w*|__\w+|omp_\w+|dim3|float[234]|int[234]|uchar[34]|uint[234]|warpSize"
    r"|f?(?:min|max|ma|abs)f?|(?:sqrt|floor|ceil|lrint|exp|log|round|trunc)f?"
    r"|malloc|calloc|realloc|free|memcpy|memset|memmove|printf|fprintf|assert|std"
    r"|atomic\w+|blockIdx|threadIdx|blockDim|gridDim"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"(?:0[xXbB])?[\d.][\w.']*")
_SIGNS = re.compile(r"[-+*/%<>|&^~()\s]*")


@dataclass
class Names:
    """What is known of the names in a file."""

    fixed: frozenset[str] = frozenset()  # that the lab's header declares
    constants: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)  # of #define A B

    def copy(self) -> Names:
        return Names(self.fixed, set(self.constants), dict(self.aliases))

    def meaning(self, name: str) -> str:
        """The name behind #defines."""
        for _ in range(8):  # a circle ends somewhere
            if name not in self.aliases:
                break
            name = self.aliases[name]
        return name

    def stays(self, name: str) -> bool:
        return name in self.fixed or _LIBRARY.fullmatch(name) is not None

    def learn_macros(self, root: Node) -> None:
        """Notes the constants that a text #defines."""
        for node in descend(root):
            value = node.child_by_field_name("value")
            if node.type == "preproc_def" and self.is_constant_text(text_of(value)):
                self.constants.add(text_of(node.child_by_field_name("name")))

    def is_constant_text(self, text: str) -> bool:
        """Is a text, as of a #define, made of numbers and constants alone?"""
        words = _WORD.findall(_NUMBER.sub(" ", text))
        rest = _WORD.sub(" ", _NUMBER.sub(" ", text))
        numbers = bool(_NUMBER.search(text)) or bool(words)
        known = all(self.meaning(word) in self.constants for word in words)
        return numbers and known and _SIGNS.fullmatch(rest) is not None


def declared(root: Node) -> frozenset[str]:
    """The functions, enumerators and fields that a header declares: a student must use their
    names."""
    kinds = ("function_declarator", "enumerator", "field_declaration")
    names = set()
    for node in descend(root):
        if node.type in kinds:
            first = next((c for c in node.named_children if "identifier" in c.type), None)
            names.add(text_of(first))
    return frozenset(names - {""})
