"""The report in a browser: it loads nothing else, and works by keyboard, with a screen reader, in
dark mode and on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from grader.grading.evidence import Evidence
from grader.model.result import Result
from grader.tests.render import browser, reports

REPORTS: dict[str, Callable[[], tuple[Result, Evidence]]] = {
    "wrong": reports.wrong,
    "slow": reports.slow,
    "hostile": reports.hostile,
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
    if browser.installed() is None:
        pytest.skip(f"no Chromium that starts: {', '.join(browser.NAMES)}, nor Playwright's own")
    with browser.browser() as running:
        yield running


@pytest.fixture(scope="module")
def pages(chromium: Browser, files: dict[str, Path]) -> dict[str, Page]:
    """Each page, opened once."""
    return {name: browser.opened(chromium, file) for name, file in files.items()}


@pytest.mark.parametrize("name", REPORTS)
def test_it_opens_without_messages_and_requests(
    chromium: Browser, files: dict[str, Path], name: str
) -> None:
    page = chromium.new_page()
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("dialog", lambda dialog: messages.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(files[name].as_uri())
    assert messages == []
    assert [url for url in requests if not url.startswith("data:")] == [files[name].as_uri()]
    page.close()


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
def test_a_screen_reader_finds_its_way(pages: dict[str, Page], name: str) -> None:
    page = pages[name]
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert page.get_by_role(landmark).count() == 1, landmark
    assert page.locator("html[lang=en]").count() == 1
    assert page.locator("h1").count() == 1
    levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map(e => +e.tagName[1])")
    assert all(b <= a + 1 for a, b in pairwise(levels))
    unnamed = "all => all.filter(e => !e.getAttribute('aria-label')?.trim()).length"
    assert page.eval_on_selector_all("svg, [role=region]", unnamed) == 0
    assert page.eval_on_selector_all("table", "all => all.filter(e => !e.caption).length") == 0
    assert page.eval_on_selector_all("th", "all => all.filter(e => !e.scope).length") == 0
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len(ids) == len(set(ids))
    targets = page.eval_on_selector_all("a", "all => all.map(e => e.hash.slice(1))")
    assert set(targets) <= set(ids)


# The elements whose text has too little contrast with its background, as WCAG computes it.
CONTRAST = """() => {
  const level = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4 };
  const light = c => 0.2126 * level(c[0]) + 0.7152 * level(c[1]) + 0.0722 * level(c[2]);
  const parse = s => (s.match(/[0-9.]+/g) || [0, 0, 0, 0]).map(Number);
  const over = (top, under) => {
    const a = top.length > 3 ? top[3] : 1;
    return [0, 1, 2].map(i => a * top[i] + (1 - a) * under[i]);
  };
  const ground = e => {
    const own = parse(getComputedStyle(e).backgroundColor);
    if (own.length === 3 || own[3] === 1) return own.slice(0, 3);
    return over(own, e.parentElement ? ground(e.parentElement) : [255, 255, 255]);
  };
  const poor = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest('svg') || !e.checkVisibility()) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${e.className} ${ratio.toFixed(1)} ${e.textContent.slice(0, 30)}`);
  }
  return poor;
}"""


def test_light_and_dark_mode_have_enough_contrast(
    chromium: Browser, files: dict[str, Path]
) -> None:
    grounds = []
    for dark in (False, True):
        page = browser.opened(chromium, files["wrong"], dark=dark)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert page.evaluate(CONTRAST) == []
        page.context.close()
    bright = [sum(int(n) for n in ground[4:-1].split(",")) for ground in grounds]
    assert bright[0] > 600 and bright[1] < 200


@pytest.mark.parametrize("name", REPORTS)
def test_a_phone_need_not_scroll_sideways(
    chromium: Browser, files: dict[str, Path], name: str
) -> None:
    page = browser.opened(chromium, files[name], width=360)
    for opened in (False, True):  # a group of details shows one of them: all are tried
        page.evaluate(
            "open => { for (const d of document.querySelectorAll('details')) "
            "{ d.removeAttribute('name'); d.open = open } }",
            opened,
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.context.close()
