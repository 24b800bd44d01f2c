"""The line of a TOML file that a message is about: the library that reads it names fields alone."""

import re
from collections.abc import Sequence

TABLE = re.compile(r"\s*\[\[?\s*([\w.-]+)\s*\]\]?")
PATH = re.compile(r"`\$([^`]*)`")
STEP = re.compile(r"\.?([A-Za-z_][\w-]*)(?:\[(\d+)\])?")
UNKNOWN = re.compile(r"unknown field `([^`]+)`")
QUOTED = re.compile(r"'([^']+)'")


def placed(text: str, problem: str) -> str:
    """The problem after the line that it is in, where that is known: "line 22: ..."."""
    lines = text.splitlines()
    number = _of_field(lines, problem) or _of_words(lines, problem)
    return f"line {number}: {problem}" if number else problem


def _of_field(lines: Sequence[str], problem: str) -> int | None:
    """The line of the field at "`$.case[0].border`"; of its table, where it has no such line."""
    path, unknown = PATH.search(problem), UNKNOWN.search(problem)
    steps = STEP.findall(path[1]) if path else []
    steps += [(unknown[1], "")] if unknown else []
    at, head, end = -1, "", len(lines)
    for key, number in steps:
        inner = f"{head}.{key}" if head else key
        heads = [n for n in range(at + 1, end) if _head(lines[n]) == inner]
        if int(number or 0) >= len(heads):
            found = _of_key(lines, key, at + 1)
            if found or (key, number) == steps[-1]:
                return found or at + 1 or None
            head = inner  # "lab", of which there are only tables such as [lab.lab3]
            continue
        at, head = heads[int(number or 0)], inner
        end = next((n for n in range(at + 1, len(lines)) if _head(lines[n]) == head), len(lines))
    return at + 1 or None


def _head(line: str) -> str:
    """The table that begins in the line; "" where none does."""
    found = TABLE.match(line)
    return found[1] if found else ""


def _of_key(lines: Sequence[str], key: str, begin: int) -> int | None:
    """The line that sets a key, from that line to the next table."""
    for at in range(begin, len(lines)):
        if _head(lines[at]):
            return None
        if re.match(rf"\s*{re.escape(key)}\s*=", lines[at]):
            return at + 1
    return None


def _of_words(lines: Sequence[str], problem: str) -> int | None:
    """The line with the last text in quotes that the file has, each from where the one before is:
    a check's name, then what is wrong in it."""
    found = None
    for word in QUOTED.findall(problem):
        rest = range(found or 0, len(lines))
        found = next((at for at in rest if f'"{word}"' in lines[at]), found)
    return None if found is None else found + 1
