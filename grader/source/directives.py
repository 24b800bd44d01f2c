"""The lines of the preprocessor, and the code between them that it keeps."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.source.lexer import Token

_VALUES = {"0": False, "false": False, "1": True, "true": True}  # of conditions that are certain


@dataclass(frozen=True)
class Directive:
    """A line such as `#pragma omp for`. words: its tokens behind the name, without comments. at:
    the index of the first token of the code behind it."""

    name: str
    words: Sequence[Token]
    start: int
    at: int

    def said(self) -> list[str]:
        return [token.text for token in self.words]


@dataclass
class Live:
    """What is compiled for certain or perhaps: the tokens of code without comments, the directives,
    and the places in the text of comments and of what `#if 0` takes out."""

    code: list[Token] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)
    blank: list[tuple[int, int]] = field(default_factory=list)


def live(tokens: Sequence[Token]) -> Live:
    """Sorts the tokens of a file. A condition other than 0 and 1 may hold: all its branches are
    live."""
    found, at = Live(), 0
    conditions = _Conditions()
    while at < len(tokens):
        token = tokens[at]
        if token.first and token.text == "#":
            end = next((n for n in range(at + 1, len(tokens)) if tokens[n].first), len(tokens))
            words = [t for t in tokens[at + 1 : end] if t.kind != "comment"]
            was_live = conditions.live
            if words:
                conditions.enter(words[0].text, [t.text for t in words[1:]])
            if was_live or conditions.live:
                name = words[0].text if words else ""
                found.directives.append(Directive(name, words[1:], token.start, len(found.code)))
                dropped = [t for t in tokens[at:end] if t.kind == "comment"]
            else:
                dropped = list(tokens[at:end])
            found.blank += [(t.start, t.end) for t in dropped]
            at = end
            continue
        if token.kind == "comment" or not conditions.live:
            found.blank.append((token.start, token.end))
        else:
            found.code.append(token)
        at += 1
    return found


class _Conditions:
    """Which branch of #if is read. taken: an earlier branch holds for certain."""

    def __init__(self) -> None:
        self.live = True
        self._open: list[tuple[bool, bool]] = []  # was it live outside, taken

    def enter(self, name: str, words: list[str]) -> None:
        value = _VALUES.get(words[0]) if len(words) == 1 and name in ("if", "elif") else None
        if name in ("if", "ifdef", "ifndef"):
            self._open.append((self.live, value is True))
            self.live = self.live and value is not False
        elif name in ("elif", "elifdef", "elifndef", "else") and self._open:
            outside, taken = self._open.pop()
            self._open.append((outside, taken or value is True))
            self.live = outside and not taken and value is not False
        elif name == "endif" and self._open:
            self.live, _ = self._open.pop()
