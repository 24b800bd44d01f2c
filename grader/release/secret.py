"""The secrets of the course, as texts to search for in the students' archive.

A line between a solution's markers is a secret if it holds at least NAMES different names or
numbers, not counting C's keywords, 0, 1 and 2. Every program has lines such as `}`, `continue;` or
`__syncthreads();`. White space is ignored. A line that a starter has too, or that student.toml
lists as published, is not a secret.
"""

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
SIGNED = (".py", ".c", ".cu", ".md", ".mk", ".toml", ".diff")  # files with prose
PROGRAM = re.compile("^=== .*$", re.MULTILINE)  # begins a program where a file holds many
LONG = 20  # bytes; a shorter line of prose may also be elsewhere
CODE = ("import ", "from ", "#include", "{", "[")  # the beginnings of lines that are not prose
SIGNS = re.compile(r'^(?:"""|/\*+|\*+|//+|#+)?\s*|\s*(?:\*/|""")?$')  # of a comment or docstring


@dataclass(frozen=True)
class Secret:
    """A text without its white space, and a description of it."""

    text: bytes
    what: str


def squeezed(data: bytes) -> bytes:
    """The bytes without their white space."""
    return re.sub(rb"\s+", b"", data)


def telling(line: str) -> bool:
    """Whether a line of a solution gives something away."""
    names = set(re.findall(r"[A-Za-z_]\w*|\d[\w.]*", line))
    return sum(not COMMON.fullmatch(name) for name in names) >= NAMES


def region_lines(text: str) -> list[tuple[int, str]]:
    """The numbers and texts of the lines that a solution has and its starter has not.

    A file without marked regions, such as expert.cu, has no starter. Its long lines count; the
    short ones are any program's.
    """
    lines = []
    if BEGIN not in text:
        numbered = enumerate(map(str.strip, text.splitlines()), 1)
        return [(n, line) for n, line in numbered if len(squeezed(line.encode())) >= LONG]
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare in (BEGIN, END):
            inside = bare == BEGIN
        elif inside and STARTER not in line:
            lines.append((number, bare))
    return lines


def of_solutions(root: Path, chosen: Lists) -> list[Secret]:
    """The telling lines of the solutions, except those in a starter and those published."""
    starters = _starters(root)
    public = {squeezed(line.encode()) for line in chosen.published}
    secrets: dict[bytes, Secret] = {}
    for file in _sources(root / "solutions"):
        for number, line in region_lines(file.read_text()):
            text = squeezed(line.encode())
            if telling(line) and text not in starters and text not in public:
                where = f"{file.relative_to(root)}:{number}"
                secrets.setdefault(text, Secret(text, f"a line of a solution ({where}): {line}"))
    return list(secrets.values())


def _starters(root: Path) -> bytes:
    return b"\n".join(squeezed(file.read_bytes()) for file in _sources(root / "starter"))


def _sources(folder: Path) -> list[Path]:
    """Of each lab; rglob() enters no link to a lab outside of the tree, unless it begins there."""
    labs = [folder, *(lab for lab in folder.glob("*") if lab.is_symlink())]
    every = (f for lab in labs for f in lab.rglob("*"))
    return sorted(f for f in every if f.suffix in (".c", ".cu", ".h", ".cuh"))


def of_hidden_cases(root: Path) -> tuple[list[Secret], dict[int, str]]:
    """The names, rationales and hints of the hidden cases, and the file of each seed. A short text,
    such as the name "one row", is not a secret."""
    words: list[Secret] = []
    seeds: dict[int, str] = {}
    for file in sorted((root / "solutions").glob("*/hidden.toml")):
        where = file.relative_to(root)
        hidden = tomllib.loads(file.read_text("utf-8-sig"))
        seeds[hidden["seed"]] = str(where)
        for case in hidden["case"]:
            words += [
                Secret(squeezed(case[key].encode()), f"the {key} of a hidden case ({where})")
                for key in ("name", "rationale", "hint")
                if len(squeezed(case.get(key, "").encode())) >= LONG
            ]
    return words, seeds


def of_outside_files(root: Path, files: list[str], chosen: Lists) -> list[Secret]:
    """The first line of prose of every text and program that stays outside.

    It finds the file under another name, and a compiled Python module, which keeps its docstring. A
    solution begins with the same lines as its starter; its other lines find it.
    """
    starters = _starters(root)
    secrets = []
    for path in files:
        if matches(path, chosen.inside) or not path.endswith(SIGNED):
            continue
        for program in PROGRAM.split((root / path).read_text(errors="replace")):
            text = _first_prose(program)
            if text and text not in starters:
                secrets.append(Secret(text, f"the first line of {path}, which stays outside"))
    return secrets


def _first_prose(program: str) -> bytes:
    for line in program.splitlines():
        text = squeezed(SIGNS.sub("", line).encode())
        if len(text) >= LONG and not line.startswith(CODE):
            return text
    return b""
