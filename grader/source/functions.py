"""The functions that a file defines or declares, found by their heads and brackets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.source.brackets import KEYWORDS
from grader.source.lexer import Token

# Words before a parenthesis in a function's head that are not its name.
_NOT_NAMES = KEYWORDS | {
    *("__attribute__", "__attribute", "__declspec", "__launch_bounds__", "__align__", "alignas"),
    *("noexcept", "requires", "explicit", "asm", "__asm__", "_Alignas", "__cluster_dims__"),
}
_HOLDS_MORE = frozenset(["namespace", "class", "struct", "union"])


@dataclass(frozen=True)
class Function:
    """Indices of tokens. first: of its head; at: of its name, behind which a bracket opens the
    parameters; body: what is between its braces, empty at 0 where it is only declared."""

    name: str
    first: int
    at: int
    body: range

    def is_defined(self) -> bool:
        return self.body.start > 0


def functions(tokens: Sequence[Token], closing: dict[int, int]) -> Iterator[Function]:
    """In order; those inside of others, such as lambdas, belong to these. A body without its
    closing brace is none; what follows it is read."""
    at = begin = head = 0  # begin: behind the last brace; head: behind the last semicolon, too
    while at < len(tokens):
        sign = tokens[at].text
        if sign == ";":
            name = _name(tokens, closing, head, at)
            if name >= 0 and closing[name + 1] == at - 1:
                yield Function(tokens[name].text, head, name, range(0))
            head = at + 1
        elif sign == "}":
            begin = head = at + 1
        elif sign == "{":
            first = head if head < at else begin
            name = _name(tokens, closing, first, at, old=head == at)
            if at not in closing or (name < 0 and _holds_more(tokens[head:at])):
                begin = head = at + 1
            elif name >= 0:
                first = first if head < at else _first(tokens, first, name)
                yield Function(tokens[name].text, first, name, range(at + 1, closing[at]))
                at = closing[at]
                begin = head = at + 1
            else:  # values, the names of an enum, or a block that is no function's
                begin = closing[at] + 1 if head == at else begin
                at = closing[at]
                head = at + 1
        elif sign in ("(", "["):
            at = closing.get(at, at)
        at += 1


def _name(
    tokens: Sequence[Token], closing: dict[int, int], first: int, end: int, old: bool = False
) -> int:
    """The index of the name in a function's head; -1 for none. old: the types of the parameters
    stand behind the bracket, as in int f(a) int a; {."""
    found, at, is_sure = -1, first, False
    attributes: set[int] = set()  # their closing brackets
    while at < end:
        sign, before = tokens[at].text, tokens[at - 1]
        if sign == "=" or (sign == ":" and found >= 0):
            return -1 if sign == "=" else found
        if sign == "(" and at > first and before.kind == "word" and at in closing:
            behind = tokens[closing[at] + 1].kind if closing[at] + 1 < len(tokens) else ""
            typed = at - 1 > first and _is_of_a_type(tokens, at - 2, attributes)
            if before.text in _NOT_NAMES:
                attributes.add(closing[at])
            elif (typed or not is_sure) and (not old or behind == "word"):
                found, is_sure = at - 1, typed
        at = closing.get(at, at) + 1 if sign in ("(", "[", "{") else at + 1
    return found


def _is_of_a_type(tokens: Sequence[Token], before: int, attributes: set[int]) -> bool:
    """May what ends there be the type of what follows?"""
    token = tokens[before]
    is_type = token.kind == "word" and token.text not in KEYWORDS
    return is_type or token.text in ("*", "&", ">", "::") or before in attributes


def _first(tokens: Sequence[Token], first: int, name: int) -> int:
    """Where the declaration begins that the name is in."""
    while name > first and tokens[name - 1].text != ";":
        name -= 1
    return name


def _holds_more(head: Sequence[Token]) -> bool:
    """Are there functions in the braces behind it?"""
    words = {token.text for token in head}
    linked = "extern" in words and head[-1].kind == "text"
    return linked or (bool(words & _HOLDS_MORE) and "=" not in words)
