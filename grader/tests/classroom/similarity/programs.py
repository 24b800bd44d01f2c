"""Independent right programs of a lab: those of independent/labN.txt, which fill in the starter,
and the known submissions that do not change the solution; each is written in a way of its own.

Of 40 programs a lab, these are left: what the planted copies are made of, and the pairs that come
nearest to a limit, which a change would list first: they still do with other k-grams and windows,
with operands in their order, and with names that do not count."""

import re
from pathlib import Path

from grader import paths
from grader.model import spec
from grader.tests.known_submissions import entries as known_submissions

HERE = Path(__file__).resolve().parent
_TODO = re.compile(
    r"^ */\* TODO (\d+)\b(?:[^*]|\*(?!/))*\*/\n(?: *\(void\).*\n)*(?: *return .*\n)?", re.MULTILINE
)


def file_of(lab: str) -> str:
    """The name of the file to hand in."""
    return spec.load(lab).submit[0]


def starter(lab: str) -> bytes:
    folder = Path(spec.load(lab).folder).name
    return (paths.STARTER / folder / file_of(lab)).read_bytes()


def independent(lab: str) -> dict[str, bytes]:
    """The programs, by name."""
    found = {
        entry.name: known_submissions.files(entry)[file_of(lab)].encode()
        for entry in known_submissions.of_lab(lab, "right")
        if file_of(lab) in entry.apart
    }
    return found | {name: filled(lab, bodies) for name, bodies in entries(lab).items()}


def entries(lab: str) -> dict[str, dict[int, str]]:
    """What independent/labN.txt puts in the place of each TODO, by program."""
    file = HERE / "independent" / f"{lab}.txt"
    text = file.read_text() if file.exists() else ""
    found = {}
    for entry in text.split("\n=== ")[1:]:
        name, _, rest = entry.partition("\n")
        parts = re.split(r"^--- (\d+)\n", f"{rest}\n", flags=re.MULTILINE)[1:]
        found[name] = dict(zip(map(int, parts[::2]), parts[1::2], strict=True))
    return found


def filled(lab: str, bodies: dict[int, str]) -> bytes:
    """The starter with texts in the place of its TODOs; 0: before the first function."""
    source = starter(lab).decode()
    done = _TODO.sub(lambda match: bodies.get(int(match[1]), match[0]), source)
    first = "/* ---- part A"
    return done.replace(first, f"{bodies.get(0, '')}{first}", 1).encode()
