"""The pseudonym under which a student is on the leaderboard of a class: what leaderboard.txt says.

The file lies beside the lab's file and has one line. Whoever hands it in takes part, for that lab.
"""

import unicodedata
from itertools import groupby

from grader.model import plain_text

FILE = "leaderboard.txt"
LEAST, MOST = 2, 24  # characters
MOST_BYTES = 400  # of the file that are looked at: more than any pseudonym has
MOST_MARKS = 3  # in a row: some scripts put so many on a letter
INSIDE = " -_."  # what else than letters, marks and digits it may have


class PseudonymError(Exception):
    """The file holds no pseudonym that can be shown; the message goes on after the file's name."""


def read_pseudonym(content: bytes) -> str:
    """The pseudonym in a leaderboard.txt. Raises PseudonymError.

    Only letters, digits and INSIDE may be in it, so that it is no markup, no formula and no mark
    that turns text round, wherever it is shown.
    """
    try:
        text = content[:MOST_BYTES].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PseudonymError("is not UTF-8") from None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) != 1:
        raise PseudonymError("must have one line, with your pseudonym")
    name = unicodedata.normalize("NFC", lines[0])
    if not LEAST <= len(name) <= MOST:
        raise PseudonymError(f"has {len(name)} characters; a pseudonym has {LEAST} to {MOST}")
    if not all(_is_fit(character) for character in name):
        raise PseudonymError("may have letters, digits, spaces, and - _ . between them")
    if name[0] in INSIDE or _is_mark(name[0]) or name[-1] in INSIDE:
        raise PseudonymError("must begin and end with a letter or a digit")
    if _is_heaped(name):
        raise PseudonymError("has too many marks on one letter")
    return name


def folded(text: str) -> str:
    """What two names have in common that readers take for the same: no case, width or spaces."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in text if unicodedata.category(c)[0] in "LN")


def _is_fit(character: str) -> bool:
    known = character in INSIDE or unicodedata.category(character)[0] in "LMN"
    return known and plain_text.is_shown(character)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _is_heaped(name: str) -> bool:
    """Whether so many marks follow each other that they would cover other lines."""
    runs = (list(run) for are_marks, run in groupby(name, _is_mark) if are_marks)
    return any(len(run) > MOST_MARKS for run in runs)
