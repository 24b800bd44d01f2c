"""The page in a browser: no requests, enough contrast in light and dark, no sideways scrolling."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from grader.classroom.similarity import report
from grader.tests.classroom.similarity import planted, programs
from grader.tests.render import accessibility, browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.browser_or_skip() as running:
        yield running


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    codes = dict(list(programs.independent("lab3").items())[10:20])
    codes |= {p.name: p.code for p in planted.plants("lab3") if p.kind == "two sources merged"}
    found = planted.compared("lab3", codes)
    name = programs.file_of("lab3")
    lab = report.lab_report(
        "lab3", found, planted.texts("lab3"), lambda p: {name: codes[p.student]}, str
    )
    path = tmp_path_factory.mktemp("page") / "similarity.html"
    path.write_bytes(report.page([lab]))
    return path


def test_similarity_page_makes_no_request(chromium: Browser, file: Path) -> None:
    assert browser.messages_and_requests(chromium, file) == ([], [file.as_uri()])
    page = browser.opened(chromium, file)
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    targets = page.eval_on_selector_all("a", "all => all.map(e => e.hash.slice(1))")
    assert len(ids) == len(set(ids)) and targets and set(targets) <= set(ids)
    page.context.close()


@pytest.mark.parametrize("dark", [False, True])
def test_similarity_page_is_legible(chromium: Browser, file: Path, dark: bool) -> None:
    page = browser.opened(chromium, file, dark=dark)
    assert page.locator("tr.m").count() > 20
    assert page.evaluate(accessibility.CONTRAST) == []
    page.context.close()


def test_similarity_page_fits_a_phone(chromium: Browser, file: Path) -> None:
    page = browser.opened(chromium, file, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.context.close()
