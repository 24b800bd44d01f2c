"""Handouts: one for each lab, links that lead somewhere, figures that are what the script draws."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader import paths
from grader.model import spec

HANDOUTS = paths.ROOT / "handouts"


@pytest.mark.parametrize("lab", spec.available())
def test_every_lab_has_a_handout(lab: str) -> None:
    text = (HANDOUTS / f"{lab}.md").read_text()
    assert f"({lab}.md)" in (HANDOUTS / "README.md").read_text()
    assert "CC BY 4.0" in text
    for name in spec.load(lab).submit:
        assert name in text


@pytest.mark.parametrize("page", sorted(HANDOUTS.glob("*.md")), ids=lambda p: p.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)", page.read_text())
    assert targets
    missing = [
        t for t in targets if not t.startswith("https://") and not (page.parent / t).exists()
    ]
    assert not missing


def _shown_grade(lab: str) -> str:
    """What the lab's handout says that its unsolved file gives; "" where it does not."""
    page = (HANDOUTS / f"{lab}.md").read_text()
    shown = re.search(rf"```\n({lab}  .*?)```", page, re.DOTALL)
    return shown[1] if shown else ""


def test_all_handouts_but_one_show_a_grade() -> None:
    """Or one that no longer reads as it did would be compared with nothing."""
    assert [lab for lab in spec.available() if not _shown_grade(lab)] == ["lab8"]


@pytest.mark.parametrize("lab", [lab for lab in spec.available() if _shown_grade(lab)])
def test_what_the_unsolved_file_gives_is_what_it_gives(lab: str) -> None:
    known = spec.load(lab)
    done = subprocess.run(
        [paths.ROOT / "grade", lab, "-k", known.case[0].name, "--backend", known.backends[0]],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "100"},
    )
    said = done.stdout.replace("  ok    compiles with nvcc\n", "")
    assert said.startswith(_shown_grade(lab)), said


def test_figures_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, HANDOUTS / "figures.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
