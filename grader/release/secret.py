"""What must not be in the students' archive, as texts to be looked for.

A line of a solution's region is looked for when it says something: when at least NAMES different
names or numbers stand in it that are no keywords of C and no 0, 1 or 2. Others, such as a brace,
`continue;` or `__syncthreads();`, are in every program. White space does not count. A line of a
starter is no secret, nor is one that student.toml lists as published.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from grader.release.contents import Lists, matches

NAMES = 3
COMMON = re.compile(
    "auto|break|case|char|const|continue|do|double|else|extern|float|for|if|inline|int|long|return|"
    "short|signed|sizeof|static|struct|switch|unsigned|void|while|size_t|0|1|2"
)
BEGIN, END, STARTER = "// BEGIN SOLUTION", "// END SOLUTION", "// STARTER:"
SIGNED = (".py", ".c", ".cu", ".md", ".toml")
LONG = 20  # bytes of prose that nobody else writes, at least
CODE = ("import ", "from ", "#include", "{", "[")  # how a line begins that is no prose
MARKS = re.compile(r'^(?:"""|/\*+|\*+|//+|#+)?\s*|\s*(?:\*/|""")?$')  # of a comment or docstring


@dataclass(frozen=True)
class Secret:
    """A text without white space, and what it is in words."""

    text: bytes
    what: str


def squeezed(data: bytes) -> bytes:
    """The bytes without white space."""
    return re.sub(rb"\s+", b"", data)


def telling(line: str) -> bool:
    """Whether a line of a solution gives something away."""
    names = set(re.findall(r"[A-Za-z_]\w*|\d[\w.]*", line))
    return sum(not COMMON.fullmatch(name) for name in names) >= NAMES


def region_lines(text: str) -> list[tuple[int, str]]:
    """The lines of a solution that its starter does not have, with their numbers."""
    found = []
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare in (BEGIN, END):
            inside = bare == BEGIN
        elif inside and STARTER not in line:
            found.append((number, bare))
    return found


def of_solutions(root: Path, chosen: Lists) -> list[Secret]:
    """Every telling line of a solution that is neither in a starter nor published."""
    starters = _starters(root)
    public = {squeezed(line.encode()) for line in chosen.published}
    found: dict[bytes, Secret] = {}
    for file in _sources(root / "solutions"):
        for number, line in region_lines(file.read_text()):
            text = squeezed(line.encode())
            if telling(line) and text not in starters and text not in public:
                where = f"{file.relative_to(root)}:{number}"
                found.setdefault(text, Secret(text, f"a line of a solution ({where}): {line}"))
    return list(found.values())


def _starters(root: Path) -> bytes:
    return b"\n".join(squeezed(file.read_bytes()) for file in _sources(root / "starter"))


def _sources(folder: Path) -> list[Path]:
    return sorted(f for f in folder.rglob("*") if f.suffix in (".c", ".cu", ".h", ".cuh"))


def of_hidden_cases(root: Path) -> tuple[list[Secret], dict[int, str]]:
    """The words of the hidden cases, and their seeds with the files that they are from. A short
    name, such as "one row", is no secret."""
    words: list[Secret] = []
    seeds: dict[int, str] = {}
    for file in sorted((root / "grader" / "hidden").glob("*.toml")):
        where = file.relative_to(root)
        hidden = tomllib.loads(file.read_text())
        seeds[hidden["seed"]] = str(where)
        for case in hidden["case"]:
            words += [
                Secret(squeezed(case[key].encode()), f"the {key} of a hidden case ({where})")
                for key in ("name", "rationale", "hint")
                if len(squeezed(case.get(key, "").encode())) >= LONG
            ]
    return words, seeds


def of_outside_files(root: Path, files: list[str], chosen: Lists) -> list[Secret]:
    """The first line of prose of every text that stays outside.

    It finds the file under any other name, and a Python module in its compiled form, which keeps
    its docstring. A solution begins as its starter does, and is found by its lines.
    """
    starters = _starters(root)
    found = []
    for path in files:
        if not matches(path, chosen.outside) or not path.endswith(SIGNED):
            continue
        for line in (root / path).read_text(errors="replace").splitlines():
            text = squeezed(MARKS.sub("", line).encode())
            if len(text) >= LONG and not line.startswith(CODE):
                if text not in starters:
                    found.append(Secret(text, f"the first line of {path}, which stays outside"))
                break
    return found
