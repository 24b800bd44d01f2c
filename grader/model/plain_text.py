"""Text that a student may have shaped, made fit for terminals, pages, tables and other programs.

Compilers' messages, lines that a program prints, findings, names of files, kernels and students:
all of it comes through here on its way out. A character that a terminal or an editor would obey
rather than show becomes "?": control characters, the marks that turn text round, and invisible
ones. Letters of every language stay.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

MOST = 1000  # characters of a line; a message is wrapped, and nobody reads more
# Sequences that move the cursor, set colours or the terminal's title; also their one-byte forms.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b."
)
# Letters and symbols by Unicode's word, but nothing is to be seen of them.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# How a cell begins that a spreadsheet would compute; also in the wide forms of East Asian text.
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b\u2212")

T = TypeVar("T")


def is_shown(character: str) -> bool:
    """Does a terminal or an editor show the character, and do no more than that?"""
    return character.isprintable() and character not in _INVISIBLE


def line(text: str, most: int = MOST) -> str:
    """One line of at most `most` characters, and "…" where something was cut off."""
    if len(text) > 4 * most:
        text = text[: 4 * most]  # of a megabyte, no more is looked at
    text = "".join(c if is_shown(c) else "?" for c in _ESCAPE.sub("", text).expandtabs(4))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def name(text: str) -> str:
    """The name of a file, also fit for a #line: without quotes and backslashes."""
    return "".join(c if c not in '"\\' else "?" for c in line(text, len(text) or 1))


def few(names: Sequence[str], most: int) -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def document(text: str) -> str:
    """A whole text file or page with "?" for what is not shown; line ends, tabs and spaces that do
    not break a line stay. For the last step before it is written, behind what made its lines fit.
    """
    hidden = [c for c in set(text) if c not in "\n\t\xa0" and not is_shown(c)]
    return text.translate(dict.fromkeys(map(ord, hidden), "?"))


def cell(text: str) -> str:
    """Text for a cell of a table, marked as text where a spreadsheet would take it for a formula.
    Spaces before a formula do not make it text."""
    return f"'{text}" if text.lstrip(" \u3000\xa0").startswith(_FORMULA) else text


def table(rows: Iterable[Sequence[str]]) -> bytes:
    """Rows as the bytes of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode(errors="replace")


def everywhere(value: T) -> T:
    """A value for a JSON document with line() applied to every text in it, also to keys."""
    if isinstance(value, str):
        return line(value)  # type: ignore[return-value]
    if isinstance(value, dict):
        return {everywhere(k): everywhere(v) for k, v in value.items()}  # type: ignore[return-value]
    if isinstance(value, list | tuple):
        return [everywhere(v) for v in value]  # type: ignore[return-value]
    return value
