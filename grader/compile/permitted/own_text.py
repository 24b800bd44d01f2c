"""Which tokens of a preprocessed file come from the submission's own files, and from which line;
and what headers add to them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from grader.source import lexer

MARKER = re.compile(rb'\n# (\d{1,9}) "((?:[^"\\\n]|\\.)*)"[^\n]*')
# What a line that looks like a marker may be inside of, and what only looks like its beginning.
BETWEEN_MARKERS = re.compile(
    rb"""(?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)")
    |(?P<unended>(?:u8|[uUL])?R"[^()\\\s]{0,16}\(.*)
    |(?P<line>\n[ \t]*\#[^\n]*)
    |(?P<text>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)++'|["'][^\n]*)
    |(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    |(?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)""",
    re.DOTALL | re.VERBOSE,
)


@dataclass
class Text:
    """One submitted file as the preprocessor leaves it, token by token."""

    name: str
    tokens: list[tuple[str, str, int]] = field(default_factory=list)  # kind, text, line


@dataclass(frozen=True)
class Piece:
    """The text between two markers. owner: the submitted file that it is of, if any; path: of
    its file as the marker has it; line: the number of its first line."""

    owner: str | None
    path: str
    line: int
    content: bytes


def own_text(preprocessed: bytes, owner: Callable[[str], str | None]) -> Text:
    """The tokens that come from the submission's own files. owner: the name of such a file, by the
    path that markers have for it; None for a header of the course or of the machine."""
    text = Text("")
    for piece in pieces(preprocessed, owner):
        if piece.owner:
            _add(text, piece.content, piece.owner, piece.line)
    return text


def pieces(preprocessed: bytes, owner: Callable[[str], str | None]) -> Iterator[Piece]:
    """The preprocessed file in pieces. owner: as for own_text."""
    known: dict[bytes, tuple[str | None, str]] = {}
    current: tuple[str | None, str] = None, ""
    at, line = 0, 1
    preprocessed = b"\n" + preprocessed
    for marker in _markers(preprocessed):
        yield Piece(*current, line, preprocessed[at : marker.start()])
        if marker[2] not in known:
            path = re.sub(rb"\\\\(.)", rb"\1", marker[2]).decode(errors="replace")
            known[marker[2]] = owner(path), path
        current, line, at = known[marker[2]], int(marker[1]), marker.end() + 1
    yield Piece(*current, line, preprocessed[at:])


def _markers(preprocessed: bytes) -> Iterator[re.Match[bytes]]:
    """The markers. A line of a raw string is none, whatever it looks like."""
    if b'R"' not in preprocessed:  # as in nearly every program
        yield from MARKER.finditer(preprocessed)
        return
    for part in BETWEEN_MARKERS.finditer(preprocessed):
        if part["line"] and (marker := MARKER.match(preprocessed, part.start())):
            yield marker


def _add(text: Text, part: bytes, owner: str, line: int) -> None:
    if not part.strip():
        return
    text.name = owner
    content = part.decode(errors="replace")
    position = 0
    for match in lexer.preprocessed(content):
        line += content.count("\n", position, match.start())
        position = match.start()
        kind = match.lastgroup if match.lastgroup != "delimiter" else "raw"
        if kind == "number" and "'" in match[0] and owner.endswith(".c"):
            kind = "quoted"  # in C a character begins at that mark
        text.tokens.append((kind or "sign", match[0], line))
        if kind == "pragma":  # a clause of OpenMP holds code
            inside = lexer.preprocessed(match[0].lstrip()[1:])
            text.tokens += [(each.lastgroup or "sign", each[0], line) for each in inside]
