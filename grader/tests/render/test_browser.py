"""The report in a browser: it loads nothing else, and works by keyboard, with a screen reader, in
dark mode and on a phone."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from grader.model.result import Result
from grader.session.report_data import ReportData
from grader.tests.render import accessibility, browser, reports

REPORTS: dict[str, Callable[[], tuple[Result, ReportData]]] = {
    "wrong": reports.wrong,
    "slow": reports.slow,
    "hostile": reports.hostile,
    "predicted": reports.predicted,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    for name, make in REPORTS.items():
        (folder / f"{name}.html").write_text(reports.page(make()), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in REPORTS}


@pytest.fixture(scope="module")
def chromium(files: dict[str, Path]) -> Iterator[Browser]:
    """A Chromium, started after the gradings: each of these ends every process below this one."""
    assert files
    with browser.browser_or_skip() as running:
        yield running


@pytest.fixture(scope="module")
def pages(chromium: Browser, files: dict[str, Path]) -> dict[str, Page]:
    """Each page, opened once."""
    return {name: browser.opened(chromium, file) for name, file in files.items()}


@pytest.mark.slow("whole grades with pictures, opened in a browser")
@pytest.mark.parametrize("name", REPORTS)
def test_report_opens_without_messages_or_requests(
    chromium: Browser, files: dict[str, Path], name: str
) -> None:
    file = files[name]
    assert browser.messages_and_requests(chromium, file) == ([], [file.as_uri()])


@pytest.mark.parametrize("name", ["wrong", "slow"])
def test_the_keyboard_reaches_and_works_every_control(pages: dict[str, Page], name: str) -> None:
    page = pages[name]
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = false")
    controls = page.locator("a[href], summary").count()
    places = "e => [...document.querySelectorAll('a[href], summary')].indexOf(e)"
    reached = []
    page.evaluate("document.activeElement.blur()")
    for _ in range(2 * controls + 40):
        page.keyboard.press("Tab")
        place = page.evaluate(f"({places})(document.activeElement)")
        if place >= 0:
            reached.append(place)
            ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert ring != "none"
        if len(set(reached)) == controls:
            break
    assert sorted(set(reached)) == list(range(controls)) and reached[0] == 0
    last = page.locator("summary").last
    last.focus()
    page.keyboard.press("Enter")
    assert last.evaluate("e => e.parentElement.open")


@pytest.mark.parametrize("name", ["wrong", "slow"])
def test_report_has_screen_reader_landmarks(pages: dict[str, Page], name: str) -> None:
    page = pages[name]
    accessibility.check_structure(page)
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    targets = page.eval_on_selector_all("a", "all => all.map(e => e.hash.slice(1))")
    assert set(targets) <= set(ids)


def test_light_and_dark_mode_have_enough_contrast(
    chromium: Browser, files: dict[str, Path]
) -> None:
    grounds = []
    for dark in (False, True):
        page = browser.opened(chromium, files["wrong"], dark=dark)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert page.evaluate(accessibility.CONTRAST) == []
        page.context.close()
    bright = [sum(int(n) for n in ground[4:-1].split(",")) for ground in grounds]
    assert bright[0] > 600 and bright[1] < 200


@pytest.mark.parametrize("name", REPORTS)
def test_report_fits_a_phone(chromium: Browser, files: dict[str, Path], name: str) -> None:
    page = browser.opened(chromium, files[name], width=360)
    for opened in (False, True):  # a group of details shows one of them: all are tried
        page.evaluate(
            "open => { for (const d of document.querySelectorAll('details')) "
            "{ d.removeAttribute('name'); d.open = open } }",
            opened,
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.context.close()
