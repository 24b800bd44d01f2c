"""The site and the PDFs of the real handouts: built once, checked, and opened in a browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from grader import __version__, paths
from grader.model import outline
from grader.tests.handouts.test_site import pdf_text
from grader.tests.render import browser
from grader.tests.render.accessibility import objections
from handouts.site import build
from handouts.site.build import Built

PAGES = sorted(
    "index" if file.stem == "README" else file.stem
    for file in (paths.ROOT / "handouts").glob("*.md")
)
A4 = (595.3, 841.9)  # points
PHONE = ViewportSize(width=390, height=844)
# Waits until the theme's colours have been drawn: axe measures the contrast of what it sees.
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("handouts") / "site"


@pytest.fixture(scope="module")
def built(site: Path) -> Built:
    return build.build(paths.ROOT, site, say=lambda _: None)


@pytest.fixture(scope="module")
def chromium(built: Built) -> Iterator[Browser]:
    assert built
    with browser.browser_or_skip() as running:
        yield running


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1200, "height": 800})
    yield page
    page.close()


def address(site: Path, name: str = "index") -> str:
    return (site / f"{name}.html").resolve().as_uri()


@pytest.mark.slow("all pages of the site are made for the first test")
def test_the_check_finds_nothing(built: Built) -> None:
    assert built.problems == []
    assert built.pages == len(PAGES)


@pytest.mark.slow("all pages of the site are made for the first test")
@pytest.mark.parametrize("name", PAGES)
def test_each_page_opens_alone_in_both_themes_and_on_a_phone(
    name: str, site: Path, chromium: Browser
) -> None:
    """No message, no request but for the site's files, and nothing that axe-core objects to."""
    context = chromium.new_context(viewport=PHONE, color_scheme="light")
    page = context.new_page()
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("dialog", lambda dialog: messages.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))
    page.on("requestfailed", lambda request: messages.append(f"not loaded: {request.url}"))
    page.goto(address(site, name))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.locator("#contents").evaluate("menu => { menu.open = true }")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert objections(page) == []
    page.set_viewport_size({"width": 1200, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.evaluate(DRAWN)
    assert objections(page) == []
    assert messages == []
    inside = site.resolve().as_uri() + "/"
    assert [r for r in requests if not r.startswith((inside, "data:"))] == []
    context.close()


@pytest.mark.parametrize("typed", ["bank conflict", "뱅크 충돌"])
def test_the_search_finds_a_term_first(typed: str, site: Path, page: Page) -> None:
    page.goto(address(site, "lab6"))
    page.locator("#query").fill(typed)
    first = page.locator("#results a").first
    expect(first).to_have_attribute("href", "glossary.html#term-bank-conflict")
    first.click()
    expect(page.locator("tr:target")).to_contain_text("Lanes of one request")


def test_the_search_finds_sections(site: Path, page: Page) -> None:
    page.goto(address(site))
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type("bank conflict")
    links = page.locator("#results a")
    expect(links.first).to_be_visible()
    expect(page.locator("#search-status")).to_have_text(f"{count(page)} found")
    assert links.count() >= 3 and "bank conflict" in links.first.inner_text().lower()
    assert objections(page) == []
    page.keyboard.press("ArrowDown")
    expect(links.first).to_be_focused()
    target = str(links.first.get_attribute("href"))
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{target}")
    anchor = target.partition("#")[2]
    assert not anchor or page.evaluate("id => document.getElementById(id) !== null", anchor)


def count(page: Page) -> str:
    text: str = page.locator("#results p").inner_text()
    return text.split(",")[0]


def test_the_search_says_when_it_finds_nothing_and_closes(site: Path, page: Page) -> None:
    page.goto(address(site, "lab1"))
    page.locator("#query").fill("<b>no such word</b>")
    expect(page.locator("#results")).to_contain_text("No section has all words of “<b>no such")
    assert page.locator("#results b").count() == 0
    page.keyboard.press("Escape")
    expect(page.locator("#results")).to_be_hidden()
    page.locator("#query").fill("a")
    expect(page.locator("#results")).to_be_hidden()


def test_the_theme_stays_chosen(site: Path, chromium: Browser) -> None:
    context = chromium.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(address(site))
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Switch to the dark theme").click()
    dark = page.evaluate(ground)
    page.goto(address(site, "lab8"))
    assert page.evaluate(ground) == dark != light
    page.locator("iframe.steps").scroll_into_view_if_needed()
    frame = page.frame_locator("iframe.steps").locator("body")
    expect(frame).to_have_css("background-color", dark)
    page.get_by_role("button", name="Switch to the light theme").click()
    assert page.evaluate(ground) == light
    expect(frame).to_have_css("background-color", light)
    context.close()


def test_the_first_screen_has_a_figure_that_moves_and_the_eight_questions(
    site: Path, page: Page
) -> None:
    page.goto(address(site))
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "true")
    words = page.locator(".interactive .words")
    before = words.inner_text()
    expect(words).not_to_have_text(before)
    cards = page.locator("tbody tr").filter(has_text="?")
    assert cards.count() == len(outline.available())
    assert page.evaluate("document.querySelector('tbody').getBoundingClientRect().top") < 800


def test_the_contents_follow_the_text(site: Path, page: Page) -> None:
    page.goto(address(site, "lab6"))
    here = page.locator("[aria-current=location]")
    for part in ("part-c-vector-loads-several-pixels-per-thread", "wavefronts-shared-memory"):
        page.evaluate("part => document.getElementById(part).scrollIntoView()", part)
        expect(here).to_have_attribute("href", f"#{part}")
        expect(here).to_be_in_viewport()


def test_copy_button_copies_only_the_commands(site: Path, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address(site, "introduction"))
    code = page.locator(".code").filter(has_text="$ ./grade run brighten.cu --check")
    code.hover()
    code.get_by_role("button").click()
    expect(code.get_by_role("button")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "./grade run brighten.cu --check"


def test_next_leads_through_all_pages(site: Path, page: Page) -> None:
    page.goto(address(site))
    seen = ["index"]
    while page.locator("a[rel=next]").count():
        page.goto(str(page.locator("a[rel=next]").evaluate("link => link.href")))
        seen.append(page.url.rpartition("/")[2].removesuffix(".html"))
        assert len(seen) <= len(PAGES)
    assert sorted(seen) == PAGES


def test_a_page_without_scripts_has_text_and_contents(site: Path, chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=False, viewport=PHONE)
    page = context.new_page()
    page.goto(address(site, "lab1"))
    expect(page.locator("nav.contents a").first).to_be_visible()
    expect(page.locator("form.search")).to_be_hidden()
    expect(page.locator("#theme")).to_be_hidden()
    context.close()


def test_paper_shows_the_text_alone(site: Path, page: Page) -> None:
    page.goto(address(site, "lab1"))
    page.emulate_media(media="print", color_scheme="dark")
    for hidden in (".top", "nav.contents", "nav.beside"):
        expect(page.locator(hidden)).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(28, 30, 33)"


@pytest.mark.parametrize("lab", outline.available())
def test_each_lab_has_a_pdf(lab: str, site: Path, built: Built) -> None:
    assert built
    file = site / "pdf" / f"{lab}.pdf"
    assert f'href="pdf/{lab}.pdf"' in (site / f"{lab}.html").read_text()
    document = pypdfium2.PdfDocument(file)
    assert pypdfium2.raw.FPDFCatalog_IsTagged(document) and b"<pdfuaid:part>1<" in file.read_bytes()
    assert len(document) <= 8
    for page in document:
        assert page.get_size() == pytest.approx(A4, abs=0.5)
    markdown = (paths.ROOT / "handouts" / f"{lab}.md").read_text()
    sections = [line[3:] for line in markdown.splitlines() if line.startswith("## ")]
    outline = [entry.get_title() for entry in document.get_toc() if entry.level == 1]
    assert outline == [section.replace("`", "") for section in sections]
    document.close()
    text = pdf_text(file)
    assert "<div" not in text and "<!--" not in text and "$$" not in text
    assert f"convlabs {__version__}, " in text
    assert text.count("Figure ") == markdown.count(".svg)")


def test_the_pdf_of_all_pages_has_a_chapter_for_each(built: Built) -> None:
    assert built.pdfs[0].name == "handouts.pdf"
    document = pypdfium2.PdfDocument(built.pdfs[0])
    chapters = [entry.get_title() for entry in document.get_toc() if entry.level == 0]
    assert [c for c in chapters if c != "Contents"] and len(set(chapters)) >= len(PAGES)
    assert document.get_metadata_dict()["Title"] == "convlabs"
    document.close()


def test_mistake_text_and_picture_share_a_page(site: Path, built: Built) -> None:
    """Pictures of mistakes are the only images of a PDF; drawings are lines."""
    assert built
    files = (paths.ROOT / "handouts/figures/mistakes").iterdir()
    names = [re.sub(r"-lab(\d)$", r" in lab\\s\1", file.stem) for file in files]
    document = pypdfium2.PdfDocument(site / "pdf" / "handouts.pdf")
    shown = 0
    for page in document:
        words = page.get_textpage().get_text_bounded().replace("\r\n", "\n")
        images = len(list(page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE], max_depth=4)))
        assert images == sum(len(re.findall(rf"^{name}: ", words, re.M)) for name in names)
        shown += images
    document.close()
    assert shown == len(names)


@pytest.mark.parametrize("name", ["introduction", *outline.available()])
def test_a_page_is_short_enough_to_finish(name: str, site: Path, chromium: Browser) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address(site, name))
    assert page.evaluate("document.documentElement.scrollHeight") <= 12_000
    page.close()


def test_a_phone_shows_a_drawing_large_enough_to_read(site: Path, chromium: Browser) -> None:
    page = chromium.new_page(viewport=PHONE)
    page.goto(address(site, "lab4"))
    drawing = page.locator(".drawing img").first
    width = drawing.evaluate("image => image.clientWidth / image.naturalWidth")
    assert width >= 0.99
    expect(page.locator("figcaption").first).to_be_visible()
    box = page.locator(".drawing").first
    assert box.evaluate("box => box.scrollWidth > box.clientWidth && box.tabIndex === 0")
    page.close()
