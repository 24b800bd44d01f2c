"""The pages for people: a handout for each lab, links that work, output and figures as quoted."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader import paths
from grader.model import spec

HANDOUTS = paths.ROOT / "handouts"
README = paths.ROOT / "README.md"
PAGES = [README, paths.ROOT / "CONTRIBUTING.md", *sorted(HANDOUTS.glob("*.md"))]


@pytest.mark.parametrize("lab", spec.available())
def test_every_lab_has_a_handout(lab: str) -> None:
    text = (HANDOUTS / f"{lab}.md").read_text()
    assert f"({lab}.md)" in (HANDOUTS / "README.md").read_text()
    assert "CC BY 4.0" in text
    for name in spec.load(lab).submit:
        assert name in text


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(paths.ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)", page.read_text())
    dead = []
    for target in targets:
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if "://" in target:
            continue
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            dead.append(target)
    assert not dead


def test_the_readme_is_short_and_names_every_lab() -> None:
    text = README.read_text()
    assert len(text.splitlines()) <= 80
    rows = re.findall(r"^\| (\d+) ", text, re.MULTILINE)
    assert [f"lab{row}" for row in rows] == list(spec.available())


def test_make_test_begins_as_the_readme_says() -> None:
    shown = re.search(r"```\n(make test: .*?)```", README.read_text(), re.DOTALL)
    assert shown
    flags = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "FAST")  # of the make that runs these tests
    environment = {name: value for name, value in os.environ.items() if name not in flags}
    printed = subprocess.run(
        ["make", "test-plan"], cwd=paths.ROOT, env=environment, capture_output=True, text=True
    )
    assert printed.stdout.startswith(shown[1]), printed.stdout


def _quoted_grade(page: Path) -> tuple[str, str]:
    """The lab and the first lines of a grade that a page quotes; "" and "" if it quotes none."""
    quoted = re.search(r"```\n((lab\d+)  .*?)```", page.read_text(), re.DOTALL)
    return (quoted[2], quoted[1]) if quoted else ("", "")


def test_all_handouts_but_one_quote_a_grade() -> None:
    """Otherwise the next test would compare a page whose quotation it does not recognise with
    nothing."""
    quoting = {_quoted_grade(page)[0] for page in HANDOUTS.glob("lab*.md")}
    assert set(spec.available()) - quoting == {"lab8"}
    assert _quoted_grade(README)[0] == "lab3"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if _quoted_grade(page)[0]], ids=lambda page: page.name
)
def test_the_unsolved_file_gets_the_grade_that_the_page_quotes(page: Path) -> None:
    lab, quoted = _quoted_grade(page)
    known = spec.load(lab)
    done = subprocess.run(
        [paths.ROOT / "grade", lab, "-k", known.case[0].name, "--backend", known.backends[0]],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "100"},
    )
    printed = done.stdout.replace("  ok    compiles with nvcc\n", "")
    assert printed.startswith(quoted), printed


def test_figures_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, HANDOUTS / "figures.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def _limits(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, root / "handouts/limits.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_limits_are_those_of_the_labs() -> None:
    done = _limits(paths.ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("at_most = 8\n", "at_most = 9\n", "handouts/lab2.md is not what limits.py writes"),
        ('why = "32 lanes', 'why = "33 lanes', "handouts/lab2.md is not what limits.py writes"),
        ('stores per pixel"\npart = "A"', 'stores per pixel"\npart = "B"', "['A', 'D']"),
    ],
)
def test_a_limit_that_was_changed_is_found(
    before: str, after: str, message: str, tmp_path: Path
) -> None:
    shutil.copytree(
        paths.ROOT / "grader", tmp_path / "grader", ignore=shutil.ignore_patterns("tests")
    )
    shutil.copytree(HANDOUTS, tmp_path / "handouts")
    for file in paths.ROOT.glob("labs/lab*/lab.toml"):
        copy = tmp_path / file.relative_to(paths.ROOT)
        copy.parent.mkdir(parents=True)
        shutil.copy(file, copy)
    assert _limits(tmp_path).returncode == 0
    lab = tmp_path / "labs/lab2_global_memory/lab.toml"
    assert before in lab.read_text()
    lab.write_text(lab.read_text().replace(before, after))
    done = _limits(tmp_path)
    assert done.returncode == 1 and message in done.stdout + done.stderr
