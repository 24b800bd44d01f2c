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
from handouts.drawing import performance
from handouts.drawing.canvas import DARK, GREY, GROUND, INK, WHITE, Drawing
from labs.studies.gpu.speeds import Speed

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


@pytest.mark.parametrize("name", ["lanes", "sectors"])
def test_the_first_figures_of_labs_3_and_6_fit_a_phone(name: str) -> None:
    width = re.search(r' width="(\d+)"', drawing.figures()[name]().opening)
    assert width and int(width[1]) <= 390 - 2 * 16  # the page has a margin on each side


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


def test_printed_figures_use_the_light_theme(pages: dict[bool, Page]) -> None:
    pages[True].goto((FIGURES / "apron.svg").as_uri())
    pages[True].emulate_media(media="print")
    fill = pages[True].evaluate("getComputedStyle(document.querySelector('rect')).fill")
    pages[True].emulate_media(media="screen")
    assert fill == f"rgb({', '.join(str(n) for n in bytes.fromhex(GROUND[1:]))})"


def _speed(lab: str, check: str, ns: int) -> Speed:
    return Speed(lab, "A", f"speed of the kernel: {check} on 4096x4096", ns, None, None, 135)


def test_the_roofline_needs_one_speed_for_each_part() -> None:
    work = performance.WORK[0]
    small, large = _speed("lab2", "5x5", 300_000), _speed("lab2", "13x13", 1_384_000)
    assert performance.seconds([small, large], work) == pytest.approx(1384e-6)
    for speeds in ([small], [large, large], [small, _speed("lab3", "13x13", 1_384_000)]):
        with pytest.raises(ValueError, match="one is needed"):
            performance.seconds(speeds, work)


def test_measurements_stay_below_the_roofline() -> None:
    """A wrong number of operations or bytes would put it there."""
    shares = re.findall(r">([\d,]+) %<", performance.roofline().svg())
    assert len(shares) == len(performance.WORK)
    assert all(5 <= int(share) <= 100 for share in shares)
