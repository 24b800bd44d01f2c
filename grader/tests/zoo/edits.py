"""Entries that are the solution with a few lines changed: one file `edits`, with the header of any
entry as its first line, then the reason, and for each change

    --- global_memory.cu
    text of the solution, found there exactly once
    +++
    text in its place

Lines of only spaces around the two texts do not count. A text ends where the next line begins with
`--- ` or `+++`.
"""

from __future__ import annotations

import re
from pathlib import Path

NAME = "edits"
_EDIT = re.compile(r"^--- (\S+)\n(.*?)^\+\+\+[^\n]*\n(.*?)(?=^--- |\Z)", re.MULTILINE | re.DOTALL)


class EditError(ValueError):
    """An edit that does not fit the solution."""


def apply(entry: Path, solutions: Path) -> dict[str, str]:
    """The changed files, by name. Raises EditError."""
    text = (entry / NAME).read_text()
    files: dict[str, str] = {}
    for name, old, new in _EDIT.findall(text):
        whole = files.get(name) or (solutions / name).read_text()
        old, new = old.strip("\n"), new.strip("\n")
        if whole.count(old) != 1:
            raise EditError(f"{entry}: found {whole.count(old)} times in {name}: {old!r}")
        files[name] = whole.replace(old, new)
    if not files:
        raise EditError(f"{entry}/{NAME} changes nothing")
    return files
