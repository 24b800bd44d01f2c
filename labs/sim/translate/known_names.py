"""The names that a program may use: those of the simulator's headers, and those of its own."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[1] / "include"
OWN = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def words(source: str) -> set[str]:
    """The identifiers of a C file, without those in comments and strings."""
    code = re.sub(r'/\*.*?\*/|//[^\n]*|"[^"\n]*"', " ", source, flags=re.DOTALL)
    return set(re.findall(r"[A-Za-z_]\w*", code))


@cache
def cuda_words() -> tuple[set[str], set[str]]:
    """The identifiers of the simulator's headers, and those that are runtime API functions."""
    headers = "\n".join(header.read_text() for header in sorted(INCLUDE.glob("*.h")))
    return words(headers), set(re.findall(r"SIM_API\w*\((cuda\w+)", headers))


def local_words(
    code: str, folders: list[Path], read: set[Path] | None = None
) -> tuple[set[str], bool]:
    """The identifiers of the program's own headers, searched for in `folders`, and whether all of
    the headers were found. `read`: the headers that have been read already."""
    read = set() if read is None else read
    names: set[str] = set()
    complete = True
    for name in OWN.findall(code):
        path = next((d / name for d in folders if (d / name).is_file()), None)
        if path is None:
            complete = complete and (INCLUDE / name).is_file()
        elif path not in read:
            read.add(path)
            header = path.read_text(errors="replace")
            more, all_found = local_words(header, folders, read)
            names |= words(header) | more
            complete = complete and all_found
    return names, complete
