"""The pages for people: a handout for each lab, links that work, output and figures as quoted."""

import os
import re
from pathlib import Path

import pytest

from grader import paths
from grader.model import outline, spec
from grader.tests import captured

HANDOUTS = paths.ROOT / "handouts"
README = paths.ROOT / "README.md"
PAGES = [README, paths.ROOT / "CONTRIBUTING.md", *sorted(HANDOUTS.glob("*.md"))]


@pytest.mark.parametrize("lab", outline.available())
def test_every_lab_has_a_handout(lab: str) -> None:
    text = (HANDOUTS / f"{lab}.md").read_text()
    assert f"({lab}.md)" in (HANDOUTS / "README.md").read_text()
    assert "CC BY 4.0" in text
    for name in spec.load(lab).submit:
        assert name in text


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page, and those that the page sets itself."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return named | set(re.findall(r'<a id="([^"]+)"></a>', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(paths.ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)", page.read_text())
    dead = []
    for target in targets:
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if "://" in target:
            continue
        is_section = anchor and "=" not in anchor  # others are what a figure shows
        if not file.exists() or (is_section and anchor not in _anchors(file)):
            dead.append(target)
    assert not dead


def test_the_readme_is_short_and_names_every_lab() -> None:
    text = README.read_text()
    assert len(text.splitlines()) <= 90
    rows = re.findall(r"^\| (\d+) ", text, re.MULTILINE)
    assert [f"lab{row}" for row in rows] == list(outline.available())


def test_make_test_begins_as_the_readme_says() -> None:
    shown = re.search(r"```\n(make test: .*?)```", README.read_text(), re.DOTALL)
    assert shown
    flags = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "FAST")  # of the make that runs these tests
    environment = {name: value for name, value in os.environ.items() if name not in flags}
    printed = captured.run(["make", "test-plan"], cwd=paths.ROOT, env=environment)
    assert printed.stdout.startswith(shown[1]), printed.stdout


def _quoted_grade(page: Path) -> tuple[str, str]:
    """The lab and the first lines of a grade that a page quotes; "" and "" if it quotes none."""
    quoted = re.search(r"```\n((lab\d+)  .*?)```", page.read_text(), re.DOTALL)
    return (quoted[2], quoted[1]) if quoted else ("", "")


def test_all_handouts_but_one_quote_a_grade() -> None:
    """Otherwise the next test would compare a page whose quotation it does not recognize with
    nothing."""
    quoting = {_quoted_grade(page)[0] for page in HANDOUTS.glob("lab*.md")}
    assert set(outline.available()) - quoting == {"lab8"}


@pytest.mark.parametrize(
    "page", [page for page in PAGES if _quoted_grade(page)[0]], ids=lambda page: page.name
)
def test_the_unsolved_file_gets_the_grade_that_the_page_quotes(page: Path) -> None:
    lab, quoted = _quoted_grade(page)
    known = spec.load(lab)
    done = captured.grade(
        lab,
        "-k",
        known.case[0].name,
        "--backend",
        known.backends[0],
        env=os.environ | {"COLUMNS": "100"},
    )
    printed = done.stdout.replace("  ok    compiles with nvcc\n", "")
    assert printed.startswith(quoted), printed
