"""What belongs together by its brackets: pairs, calls and statements. Each takes linear time.

A tree would have to guess where macros and unfinished code do not fit the grammar; brackets do not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from re import Pattern

from grader.source.directives import Directive
from grader.source.lexer import Token

_OPENING = {")": "(", "]": "[", "}": "{"}
_HEADED = frozenset(["if", "for", "while", "switch"])
KEYWORDS = _HEADED | {"sizeof", "return", "catch", "do", "else", "alignof", "decltype", "defined"}
_MOST_ARGUMENTS = 64  # tokens between the angle brackets of a template or a launch


@dataclass(frozen=True)
class Call:
    """name(arguments), or name<...>(arguments), from the name to behind the bracket. text: what
    the places are of, without comments."""

    name: str
    start: int
    end: int
    places: list[tuple[int, int]]  # of the arguments
    text: str = field(repr=False)

    @property
    def arguments(self) -> list[str]:
        """Each on one line."""
        parts = (self.text[start:end].replace("\\\n", " ") for start, end in self.places)
        return [" ".join(part.split()) for part in parts]


def pairs(tokens: Sequence[Token], directives: Sequence[Directive] = ()) -> dict[int, int]:
    """The index of the closing bracket by that of its opening one. A bracket without another is
    left out; each branch of an #if begins with the brackets that are open at the #if."""
    found: dict[int, int] = {}
    opened: _Open | None = None
    branches: list[_Open | None] = []
    waiting = iter([d for d in directives if d.name.startswith(("if", "el", "endif"))])
    directive = next(waiting, None)
    for at, (_, sign, *_) in enumerate(tokens):
        while directive is not None and directive.at <= at:
            if directive.name.startswith("if"):
                branches.append(opened)
            elif branches and directive.name.startswith("el"):
                opened = branches[-1]
            elif branches:
                branches.pop()
            directive = next(waiting, None)
        if sign in ("(", "[", "{"):
            opened = _Open(at, sign, opened)
        elif (wanted := _OPENING.get(sign)) and opened is not None:
            if sign == "}" and opened.brace is not None:
                opened = opened.brace  # it ends what was left open inside
            if opened.sign == wanted:
                found[opened.at] = at
                opened = opened.below
    return found


class _Open:
    """A bracket that is open, and those around it."""

    __slots__ = ("at", "below", "brace", "sign")

    def __init__(self, at: int, sign: str, below: "_Open | None") -> None:
        self.at, self.sign, self.below = at, sign, below
        self.brace: _Open | None = self if sign == "{" else below and below.brace


def statement_ends(tokens: Sequence[Token], closing: dict[int, int]) -> list[int]:
    """For each token the index behind the statement that begins with it: behind a closing brace, a
    semicolon outside of brackets, or what a loop or a condition governs."""
    count = len(tokens)
    simple = [count] * (count + 1)  # behind the next semicolon
    ends = [count] * (count + 2)

    def headed(at: int, default: int) -> int:
        """Where the statement ends that follows the brackets at `at`."""
        return ends[closing[at] + 1] if at in closing and tokens[at].text == "(" else default

    for at in range(count - 1, -1, -1):
        word = tokens[at].text
        after = tokens[at + 1].text if at + 1 < count else ""
        if word == ";":
            simple[at] = at + 1
        elif word == "}":
            simple[at] = at
        else:
            simple[at] = simple[closing.get(at, at) + 1]
        end = simple[at]
        if word == "{":
            end = closing.get(at, count - 1) + 1
        elif word in _HEADED:
            end = headed(at + 1 + (after == "constexpr"), end)
        elif word in ("else", "do"):
            end = ends[at + 1]
        elif after == "(" and (body := closing.get(at + 1, count) + 1) < count:
            end = ends[body] if tokens[body].text == "{" else end  # a macro that is a loop
        following = tokens[end].text if end < count else ""
        if (word, following) in (("if", "else"), ("do", "while")):
            end = ends[end]
        ends[at] = end
    return ends[: count + 1]


def calls(
    tokens: Sequence[Token], closing: dict[int, int], text: str, names: Pattern[str], inside: range
) -> Iterator[Call]:
    """The calls of functions whose whole name matches, among the tokens `inside`, in order. text:
    what the tokens are of, without comments. A declaration looks the same."""
    for at in inside:
        if tokens[at].text != "(" or at not in closing:
            continue
        name = called(tokens, at)
        if name >= 0 and names.fullmatch(tokens[name].text):
            places = list(arguments(tokens, closing, at))
            start, end = tokens[name].start, tokens[closing[at]].end
            yield Call(tokens[name].text, start, end, places, text)


def called(tokens: Sequence[Token], bracket: int) -> int:
    """The index of the name in front of a bracket that may begin a call; -1 for none. Between them
    may be a template's arguments and a launch."""
    at, depth = bracket - 1, 0
    while at >= 0 and (depth or tokens[at].text in (">", ">>")):
        sign = tokens[at].text
        depth += sign.count(">") * (sign in (">", ">>")) - sign.count("<") * (sign in ("<", "<<"))
        at -= 1
        if bracket - at > _MOST_ARGUMENTS or sign in (";", "{", "}", "&&", "||"):
            return -1  # two comparisons
    is_name = at >= 0 and tokens[at].kind == "word" and tokens[at].text not in KEYWORDS
    return at if is_name else -1


def arguments(
    tokens: Sequence[Token], closing: dict[int, int], bracket: int
) -> Iterator[tuple[int, int]]:
    """Where the text of each argument begins and ends; nothing between the brackets is none."""
    at, start = bracket + 1, tokens[bracket].end
    while at < closing[bracket]:
        if tokens[at].text == ",":
            yield start, tokens[at].start
            start = tokens[at].end
        at = closing.get(at, at) + 1
    if closing[bracket] > bracket + 1:
        yield start, tokens[closing[bracket]].start
