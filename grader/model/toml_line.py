"""The line of a lab.toml that a message is about. The library that reads it names fields alone."""

import re

TABLE = re.compile(r"\s*\[\[?\s*([\w.]+)\s*\]\]?")
PATH = re.compile(r"`\$\.?(?P<table>\w+)?(?:\[(?P<number>\d+)\])?(?:\.(?P<key>\w+))?")
UNKNOWN = re.compile(r"unknown field `(\w+)`")
QUOTED = re.compile(r"'([^']+)'")


def placed(text: str, problem: str) -> str:
    """The problem behind the line that it is in, where that can be told: "line 22: ..."."""
    number = _of_field(text, problem) or _of_text(text, problem)
    return f"line {number}: {problem}" if number else problem


def _of_field(text: str, problem: str) -> int | None:
    """The line of the field at "`$.case[0].border`"; of its table, where it has no such line."""
    path, unknown = PATH.search(problem), UNKNOWN.search(problem)
    if path is None:
        return None
    named = [unknown[1]] if unknown else [path["key"] or "", path["table"] or ""]
    lines = text.splitlines()
    begin = _of_table(lines, path["table"], int(path["number"] or 0))
    for at in range(begin, len(lines)):
        if at > begin and begin and TABLE.match(lines[at]):
            break
        if any(name and re.match(rf"\s*{name}\s*=", lines[at]) for name in named):
            return at + 1
    return begin + 1 if begin else None


def _of_table(lines: list[str], name: str | None, number: int) -> int:
    """The index of the line that begins the table; 0: it is the file itself, or unknown."""
    heads = [at for at, line in enumerate(lines) if (m := TABLE.match(line)) and m[1] == name]
    return heads[number] if number < len(heads) else 0


def _of_text(text: str, problem: str) -> int | None:
    """The first line with the last text in quotes that the file has, too."""
    lines = text.splitlines()
    for word in reversed(QUOTED.findall(problem)):
        for number, line in enumerate(lines, 1):
            if f'"{word}"' in line:
                return number
    return None
