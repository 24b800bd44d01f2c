"""The interactive figures in a browser: from file:// without requests to elsewhere, by keyboard,
with words for screen readers, on light and dark pages, on a phone, and with reduced motion."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from grader import paths
from grader.render import step_page
from grader.tests.handouts.readable import unreadable
from grader.tests.render import browser
from grader.tests.render.accessibility import CONTRAST

FOLDER = paths.ROOT / "handouts" / "interactive"
FIGURES = ("lanes", "tile", "grid", "convolution", "calculator")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.browser_or_skip() as running:
        yield running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a space in its name, which has the scripts beside the pages."""
    folder = tmp_path_factory.mktemp("a site")
    shutil.copytree(FOLDER, folder / "interactive")
    shutil.copy(step_page.RULES, folder / "interactive")
    return folder


def _page(site: Path, name: str, body: str) -> Path:
    file = site / f"{name}.html"
    file.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>A test</title>'
        '<meta name="viewport" content="width=device-width">'
        f'<script src="interactive/main.js" defer></script><main>{body}</main>'
    )
    return file


def _div(name: str, more: str = "") -> str:
    return f'<div class="interactive" data-figure="{name}" {more}></div>'


@pytest.fixture(scope="module")
def everything(site: Path) -> Path:
    return _page(site, "everything", "".join(_div(name) for name in FIGURES))


def _opened(chromium: Browser, file: Path, width: int = 1000, dark: bool = False) -> Page:
    page = browser.opened(chromium, file, width, dark)
    asked = page.locator("div.interactive").count()
    page.wait_for_function(
        "asked => document.querySelectorAll('.interactive .words').length === asked", arg=asked
    )
    return page


@pytest.fixture(scope="module")
def page(chromium: Browser, everything: Path) -> Page:
    return _opened(chromium, everything)


def _number(page: Page, figure: str, label: str) -> str:
    row = page.locator(f"[data-figure={figure}] .numbers > div").filter(has_text=label)
    text: str = row.locator("dd").inner_text()
    return text


def test_interactive_page_opens_without_messages_or_requests(
    chromium: Browser, everything: Path
) -> None:
    page = chromium.new_page()
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(everything.as_uri())
    page.wait_for_function("document.querySelectorAll('.interactive .words').length === 5")
    assert messages == []
    folder = everything.parent.as_uri()
    assert all(url.startswith(folder) for url in requests)
    assert len(requests) == len(set(requests)) == 11  # the page, nine scripts, one style sheet
    page.close()


@pytest.mark.parametrize("width", [1000, 390])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_of_it_can_be_read(chromium: Browser, everything: Path, dark: bool, width: int) -> None:
    page = _opened(chromium, everything, width, dark)
    page.get_by_role("button", name="a column, pitch 32").first.click()  # the tallest picture
    page.get_by_label("mask g").select_option("uneven")  # the largest numbers
    page.get_by_label("y of the output").fill("5")
    assert unreadable(page) == []
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def test_the_theme_that_a_page_chooses_wins(chromium: Browser, everything: Path) -> None:
    page = _opened(chromium, everything)
    level = "getComputedStyle(document.querySelector('.interactive')).backgroundColor"
    for theme, bright in (("dark", False), ("light", True), ("dark", False)):
        page.evaluate("theme => { document.documentElement.style.colorScheme = theme }", theme)
        ground = page.evaluate(level)
        assert (sum(int(n) for n in ground[4:-1].split(",")) > 600) is bright
        assert page.evaluate(CONTRAST) == [] and unreadable(page) == []
    page.context.close()


def test_every_control_has_a_name_and_every_picture_a_description(page: Page) -> None:
    unnamed = "all => all.filter(e => !e.textContent.trim()).length"
    assert page.eval_on_selector_all("button", unnamed) == 0
    labels = "all => all.filter(e => e.labels.length !== 1 || !e.labels[0].textContent).length"
    assert page.eval_on_selector_all("input, select, textarea", labels) == 0
    silent = "all => all.filter(e => !e.ariaHidden && !e.getAttribute('aria-label')).length"
    assert page.eval_on_selector_all("svg, [role=img], [role=group]", silent) == 0
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len(ids) == len(set(ids)) > 10


def test_the_keyboard_reaches_and_works_every_control(chromium: Browser, everything: Path) -> None:
    page = _opened(chromium, everything)
    selector = ".interactive :is(input, select, textarea, button, [tabindex])"
    controls = page.locator(selector).count()
    place = f"[...document.querySelectorAll('{selector}')].indexOf(document.activeElement)"
    reached = []
    for _ in range(controls):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(place))
        ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert ring != "none"
    assert reached == list(range(controls))
    page.get_by_label("offset").focus()
    assert _number(page, "lanes", "sectors per request") == "4"
    page.keyboard.press("ArrowRight")
    assert _number(page, "lanes", "sectors per request") == "5"
    page.get_by_role("button", name="a column, pitch 33").first.focus()
    page.keyboard.press("Enter")
    assert _number(page, "lanes", "extra wavefronts") == "0"
    assert _number(page, "lanes", "sectors per request") == "32"
    page.context.close()


def test_a_page_before_shared_memory_shows_sectors_alone(chromium: Browser, site: Path) -> None:
    page = _opened(chromium, _page(site, "sectors", _div("lanes", 'data-memory="global"')))
    shown = page.locator(".interactive").inner_text()
    assert "sectors per request" in shown and "32-byte sectors" in shown
    assert "bank" not in shown and "wavefront" not in shown
    page.context.close()


def test_arrow_keys_move_the_window_within_the_image(chromium: Browser, site: Path) -> None:
    file = _page(site, "arrows", _div("convolution", 'data-x="6" data-y="1"'))
    page = _opened(chromium, file)
    sentence = page.locator(".words")
    page.locator(".pictures").focus()
    for key, begins in (
        ("ArrowUp", "h(6, 0)"),
        ("ArrowUp", "h(6, 0)"),
        ("ArrowRight", "h(7, 0)"),
        ("ArrowRight", "h(7, 0)"),
        ("ArrowDown", "h(7, 1)"),
        ("ArrowLeft", "h(6, 1)"),
    ):
        page.keyboard.press(key)
        assert sentence.inner_text().startswith(begins)
    page.get_by_role("button", name="Step").click(click_count=2)
    assert sentence.inner_text().startswith("h(0, 2)")  # the next row
    page.get_by_role("button", name="Back").click()
    assert sentence.inner_text().startswith("h(7, 1)")
    page.get_by_label("operation").select_option("convolution")
    assert sentence.inner_text().startswith("(g ∗ f)(7, 1)")
    page.context.close()


def test_screen_readers_announce_settled_numbers_once(chromium: Browser, everything: Path) -> None:
    page = _opened(chromium, everything)
    spoken = page.locator("[data-figure=lanes] [role=status]")
    page.get_by_label("offset").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "sectors per request: 5" not in spoken.inner_text()
    page.wait_for_timeout(900)
    heard = spoken.inner_text()
    assert "sectors per request: 5" in heard and "wavefronts: 1" in heard
    assert "index 3 + 32 · y + 1 · x" in heard
    page.context.close()


def test_play_runs_and_stops_and_respects_reduced_motion(chromium: Browser, site: Path) -> None:
    page = _opened(chromium, _page(site, "play", _div("convolution")))
    play = page.get_by_role("button", name="Play")
    sentence = page.locator(".words")
    play.click()
    assert play.get_attribute("aria-pressed") == "true"
    page.wait_for_function(
        "document.querySelector('.words').textContent.startsWith('h(2, 0)')", timeout=10_000
    )
    page.emulate_media(reduced_motion="reduce")
    page.wait_for_function("document.querySelector('[aria-pressed]').hidden")
    assert play.count() == 0  # hidden
    still = sentence.inner_text()
    page.wait_for_timeout(1200)
    assert sentence.inner_text() == still
    page.context.close()


def test_a_page_sets_controls_and_wrong_values_change_nothing(
    chromium: Browser, site: Path
) -> None:
    body = _div("lanes", 'data-block="1" data-pitch="33" data-width="16"')
    body += _div("lanes", 'data-block="3" data-pitch="-1" data-width="wide" data-stride="1e9"')
    page = _opened(chromium, _page(site, "set", body))
    wavefronts = page.locator(".numbers > div:nth-child(3) dd").all_inner_texts()
    assert wavefronts == ["4", "1"]  # a column of float4 with 33 to a row; then the defaults
    page.context.close()


def test_an_unknown_figure_stays_empty(chromium: Browser, site: Path) -> None:
    messages: list[str] = []
    page = chromium.new_page()
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(_page(site, "unknown", _div("lines") + _div("../main")).as_uri())
    page.wait_for_timeout(300)
    assert page.locator(".interactive *").count() == 0 and messages == []
    page.close()


def test_print_and_pages_without_scripts_show_the_drawing_alone(
    chromium: Browser, everything: Path
) -> None:
    page = _opened(chromium, everything)
    page.emulate_media(media="print")
    assert not page.locator("[data-figure=grid]").is_visible()
    page.context.close()
    context = chromium.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(everything.as_uri())
    height = "document.querySelector('main').getBoundingClientRect().height"
    assert plain.evaluate(height) == 0
    context.close()


def test_limits_of_the_device_are_explained(page: Page) -> None:
    page.locator("[data-figure=grid]").get_by_label("blockDim.x").select_option("128")
    page.locator("[data-figure=grid]").get_by_label("blockDim.y").select_option("16")
    assert (
        "2,048 threads, more than 1,024" in page.locator("[data-figure=grid] .words").inner_text()
    )
    page.locator("[data-figure=tile]").get_by_label("radius r").fill("16")
    assert "no pixel is left" in page.locator("[data-figure=tile] .words").inner_text()
    assert _number(page, "tile", "pixels loaded per output") == "–"
