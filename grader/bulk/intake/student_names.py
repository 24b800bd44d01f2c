"""Students' names as they may stand in a path, a table and a terminal."""

from __future__ import annotations

import hashlib
import os

MOST_BYTES = 200  # of a folder's name; file systems take 255
TAKEN = ("gradebook.csv", "export")  # what else a run folder holds
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def student(name: str) -> str:
    """A name from the file system as an id: printable and a plain folder's name, two different
    names never the same. What may not stand as it is becomes %XX, byte by byte."""
    made = "".join(c if c.isprintable() and c not in '%/\\"<>' else _escaped(c) for c in name)
    if made.startswith((".", "-", "~", " ")) or made in TAKEN:  # hidden, an option, a home; ours
        made = _escaped(made[0]) + made[1:]
    if len(os.fsencode(made)) > MOST_BYTES:
        digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:12]
        made = os.fsencode(made)[: MOST_BYTES - 13].decode(errors="ignore") + "~" + digest
    return made


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in os.fsencode(character))


def cell(text: str) -> str:
    """Text for a CSV file, which no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
