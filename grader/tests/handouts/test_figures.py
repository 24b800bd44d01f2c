"""The drawings of the handouts: made by their scripts, described in words, readable in print and on
light and dark pages."""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page

from grader import paths
from grader.tests import captured
from grader.tests.handouts.readable import unreadable
from grader.tests.render import browser
from handouts.drawing import __main__ as drawing
from handouts.drawing import performance, results
from handouts.drawing.canvas import DARK, GREY, GROUND, INK, WHITE, Drawing

FIGURES = paths.ROOT / "handouts" / "figures"
NAMES = sorted(drawing.figures())
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.browser_or_skip() as running:
        yield running


@pytest.fixture(scope="module")
def pages(chromium: Browser) -> dict[bool, Page]:
    """A page of a light reader and of a dark one."""
    blank = FIGURES / f"{NAMES[0]}.svg"
    return {dark: browser.opened(chromium, blank, dark=dark) for dark in (False, True)}


@pytest.mark.parametrize("made", ["", ".terminal", ".steps"])
def test_figures_are_up_to_date(made: str) -> None:
    """Those that are drawn, what a grade prints, and what the simulator records."""
    module = f"handouts.drawing{made}"
    done = captured.run([sys.executable, "-m", module, "--check"], cwd=paths.ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_figure_that_was_changed_or_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "figures"
    shutil.copytree(FIGURES, folder)
    assert drawing.main(folder, ["--check"]) == 0
    changed = folder / "apron.svg"
    changed.write_text(changed.read_text().replace("apron", "fringe"))
    (folder / "blocks.svg").unlink()
    assert drawing.main(folder, ["--check"]) == 1
    assert "fringe" in changed.read_text()  # --check writes nothing
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed] == [
        "handouts/figures/blocks.svg",
        "handouts/figures/apron.svg",
    ]
    assert drawing.main(folder, []) == 0
    assert drawing.main(folder, ["--check"]) == 0


def test_every_file_has_a_script() -> None:
    terminal = {"grade"}  # drawn by handouts/drawing/terminal.py
    assert {file.stem for file in FIGURES.glob("*.svg")} - terminal == set(NAMES)


def test_every_figure_has_a_title_and_a_description() -> None:
    titles = set()
    for name in NAMES:
        root = ElementTree.fromstring(drawing.figures()[name]().svg())
        title, desc = (root.findtext(f"{SVG}{tag}") or "" for tag in ("title", "desc"))
        assert 10 <= len(title) <= 100 and len(desc) > len(title), name
        titles.add(title)
    assert len(titles) == len(NAMES)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_can_be_read(pages: dict[bool, Page], dark: bool) -> None:
    complaints = {}
    for name in NAMES:
        pages[dark].goto((FIGURES / f"{name}.svg").as_uri())
        if bad := unreadable(pages[dark]):
            complaints[name] = bad
    assert complaints == {}


@pytest.mark.parametrize(
    ("x", "text", "colour", "complaint"),
    [
        (10, "far", INK, []),
        (150, "too long for this drawing", INK, ["outside: too long for this drawing"]),
        (12, "twice", INK, ["overlap: first / twice"]),
        (100, "pale", WHITE, ["contrast 1.0: pale"]),
        (100, "grey", GREY, []),
    ],
)
def test_the_test_above_finds_what_cannot_be_read(
    pages: dict[bool, Page], tmp_path: Path, x: int, text: str, colour: str, complaint: list[str]
) -> None:
    d = Drawing(200, 80, "A drawing for a test", "Some words in a drawing for a test.")
    d.text(10, 40, "first")
    d.text(x, 70 if text == "far" else 42, text, colour=colour)
    file = tmp_path / "test.svg"
    file.write_text(d.svg())
    pages[False].goto(file.as_uri())
    assert unreadable(pages[False]) == complaint


def test_dark_pages_get_dark_figures(pages: dict[bool, Page]) -> None:
    grounds = {}
    for dark, page in pages.items():
        page.goto((FIGURES / "apron.svg").as_uri())
        grounds[dark] = page.evaluate("getComputedStyle(document.querySelector('rect')).fill")
    shown = {dark: [int(n) for n in fill[4:-1].split(",")] for dark, fill in grounds.items()}
    assert shown[False] == list(bytes.fromhex(GROUND[1:]))
    assert shown[True] == list(bytes.fromhex(DARK[GROUND][1:]))


def test_print_is_light(pages: dict[bool, Page]) -> None:
    pages[True].goto((FIGURES / "apron.svg").as_uri())
    pages[True].emulate_media(media="print")
    fill = pages[True].evaluate("getComputedStyle(document.querySelector('rect')).fill")
    pages[True].emulate_media(media="screen")
    assert fill == f"rgb({', '.join(str(n) for n in bytes.fromhex(GROUND[1:]))})"


ROW = "| lab2 A | speed of the kernel: 13x13 on 4096x4096 | 1384 | - | - | 135 |\n"
SMALL = "| lab2 A | speed of the kernel: 5x5 on 4096x4096 | 300 | 450.5 | 1.5 | 135 |\n"
HEADING = "## Speed of the solutions\n\n"


def test_the_roofline_needs_one_row_for_each_part() -> None:
    work = performance.WORK[0]
    speeds = results.speeds(HEADING + SMALL + ROW)
    assert performance.seconds(speeds, work) == pytest.approx(1384e-6)
    for rows in (SMALL, ROW + ROW, SMALL + ROW.replace("lab2", "lab3")):
        with pytest.raises(ValueError, match="one is needed"):
            performance.seconds(results.speeds(HEADING + rows), work)


@pytest.mark.parametrize(
    "text",
    ["", ROW, HEADING, HEADING + "## Next\n" + ROW, HEADING + ROW.replace("1384", "-")],
    ids=["empty", "no heading", "no rows", "rows below another heading", "no time"],
)
def test_results_without_speeds_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Speed of the solutions"):
        results.speeds(text)


def test_baselines_are_read() -> None:
    assert [s.baseline for s in results.speeds(HEADING + SMALL + ROW)] == [450.5, None]
    with pytest.raises(ValueError, match="gpu"):
        results.gpu("- nvcc: 13\n")
    assert results.gpu("- date: x\n- gpu: NVIDIA H200, 580, 9.0\n") == "NVIDIA H200"


def test_no_part_is_above_its_roof() -> None:
    """A wrong number of operations or bytes would put it there."""
    shares = re.findall(r">([\d,]+) %<", performance.roofline().svg())
    assert len(shares) == len(performance.WORK)
    assert all(5 <= int(share) <= 100 for share in shares)
