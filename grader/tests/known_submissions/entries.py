"""Known submissions: programs with a known verdict, written as what they change of another program.

labN/VERDICT.diff holds those of a lab that must get a verdict:

    right     full marks of what is measured without timing
    wrong     points lost in `correct` or `safe`
    poor      results right, and exactly the technique checks fail that the entry names
    unsafe    results right, and safe checks fail, with the finding that the entry names
    slow      right, and too slow in the part that the entry names
    habit     as `right`: code that students write beside their work, in front of the solution

A lab's expert is an entry, too, and must get what a right one gets. `poor` is what "right but slow"
means for a kernel that no GPU times. An entry is

    === NAME of BASE | DETAIL | also NAME, ...
    Why a student would write this, and what only this entry guards.
    -a line that goes
    +a line that comes
    -the first line that goes here, in another hunk
    -...
    -the last one
    @@
     a line that stays
    +a line that comes after it

DETAIL is the name of the mistake, which a check must call it, of the finding, the technique checks
(with `; ` between them) or the part. `-` stands for a mistake that has no name yet, and
`smallest-case` for one that needs none: a check of generated calls reports the smallest failing
case, such as "radius 0 on a 1x1 image". `also` are names that are as true in some of its cases.

The changes are a diff without line numbers: the lines of a hunk that stay or go are found in the
base exactly once; `...` is all lines from there to the next one of the hunk. A hunk ends before a
line that goes after one that came, and before `@@`, or `@@ FILE` where a file begins that is not
the first of the lab. A hunk in which all lines come is a whole file.

BASE is today's solution if an entry names none; `bare`: the solution without the words of the
exercise; `baseline`: the lab's; `ancestor`: the solution of an earlier day, as the entry in
labN/ancestor.diff makes it. A file that is whole or has a base begins with the entry's header and
reason as a comment. Files of the lab that an entry does not name are the solution's.

An entry stays only if it guards something that no other entry does. It is redundant if, among those
of its lab with the same verdict and detail, the others fail wherever it does (at the same check,
with the same mistake, finding or smallest case) and one of them fails only there. A right program
stays if its structure is unlike that of all others; those that do not follow the solution are also
the programs that were timed on a GPU (labs/studies/predict) and that must not look alike
(grader/tests/classroom/similarity).
"""

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby, takewhile
from pathlib import Path

from grader import paths
from grader.model import outline, spec
from grader.model.lab import Lab

HERE = Path(__file__).parent
SHOWN = paths.BUILD / "known"
HABIT, EXPERT = "habit", "expert"
VERDICTS = ("right", "wrong", "poor", "unsafe", "slow", HABIT)
ACCEPTED = ("right", "slow", HABIT, EXPERT)  # full marks of what is measured without timing
ANCESTOR = "ancestor"
# 24 accepted programs, of every lab, that each commit grades. Of the 622 words of C, C++, CUDA,
# OpenMP and vectors that all accepted programs use, taken apart for lab 1, lab 8 and the others,
# these use 447, in 170 processor seconds: one by one the program with the most new words a second.
GUARDS = frozenset({
    "lab1/atomic-counters", "lab1/gcc-attributes", "lab1/omp-locks-and-dynamic",
    "lab1/omp-reduction-and-critical", "lab1/omp-sections-and-tasks",
    "lab1/right-intrinsics-and-goto", "lab1/sse-and-avx", "lab1/streaming-stores",
    "lab2/right-structs-and-lambdas", "lab3/events-and-timing", "lab3/exceptions-inside",
    "lab3/iostream", "lab3/managed-and-pitched", "lab3/textures", "lab3/vectors-and-algorithms",
    "lab3/warp-functions-and-atomics", "lab4/right-rows-copied-asynchronously",
    "lab5/right-captured-passes", "lab6/right-streams", "lab7/right-one-kernel-dynamic",
    "lab8/expert", "lab8/right-avx512", "lab8/right-planes-of-bytes", "lab8/right-tasks-and-raii",
})  # fmt: skip
GAPS = (" ...", "-...")  # all lines up to the next one of the hunk
_TITLE = re.compile(
    r"(?P<name>[\w-]+)(?: of (?P<base>bare|baseline|ancestor))?(?P<words>(?: \| .*)?)"
)
_EXERCISE = re.compile(
    r"^ */\* (?:TODO|Lab) \d(?:[^*]|\*(?!/))*\*/\n|^ *// (?:BEGIN|END|STARTER).*\n", re.MULTILINE
)


class EntryError(ValueError):
    """An entry that cannot be read, or that does not fit its base."""


@dataclass(frozen=True)
class Entry:
    lab: str
    name: str
    base: str | None
    verdict: str
    words: str  # the header's: " | DETAIL | also NAME, NAME"
    reason: tuple[str, ...]
    hunks: tuple[tuple[str, tuple[str, ...]], ...]  # each: a file, and lines with their marks

    def __str__(self) -> str:
        return f"{self.lab}/{self.name}"

    @property
    def detail(self) -> str:
        return self._word(1)

    @property
    def also(self) -> frozenset[str]:
        """Mistakes that give the same output in some cases, so that their names are right there."""
        names = self._word(2).removeprefix("also ")
        return frozenset(name.strip() for name in names.split(",")) if names else frozenset()

    @property
    def own(self) -> frozenset[str]:
        """The files that are not the solution's."""
        return frozenset(file for file, _ in self.hunks)

    @property
    def apart(self) -> frozenset[str]:
        """The files that are not today's solution with changes."""
        return self.own if self.base else self.whole

    @property
    def whole(self) -> frozenset[str]:
        """The files that are written in a way of their own."""
        if self.verdict == HABIT:
            return frozenset()
        return frozenset(f for f, lines in self.hunks if all(line[:1] == "+" for line in lines))

    def _word(self, number: int) -> str:
        words = self.words.split(" | ")
        return words[number] if len(words) > number else ""

    def comment(self) -> str:
        lines = [f"known submission: {self.verdict}{self.words}", "", *self.reason]
        return "".join(f"// {line}".rstrip() + "\n" for line in lines)


@cache
def everything() -> tuple[Entry, ...]:
    """All entries, by lab and name. Raises EntryError."""
    files = (file for file in HERE.glob("lab*/*.diff") if file.stem != ANCESTOR)
    found = [e for file in files for e in _read(file, file.read_text())]
    found += [
        Entry(lab, EXPERT, None, EXPERT, "", (), ())
        for lab in outline.available()
        if any(_expert(lab, name).exists() for name in _lab(lab).submit)
    ]
    return tuple(sorted(found, key=lambda e: (e.lab, e.name)))


def of_lab(lab: str, *verdicts: str) -> list[Entry]:
    return [e for e in everything() if e.lab == lab and e.verdict in (verdicts or VERDICTS)]


def losing_points(lab: Lab) -> list[Entry]:
    """For classes: those that lose points and are not the solution's with a change."""
    entries = of_lab(lab.id, "wrong", "poor", "unsafe")
    return [e for e in entries if lab.submit[0] in e.apart]


def find(name: str) -> Entry:
    """The entry labN/NAME. Raises EntryError."""
    for entry in everything():
        if str(entry) == name:
            return entry
    raise EntryError(f"no known submission is named {name}")


def ancestor(lab: str) -> Entry:
    """The solution of an earlier day."""
    file = HERE / lab / f"{ANCESTOR}.diff"
    (entry,) = _read(file, file.read_text())
    return entry


def files(entry: Entry) -> dict[str, str]:
    """All that a student would hand in, by the names of the files. Raises EntryError."""
    return {name: _file(entry, name) for name in _lab(entry.lab).submit}


def _file(entry: Entry, name: str) -> str:
    if entry.verdict == EXPERT and (expert := _expert(entry.lab, name)).exists():
        return _one_file(expert)
    return _text(entry, name) if name in entry.own else _solution(entry.lab, name)


def _expert(lab: str, name: str) -> Path:
    """The expert's file in the place of one to hand in; it need not exist."""
    return paths.SOLUTIONS / _lab(lab).folder / f"expert{Path(name).suffix}"


def _one_file(source: Path) -> str:
    """An expert as it can be handed in: with the text of what it includes of solutions/."""
    return re.sub(
        r'^#include "(?!lab)(.*\.(?:c|cuh?))"$',
        lambda found: _one_file(source.parent / found[1]).replace("#pragma once\n", ""),
        source.read_text(),
        flags=re.MULTILINE,
    )


def write(entry: Entry, folder: Path = SHOWN) -> Path:
    """Writes the files into FOLDER/labN/NAME/, which it returns."""
    home = folder / str(entry)
    home.mkdir(parents=True, exist_ok=True)
    for name, text in files(entry).items():
        (home / name).write_text(text)
    return home


def changed_since(commit: str, changed: Iterable[str]) -> set[str]:
    """The entries whose text, or whose ancestor, differs from a commit's; changed: the files that
    differ from it. An entry that follows a solution does not change with it."""
    found = set()
    for file in (paths.ROOT / name for name in changed):
        if not (file.is_relative_to(HERE) and file.suffix == ".diff" and file.exists()):
            continue
        if file.stem == ANCESTOR:
            found |= {e for e in of_lab(file.parent.name) if e.base == ANCESTOR}
            continue
        show = ["git", "-C", str(file.parent), "show", f"{commit}:./{file.name}"]
        before = subprocess.run(show, capture_output=True, text=True, check=False).stdout
        found |= set(_read(file, file.read_text())) - set(_read(file, before))
    return {str(entry) for entry in found}


def _read(file: Path, text: str) -> Iterator[Entry]:
    first, *parts = re.split(r"^=== ", text, flags=re.MULTILINE)
    if first or file.stem not in (*VERDICTS, ANCESTOR):
        raise EntryError(f"{file} does not begin with an entry, or is not named by a verdict")
    for part in parts:
        title, *lines = part.splitlines()
        said = _TITLE.fullmatch(title)
        reason = tuple(takewhile(lambda line: line[:1] not in (" ", "-", "+", "@"), lines))
        if not said or not reason or len(reason) == len(lines):
            raise EntryError(f"{file}: this is not an entry: {title}")
        lab = file.parent.name
        hunks = tuple(_hunks(_lab(lab).submit[0], lines[len(reason) :]))
        yield Entry(lab, said["name"], said["base"], file.stem, said["words"], reason, hunks)


def _hunks(name: str, lines: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The hunks, each with its file; name: the first one's, if the lines do not say another."""
    hunk: list[str] = []
    for line in lines:
        if hunk and (line[:2] == "@@" or (line[:1] == "-" and hunk[-1][:1] == "+")):
            yield name, tuple(hunk)
            hunk = []
        if line[:2] == "@@":
            name = line[3:] or name
        else:
            hunk.append(line)
    yield name, tuple(hunk)


def _text(entry: Entry, name: str) -> str:
    """A file with the entry's changes, and its header where it has one."""
    text = _edited(entry, name)
    has_header = name not in entry.apart or text.startswith("// known submission: ")
    return text if has_header else entry.comment() + text


def _edited(entry: Entry, name: str) -> str:
    if entry.verdict == HABIT:
        return own_text(entry) + _solution(entry.lab, name)
    text = "\n" + _base(entry, name)
    for file, lines in entry.hunks:
        if file == name:
            try:
                text = _changed(text, lines)
            except EntryError as error:
                raise EntryError(f"{entry}: {error} in {name}") from None
    return text[1:]


def own_text(habit: Entry) -> str:
    """What stands in front of the solution."""
    return "".join(f"{line[1:]}\n" for _, lines in habit.hunks for line in lines)


def _base(entry: Entry, name: str) -> str:
    if name in entry.whole:
        return ""
    match entry.base:
        case None:
            return _solution(entry.lab, name)
        case "bare":
            return _EXERCISE.sub("", _solution(entry.lab, name))
        case "baseline":
            lab = paths.ROOT / "labs" / _lab(entry.lab).folder
            return (lab / f"baseline{Path(name).suffix}").read_text()
        case _:
            return _edited(ancestor(entry.lab), name)


def changed(text: str, diff: str) -> str:
    """The text of a file after the hunks of a diff. Raises EntryError."""
    for _, lines in _hunks("", diff.splitlines()):
        text = _changed(f"\n{text}", lines)[1:]
    return text


def _changed(text: str, lines: tuple[str, ...]) -> str:
    """The text after a hunk, whose lines before its first gap are found once, the others later."""
    parts = [list(part) for is_gap, part in groupby(lines, _is_gap) if not is_gap]
    gaps = ["", *filter(_is_gap, lines)]
    done, position = "", 0
    for gap, part in zip(gaps, parts, strict=True):
        old = _side(part, "-")
        found = text.find(old, position)
        if found < 0 or (not gap and text.count(old) > 1):
            raise EntryError(f"found {text.count(old)} times:{old}")
        done += ("" if gap[:1] == "-" else text[position:found]) + _side(part, "+")[:-1]
        position = found + len(old) - 1
    return done + text[position:]


def _is_gap(line: str) -> bool:
    return line in GAPS


def _side(lines: Iterable[str], mark: str) -> str:
    """The lines of a hunk before (-) or after (+) the change, each between line ends."""
    kept = (line[1:] for line in lines if line[:1] in (mark, " ", ""))
    return "\n" + "".join(f"{line}\n" for line in kept)


def _solution(lab: str, name: str) -> str:
    return (paths.SOLUTIONS / _lab(lab).folder / name).read_text()


@cache
def _lab(lab: str) -> Lab:
    return spec.load(lab)
