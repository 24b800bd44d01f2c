"""The class page in a browser: it loads nothing else, sorts and filters, works without scripts, by
keyboard, in dark mode, on a phone and on paper."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from grader.classroom.bulk import logs
from grader.classroom.bulk.store import Store
from grader.classroom.course.student_id import of_name as id_of
from grader.classroom.export import grades, publish
from grader.classroom.page import page as class_page
from grader.tests.classroom.bulk.test_logs import made
from grader.tests.classroom.page import synthetic
from grader.tests.render import accessibility, browser

OPEN = "for (const d of document.querySelectorAll('details')) d.open = true"
ROWS = "#students-table tbody tr"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class") / "run"
    store = Store(folder, resume=False)
    synthetic.fill(store, ["lab1", "lab4"], 40)
    for number, name in enumerate(synthetic.names(3)):
        log = made(*(f"{n}".encode() for n in range(9 * number + 2)), lab="lab4")
        logs.keep(store, id_of(name), "lab4", log)
    publish.write(grades.of(store))
    (folder / "class.html").write_text(class_page.page(store, folder, False), encoding="utf-8")
    store.close()
    return folder / "class.html"


@pytest.fixture(scope="module")
def chromium(file: Path) -> Iterator[Browser]:
    assert file
    with browser.browser_or_skip() as running:
        yield running


@pytest.fixture
def page(chromium: Browser, file: Path) -> Iterator[Page]:
    page = browser.opened(chromium, file, width=1280)
    yield page
    page.context.close()


def test_class_page_opens_without_messages_or_requests(chromium: Browser, file: Path) -> None:
    assert browser.messages_and_requests(chromium, file) == ([], [file.as_uri()])


def test_the_policy_stops_a_script_that_gets_into_the_page(page: Page) -> None:
    blocked: list[str] = []
    page.on("console", lambda message: blocked.append(message.text))
    page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.injected = 1';"
        "document.body.append(s)"
    )
    assert page.evaluate("window.injected") is None and "Content Security Policy" in blocked[0]


def column(page: Page, table: str, number: int) -> list[str]:
    cells = f"{table} tbody tr > :nth-child({number})"
    get = "all => all.filter(e => !e.parentElement.hidden).map(e => e.dataset.sort ?? e.innerText)"
    return [str(text) for text in page.eval_on_selector_all(cells, get)]


def test_a_click_sorts_and_another_turns_it_round(page: Page) -> None:
    head = page.locator("#students-table thead th").nth(2)
    button = head.get_by_role("button")
    button.click()
    assert head.get_attribute("aria-sort") == "descending"  # the most points first
    values = column(page, "#students-table", 3)
    numbers = [float(value) for value in values if value]
    assert numbers == sorted(numbers, reverse=True) and len(set(numbers)) > 10
    assert values[: len(numbers)] == [v for v in values if v] and "" in values  # blanks are last
    button.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    values = column(page, "#students-table", 3)
    assert [float(v) for v in values if v] == sorted(numbers) and values[-1] == ""
    page.locator("#students-table thead th").nth(0).get_by_role("button").click()
    assert page.locator("#students-table [aria-sort]").count() == 1
    checks = page.locator("#lab4 details.card table thead th")
    page.evaluate(OPEN)
    checks.nth(6).get_by_role("button").click()
    values = column(page, "#lab4 details.card table", 7)
    numbers = [float(value) for value in values if value]
    assert numbers == sorted(numbers) and len(numbers) > 20


def test_the_filter_finds_names_and_states(page: Page) -> None:
    everybody = page.locator(f"{ROWS}:visible").count()
    page.get_by_label("Name or address").fill("太郎")
    assert page.locator(f"{ROWS}:visible").count() == 1
    page.get_by_label("Name or address").fill("STUDENT 01")
    assert 1 < page.locator(f"{ROWS}:visible").count() < everybody
    page.get_by_label("Name or address").fill("<script>")
    assert page.locator(f"{ROWS}:visible").count() == 1
    page.get_by_label("Name or address").fill("")
    page.get_by_label("Show").select_option("missing")
    rows = page.locator(f"{ROWS}:visible").all_inner_texts()
    assert 0 < len(rows) < everybody and all("missing" in row for row in rows)
    assert page.locator("#filter-shown").inner_text() == f"{len(rows)} of {everybody} students"
    hidden = page.locator(f"{ROWS}:not(:visible)").first.get_attribute("id")
    page.evaluate("id => { location.hash = id }", hidden)
    page.wait_for_function("id => !document.getElementById(id).hidden", arg=hidden)


def test_a_link_opens_the_report(page: Page) -> None:
    links = page.locator(f"{ROWS} a[href$='report.html']")
    assert links.count() > 60
    for number in range(0, links.count(), 7):
        with page.expect_navigation() as navigation:
            links.nth(number).click()
        assert navigation.value is None or navigation.value.url.endswith("report.html")
        assert page.title() == "report"
        page.go_back()


def test_class_page_works_without_scripts(chromium: Browser, file: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("#filter").is_hidden() and page.locator("thead button").count() == 0
    assert page.locator(f"{ROWS}:visible").count() > 40
    page.locator("#lab4 summary").first.click()
    assert page.locator("#lab4 details table tbody tr").first.is_visible()
    context.close()


def test_the_keyboard_reaches_every_control(page: Page) -> None:
    controls = "a[href], summary, button, input, select"
    page.evaluate(OPEN)
    expected = page.locator(controls).count()
    reached = set()
    page.evaluate("document.activeElement.blur()")
    find = f"[...document.querySelectorAll('{controls}')].indexOf(document.activeElement)"
    for _ in range(expected + 100):
        page.keyboard.press("Tab")
        place = page.evaluate(find)
        if place >= 0:
            reached.add(place)
            ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert ring != "none"
    assert reached == set(range(expected))


def test_class_page_has_screen_reader_landmarks(page: Page) -> None:
    accessibility.check_structure(page)
    pictures = page.locator("svg[role=img]").count()
    assert pictures == page.locator("svg").count() == 4  # the course, its labs, and two labs


def test_the_text_of_a_chart_is_text(page: Page) -> None:
    assert "median" in (page.locator("#lab4 svg").first.text_content() or "")


@pytest.mark.parametrize("dark", [False, True])
def test_both_themes_have_enough_contrast(chromium: Browser, file: Path, dark: bool) -> None:
    page = browser.opened(chromium, file, width=1280, dark=dark)
    page.evaluate(OPEN)
    assert page.evaluate(accessibility.CONTRAST) == []
    assert accessibility.objections(page) == []
    ink = page.evaluate("getComputedStyle(document.body).color")
    drawn = page.evaluate(
        "[...document.querySelectorAll('#lab4 svg text')].map(e => getComputedStyle(e).fill)"
    )
    assert ink in drawn
    page.context.close()


@pytest.mark.parametrize("width", [360, 390, 800, 1280, 2000])
def test_class_page_never_scrolls_sideways(chromium: Browser, file: Path, width: int) -> None:
    page = browser.opened(chromium, file, width=width)
    page.evaluate(OPEN)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    narrowest = "Math.min(...Array.from(document.querySelectorAll('.who'), e => e.clientWidth))"
    assert page.evaluate(narrowest) > 100, "a name is not broken letter by letter"
    page.context.close()


def test_paper_shows_what_is_folded_and_no_controls(page: Page) -> None:
    page.emulate_media(media="print")
    assert page.locator("#lab4 details table tbody tr").first.is_visible()
    assert page.locator("#filter").is_hidden() and page.locator("nav").is_hidden()
