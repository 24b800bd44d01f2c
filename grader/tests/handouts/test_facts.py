"""The generated blocks of the handouts: up to date, and a check that misses no stale one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader import files, paths
from grader.model import outline, spec
from grader.model.lab import HiddenFile
from grader.tests import captured
from handouts.facts import __main__ as command
from handouts.facts import blocks, kinds, quoted_todos
from handouts.facts.blocks import Block, FactsError

KINDS = (
    "limits A", "checks all", "mistakes all", "counted sim",
    "experiment 000 5x5",
)  # fmt: skip
PAGE = "# Lab 2\n\n" + "".join(
    f"{name} follows.\n\n<!-- {name}: begin -->\n<!-- {name}: end -->\n\n"
    for name in ("limits D", *KINDS)
)
MISTAKES = "# Mistakes\n\n<!-- mistakes explained: begin -->\n<!-- mistakes explained: end -->\n"


def _facts(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return captured.run([sys.executable, "-m", "handouts.facts", *options], cwd=root)


def _copied(root: Path, folder: str) -> None:
    without = shutil.ignore_patterns("tests", "figures", "*.md", "__pycache__")
    shutil.copytree(paths.ROOT / folder, root / folder, ignore=without)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the command needs, with pages that have a block of each kind, filled."""
    root = tmp_path_factory.mktemp("course")
    for folder in ("grader", "handouts", "labs/studies/gpu", "labs/studies/nsight", "datasets"):
        _copied(root, folder)
    for pattern in (
        "labs/lab*/lab.toml",
        "labs/lab*/calls.py",
        "solutions/*/hidden.toml",
        "labs/studies/reproduce/reference.json",
    ):
        for file in paths.ROOT.glob(pattern):
            copy = root / file.relative_to(paths.ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
    (root / "handouts/lab2.md").write_text(PAGE)
    (root / "handouts/mistakes.md").write_text(MISTAKES)
    done = _facts(root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "handouts/lab2.md written: limits D, limits A, checks all" in done.stdout
    return root


@pytest.fixture
def course(filled: Path, tmp_path: Path) -> Path:
    """The filled copy, for one test to spoil."""
    return Path(shutil.copytree(filled, tmp_path / "course"))


def test_committed_pages_are_current() -> None:
    done = _facts(paths.ROOT, "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_page_that_was_filled_is_up_to_date_and_stays_as_it_is(course: Path) -> None:
    page = course / "handouts/lab2.md"
    before = page.read_text()
    for options in ("--check",), ():
        done = _facts(course, *options)
        assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    assert page.read_text() == before


@pytest.mark.parametrize("name", ["limits A", *KINDS[1:]])
def test_a_changed_digit_or_letter_of_any_kind_of_block_is_found(name: str, course: Path) -> None:
    page = course / "handouts/lab2.md"
    lines = page.read_text().splitlines()
    begin = lines.index(f"<!-- {name}: begin -->")
    end = lines.index(f"<!-- {name}: end -->")
    changed = next(i for i in range(end - 1, begin, -1) if any(c.isalnum() for c in lines[i]))
    line = lines[changed]
    last = next(i for i in reversed(range(len(line))) if line[i].isalnum())
    lines[changed] = line[:last] + ("8" if line[last] != "8" else "9") + line[last + 1 :]
    spoilt = "\n".join(lines) + "\n"
    page.write_text(spoilt)
    done = _facts(course, "--check")
    assert done.returncode == 1
    assert f"handouts/lab2.md:{changed + 1}: the block '{name}' is stale" in done.stdout
    assert page.read_text() == spoilt, "--check must change nothing"


LIMIT = """[[part.technique]]
name = "few stores"
points = 0
size = [8, 8]
mask = "random3"
counter = "global_store_lanes"
at_most = 1
"""


@pytest.mark.parametrize(
    ("file", "before", "after", "message"),
    [
        ("labs/lab2_*/lab.toml", "at_most = 8\n", "at_most = 9\n", "'limits A' is stale"),
        ("labs/lab2_*/lab.toml", 'why = "32 lanes', 'why = "33 lanes', "'limits A' is stale"),
        ("labs/lab2_*/lab.toml", '"Ando 3x3 on 97x61', '"Ando 3x3 on 97x62', "'checks all' is st"),
        (
            "labs/lab2_*/lab.toml",
            '[[part]]\nid = "C"',
            f'{LIMIT}\n[[part]]\nid = "C"',
            "'limits B' has no marks: this page needs the block",
        ),
        ("handouts/facts/counted.json", '"part": "A"', '"part": "Z"', "lab2 has no part Z"),
        (
            "grader/diagnose/mistakes.toml",
            "is rotated by 180",
            "turns by 180",
            "'mistakes explained' is s",
        ),
        ("grader/diagnose/mistakes.toml", '"mask-flipped"', '"mask-flip"', "mask-flipped"),
        ("handouts/facts/mistakes.json", '"pixels"', '"pixel"', "draw_mistakes"),
    ],
)
def test_a_changed_file_is_found(
    file: str, before: str, after: str, message: str, course: Path
) -> None:
    (path,) = course.glob(file)
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    done = _facts(course, "--check")
    assert done.returncode == 1 and message in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_missing_input_prints_no_traceback(course: Path) -> None:
    (course / "solutions/lab2_global_memory/hidden.toml").unlink()
    (course / "handouts/facts/counted.json").unlink()
    (course / "labs/studies/reproduce/reference.json").write_text("{")
    (course / "handouts/odd.md").write_bytes(b"\xff\xfe")
    done = _facts(course)
    assert done.returncode == 1 and not done.stderr
    for words in (
        "lab2_global_memory/hidden.toml is missing",
        "counted.json",
        "reference.json",
        "odd.md: cannot",
    ):
        assert words in done.stdout


def test_full_disk_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(_path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    page = tmp_path / "handouts" / "lab2.md"
    page.parent.mkdir()
    page.write_text(PAGE)
    monkeypatch.setattr(files, "replace", full)
    told = command.update(tmp_path, page.relative_to(tmp_path), check=False)
    assert len(told) == 1 and "lab2.md: cannot be written" in told[0] and "No space" in told[0]
    assert page.read_text() == PAGE


def _filled(page: str) -> tuple[str, list[str]]:
    """The page with "new" in each block `a b`; all problems as "line block text"."""

    def content(block: Block) -> str:
        if block.kind != "a":
            raise FactsError("is of no known kind")
        return "new"

    new, problems, stale = blocks.fill(page, content)
    return new, [f"{p.line} {p.block} {p.text}" for p in [*problems, *stale]]


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("x\n<!-- a b: begin -->\nold\n", "2 a b has no end mark"),
        (
            "<!-- a b: begin -->\n<!-- a c: begin -->\n\nnew\n\n<!-- a c: end -->\n",
            "1 a b has no end",
        ),
        ("old\n<!-- a b: end -->\n", "2 a b has an end mark and no begin"),
        ("<!-- a b: begin -->\n<!-- a c: end -->\n", "2 a c ends inside the block 'a b'"),
        ("<!-- z b: begin -->\n<!-- z b: end -->\n", "1 z b is of no known kind"),
        ("see <!-- a b: begin -->\n", "1 a b a mark must be alone"),
        ("<!-- a b: begin -->\n\nnew\nold\n\n<!-- a b: end -->\n", "4 a b is stale"),
        ("<!-- a b: begin -->\n<!-- a b: end -->\n", "2 a b is stale"),
    ],
)
def test_a_wrong_page_is_found(page: str, problem: str) -> None:
    _, problems = _filled(page)
    assert any(each.startswith(problem) for each in problems), problems


@pytest.mark.parametrize(
    "page",
    [
        "",
        "no block, and no line end",
        "<!-- a b: begin -->\r\n\r\nnew\r\n\r\n<!-- a b: end -->\r\n",
        "<!-- a b: begin -->\n\nnew\n\n<!-- a b: end -->\n" * 2,
        "  <!--a  b :begin-->\n\nnew\n\n<!-- a b: end -->",
        "```\n<!-- z: begin -->\n```\nand `<!-- z: end -->`, or ``<!-- z y: begin -->``\n",
        "~~~~\n~~~\n<!-- a b: begin -->\n~~~~\n",
        "<!-- a note: the beginning -->\n",
    ],
)
def test_an_odd_but_right_page_passes_unchanged(page: str) -> None:
    assert _filled(page) == (page, [])


def test_line_ends_stay_as_the_page_has_them() -> None:
    page = "é\r\n<!-- a b: begin -->\r\nold\r\n<!-- a b: end -->\r\n"
    expected = "é\r\n<!-- a b: begin -->\r\n\r\nnew\r\n\r\n<!-- a b: end -->\r\n"
    assert _filled(page)[0] == expected


@pytest.mark.parametrize("lab", outline.available())
def test_hidden_cases_are_not_named(lab: str) -> None:
    """The table has the number of hidden cases and their points, and nothing else of them."""
    text = kinds.content(f"{lab}.md", Block("checks all", 0, 1)) or ""
    secret = spec._decode(paths.hidden_cases(spec.load(lab).folder), HiddenFile).case
    public = spec.load(lab, hidden=False)
    for case in secret:
        for words in (case.name, case.rationale, case.hint):
            assert not words or words not in text
        size = case.size and f"{case.size[0]}x{case.size[1]}"
        assert not size or size not in text or any(size in check.name for check in public.checks())
    rows = [row for row in text.splitlines() if "hidden case" in row]
    assert sum(int(row.split("*")[1].split()[0]) for row in rows) == len(secret)
    points = sum(float(row.split("|")[4]) for row in text.splitlines() if row.startswith("| "
                 ) and not row.startswith("| part"))  # fmt: skip
    assert points == 100
    assert f"{lab} hidden" not in text and "hidden 1" not in text


def test_a_lab_block_on_another_page_and_an_unknown_kind_are_refused() -> None:
    for page, name, words in (
        ("introduction.md", "checks all", "page of a lab"),
        ("lab99.md", "checks all", "page of a lab"),
        ("lab4.md", "limits Z", "no technique check"),
        ("lab4.md", "limits", "no technique check"),
        ("lab4.md", "checks some", "no known kind"),
        ("lab4.md", "sources 003", "no known kind"),
        ("lab1.md", "counted sim", "lab1 has no counted kernels"),
    ):
        with pytest.raises(FactsError, match=words):
            kinds.content(page, Block(name, 0, 1))


def test_the_packages_of_contributing_are_those_of_the_layers() -> None:
    table = kinds.content("CONTRIBUTING.md", Block("packages grader", 0, 1)) or ""
    rows = table.splitlines()[2:]
    assert [row.split("`")[1] for row in rows][-2:] == ["files.py", "paths.py"]
    assert rows[-1] == "| 1 | `paths.py` | Where the course's files are |"
    for page, name in (("lab4.md", "packages grader"), ("CONTRIBUTING.md", "packages none")):
        with pytest.raises(FactsError):
            kinds.content(page, Block(name, 0, 1))


def test_moved_todo_quotation_is_reported(tmp_path: Path) -> None:
    starter = tmp_path / "starter" / "lab1_cpu_loop"
    starter.mkdir(parents=True)
    (starter / "cpu_loop.c").write_text("int x;\n/* TODO 1: a loop */\n")
    page = (
        "begin with the TODO at starter/lab1_cpu_loop/cpu_loop.c:2\n"
        "  4 TODOs are still open; the first: starter/lab1_cpu_loop/cpu_loop.c:1\n"
        "begin with the TODO at starter/lab1_cpu_loop/gone.c:1\n"
        "worst at starter/lab1_cpu_loop/cpu_loop.c:1, where it is 4\n"
    )
    assert quoted_todos.stale(page, tmp_path) == [
        (2, "starter/lab1_cpu_loop/cpu_loop.c:1"),
        (3, "starter/lab1_cpu_loop/gone.c:1"),
    ]
