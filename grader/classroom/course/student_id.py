"""Turns the name of a submission into a student's id: safe in a path, a table and a terminal."""

import hashlib
import os

from grader.model.plain_text import is_shown

MOST_BYTES = 200  # of an id; file systems allow 255
RESERVED = (
    "gradebook.csv",
    "export",
    "class.html",
    "class-pseudonyms.html",
    "similarity.html",
)  # what else a run folder holds


def of_name(name: str) -> str:
    """The id of a name as the file system has it. It is printable and can name a folder, and two
    names never have the same id. Characters that are not allowed become %XX, byte by byte."""
    text = "".join(c if is_shown(c) and c not in '%/\\"<>' else _escaped(c) for c in name)
    # A hidden file, an option, a home folder, an invisible space, or a name of ours.
    if text.startswith((".", "-", "~", " ")) or text in RESERVED:
        text = _escaped(text[0]) + text[1:]
    if len(os.fsencode(text)) > MOST_BYTES:
        digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:12]
        # "%~" is in no other id: a "%" of a name itself is escaped.
        text = os.fsencode(text)[: MOST_BYTES - 14].decode(errors="ignore") + "%~" + digest
    return text


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in os.fsencode(character))
