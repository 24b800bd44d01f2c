"""The tokens of C and CUDA: comments, texts, numbers, words and signs. None is skipped.

`tokens` reads a source file as a compiler does: joined lines, raw strings and digit separators
included. `preprocessed` reads what the preprocessor left, where nothing is a comment: a reader that
took `//` for one there would let code hide behind it. Both take linear time whatever the text is.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

SPLICE = r"\\[ \t\v\f\r]*\n"  # joins two lines
COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"  # where no lines are joined
TEXT = r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)++'"
_PREFIX = r"(?:u8|[uUL])?"
_TOKEN = rf"""(?P<raw>{_PREFIX}R"(?P<delimiter>[^()\\\s]{{0,16}})\((?:.*?)\)(?P=delimiter)")
    |(?P<unended>{_PREFIX}R"[^()\\\s]{{0,16}}\(.*)
    |(?P<glued>{_PREFIX}"(?:[^"\\\n]|\\.)*+"(?={_PREFIX}R"))
    |(?P<text>{_PREFIX}(?:{TEXT}))
    |(?P<line>{_PREFIX}["'][^\n]*)
    |(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    |(?P<word>[A-Za-z_$\x80-\U0010ffff][\w$\x80-\U0010ffff]*)"""
_SIGN = r"(?P<sign>::|->|<:|:>|&&|[^\s])"
_PREPROCESSED = re.compile(
    rf"(?P<pragma>^[ \t]*\#[^\n]*)|{_TOKEN}|{_SIGN}", re.MULTILINE | re.DOTALL | re.VERBOSE
)
_BARE = re.compile(
    rf"""(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<word>[A-Za-z_$\x80-\U0010ffff][\w$\x80-\U0010ffff]*)|{_SIGN}""",
    re.VERBOSE,
)
_SOURCE = re.compile(
    rf"""(?P<newline>\n)|(?P<comment>{COMMENT})|{_TOKEN}
    |(?P<sign>::|->|\+\+|--|<<=?|>>=?|[-+*/%&|^=!<>]=|&&|\|\||<:|:>|<%|%>|%:|[^\s])""",
    re.DOTALL | re.VERBOSE,
)
_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#"}
_SPLICES = re.compile(SPLICE)


class Token(NamedTuple):
    """A token and its place in the text. kind: comment, text, raw, number, word or sign; glued: a
    text right before a raw string; line, unended: a text without an end, up to the end of the line
    or of the file. text: without joined lines, and of a digraph the sign that it stands for. first:
    nothing but comments precedes it on its line."""

    kind: str
    text: str
    start: int
    end: int
    first: bool


def tokens(source: str) -> Iterator[Token]:
    """The tokens of a source file, comments included, in order."""
    splices = list(_SPLICES.finditer(source))
    removed = [0, *accumulate(len(splice[0]) for splice in splices)]
    cuts = [splice.start() - gone for splice, gone in zip(splices, removed, strict=False)]
    first = True
    for match in _SOURCE.finditer(_SPLICES.sub("", source)):
        kind, text = match.lastgroup or "", match[0]
        if kind == "newline":
            first = True
            continue
        kind = "raw" if kind == "delimiter" else kind
        text = _DIGRAPHS.get(text, text) if kind == "sign" else text
        start, end = match.span()
        if cuts:  # places in the text with joined lines
            start, end = (
                start + removed[bisect_right(cuts, start)],
                end + removed[bisect_left(cuts, end)],
            )
        yield Token(kind, text, start, end, first)
        first = first and kind == "comment"


def without_comments(source: str, instead: str | None = None) -> str:
    """The source with spaces in place of comments, so that lines and columns stay; or `instead` in
    place of each."""
    comments = [(t.start, t.end) for t in tokens(source) if t.kind == "comment"]
    return replaced(source, comments, instead)


def replaced(text: str, places: list[tuple[int, int]], instead: str | None = None) -> str:
    """The text with `instead` in each of these places, which are in order; None: with spaces for
    all but the ends of lines."""
    pieces, at = [], 0
    for start, end in places:
        new = re.sub(r"[^\n]", " ", text[start:end]) if instead is None else instead
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def preprocessed(content: str) -> Iterator[re.Match[str]]:
    """The tokens of preprocessed text; their kinds are the names of the groups, with `pragma` for a
    whole line. A text without an end, which no compiler takes, hides nothing: what follows its
    quote is read word by word. To look for its end again at each further quote would take the
    square of the text's length."""
    for match in _PREPROCESSED.finditer(content):
        if match.lastgroup in ("unended", "line"):
            yield from _BARE.finditer(content, match.start(), match.end())
        else:
            yield match
