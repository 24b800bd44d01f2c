"""How entries are read and become files."""

import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.tests.known_submissions import entries
from grader.tests.known_submissions.entries import Entry, EntryError

FILE = entries.HERE / "lab1" / "wrong.diff"
SOLUTION = (paths.SOLUTIONS / "lab1_cpu_loop" / "cpu_loop.c").read_text()


def entry(title: str, *lines: str) -> Entry:
    (found,) = entries._read(FILE, "\n".join([f"=== {title}", "Why.", *lines, ""]))
    return found


def test_entry_changes_the_solution() -> None:
    include = SOLUTION.splitlines()[[line[:8] for line in SOLUTION.splitlines()].index("#include")]
    found = entry("name | loop-bound | also one, two", f" {include}", "+int x;")
    assert (found.verdict, found.detail, found.also) == (
        "wrong",
        "loop-bound",
        frozenset({"one", "two"}),
    )
    assert not found.apart
    changed = SOLUTION.replace(f"{include}\n", f"{include}\nint x;\n", 1)
    assert entries.files(found) == {"cpu_loop.c": changed}


def test_a_whole_file_begins_with_its_header() -> None:
    found = entry("name | loop-bound", "@@ cpu_loop.c", "+int x;", "+", "+int y;")
    text = "// known submission: wrong | loop-bound\n//\n// Why.\nint x;\n\nint y;\n"
    assert entries.files(found) == {"cpu_loop.c": text}


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["-b", "+x", "-e", "+y"], "a x c d y a f"),
        (["-b", "-...", "-d", "+x"], "a x e a f"),
        ([" b", " ...", "-e", "+x"], "a b c d x a f"),
        ([" e", " ...", "-a", "+x"], "a b c d e x f"),
        (["-f", "@@", "-c"], "a b d e a"),
    ],
)
def test_hunks_with_gaps_are_applied(
    lines: list[str], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "_solution", lambda *_: "a\nb\nc\nd\ne\na\nf\n")
    assert entries.files(entry("name", *lines))["cpu_loop.c"].split() == text.split()


def test_entry_changes_the_baseline() -> None:
    old, new = '#include "lab.h"', "int x;"
    text = entries.files(entry("name of baseline | -", f"-{old}", f"+{new}"))["cpu_loop.c"]
    baseline = (paths.ROOT / "labs" / "lab1_cpu_loop" / "baseline.c").read_text()
    assert text == "// known submission: wrong | -\n//\n// Why.\n" + baseline.replace(old, new)


@pytest.mark.parametrize(("line", "times"), [("-int no such line;", 0), ("-", "[1-9]")])
def test_a_change_that_does_not_fit(line: str, times: object) -> None:
    with pytest.raises(EntryError, match=f"lab1/name: found {times}"):
        entries.files(entry("name | loop-bound", "@@ cpu_loop.c", line, "+x"))


@pytest.mark.parametrize("text", ["name\n", "=== name\n", "=== a b\nWhy.\n@@ cpu_loop.c\n+x\n"])
def test_rejects_malformed_entries(text: str) -> None:
    with pytest.raises(EntryError):
        list(entries._read(FILE, text))


def test_every_entry_fits_and_is_not_the_solution() -> None:
    solutions = {text.read_text() for text in paths.SOLUTIONS.glob("lab*/*.c*")}
    for each in entries.everything():
        assert not solutions & {entries.files(each)[name] for name in each.own}, each
    names = [str(each) for each in entries.everything()]
    assert len(names) == len(set(names))


def test_changed_entries_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "HERE", tmp_path)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "lab1").mkdir()
    file = tmp_path / "lab1" / "wrong.diff"
    first, second = (f"=== {n}\nWhy.\n@@ cpu_loop.c\n+{n}\n" for n in ("one", "two"))
    file.write_text(first + second)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], check=True)
    name = "lab1/wrong.diff"
    assert entries.changed_since("HEAD", [name]) == set()
    file.write_text(first + second.replace("Why", "So") + first.replace("one", "three"))
    assert entries.changed_since("HEAD", [name, "README.md"]) == {"lab1/two", "lab1/three"}
    (tmp_path / "lab1" / "ancestor.diff").touch()
    listed = (entry("one", "+x"), entry("two of bare", "+x"), entry("three of ancestor", "+x"))
    monkeypatch.setattr(entries, "everything", lambda: listed)
    assert entries.changed_since("HEAD", ["lab1/ancestor.diff"]) == {"lab1/three"}
