"""The page that steps through a block, in a browser: its counters are the profile's, it opens where
something is wrong, and works by keyboard, with a screen reader, dark, and on a phone."""

import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from grader.execute import steps
from grader.execute.profile import Kernel
from grader.execute.step_lines import Block
from grader.execute.steps import Focus, Pixel, Recording, Tap
from grader.model import counters
from grader.render import step_page
from grader.tests.execute import stepped_labs
from grader.tests.execute.stepped_program import APART, EVERYTHING, OUTSIDE, RACE, line_of, stepped
from grader.tests.render import accessibility, browser
from handouts.drawing import steps as figures

LAUNCHES = (EVERYTHING, RACE, APART, OUTSIDE)
# Of stepped_labs.py. CONVLABS_STEPPED names others, such as all: 15 minutes.
FEW = os.environ.get("CONVLABS_STEPPED", "lab6/right-swizzled lab8").split()
TO_THE_END = """() => {
  const forward = document.querySelector('[data-move="step 1"]');
  while (!forward.disabled) forward.click();
}"""
Counts = Counter[str]
Labs = dict[str, list[tuple[Kernel, list[Path]]]]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("steps")
    for launch in LAUNCHES:
        (folder / f"{launch}.html").write_text(stepped().page(launch), encoding="utf-8")
    return {launch: folder / f"{launch}.html" for launch in LAUNCHES}


@pytest.fixture(scope="module")
def labs(tmp_path_factory: pytest.TempPathFactory) -> Labs:
    return {which: [*pages_of(which, tmp_path_factory.mktemp("lab"))] for which in FEW}


@pytest.fixture(scope="module")
def chromium(files: dict[int, Path], labs: Labs) -> Iterator[Browser]:
    assert files and labs  # before: what runs a program ends all other processes
    with browser.browser_or_skip() as running:
        yield running


Open = Callable[..., Page]


@pytest.fixture
def show(chromium: Browser, files: dict[int, Path]) -> Iterator[Open]:
    """Opens the page of a launch, or a file; each is closed in the end."""
    pages: list[Page] = []

    def opened(which: int | Path, width: int = 1100, dark: bool = False) -> Page:
        file = which if isinstance(which, Path) else files[which]
        pages.append(browser.opened(chromium, file, width, dark))
        return pages[-1]

    yield opened
    for page in pages:
        page.context.close()


@pytest.fixture
def page(show: Open) -> Page:
    return show(EVERYTHING)


def words(page: Page) -> str:
    text: str = page.locator("#words").inner_text()
    return text


def number(page: Page) -> int:
    return int(page.locator("#number").inner_text().split()[0])


@pytest.mark.parametrize("launch", LAUNCHES)
def test_it_opens_without_messages_and_requests(
    chromium: Browser, files: dict[int, Path], launch: int
) -> None:
    file = files[launch]
    assert browser.messages_and_requests(chromium, file) == ([], [file.as_uri()])
    assert file.stat().st_size < 120_000


def at_the_end(page: Page) -> Counts:
    """What the page shows once each of its steps has been shown."""
    page.evaluate(TO_THE_END)
    rows = page.locator("#counters tbody tr").all_inner_texts()
    cells = [row.split("\t") for row in rows]
    assert all(so_far == at_end for _, _, so_far, at_end, *_ in cells)
    return Counter({name.replace(" ", "_"): int(at_end) for name, _, _, at_end, *_ in cells})


def of_profile(kernel: Kernel) -> Counts:
    counts = msgspec.structs.asdict(kernel.counters)
    others = {*counters.OF_LAUNCH, "constant_serialisation"}  # words / requests
    return +Counter({name: n for name, n in counts.items() if name not in others})


def pages_of(which: str, folder: Path) -> Iterator[tuple[Kernel, list[Path]]]:
    """Each launch of a lab's program, and the pages of all its blocks."""
    for number, run in enumerate(stepped_labs.profiled(which, folder)):
        for kernel in run.kernels:
            files: list[Path] = []
            for x, y, z in itertools.product(*(range(n) for n in kernel.grid)):
                recording = run.recording(kernel.launch, (x, y, z))
                steps.complete(recording, most=1 << 30)
                files.append(folder / f"{number}-{kernel.launch}-{len(files)}.html")
                files[-1].write_text(step_page.page(recording))
            yield kernel, files


def test_its_counters_are_those_of_the_profile(page: Page) -> None:
    assert at_the_end(page) == of_profile(stepped().shown.profile.kernels[EVERYTHING])
    assert page.evaluate("convlabsStep.counters().pixels") == 128


@pytest.mark.parametrize("which", FEW)
def test_the_pages_of_all_blocks_add_up_to_the_profile(show: Open, labs: Labs, which: str) -> None:
    for kernel, files in labs[which]:
        assert sum((at_the_end(show(file)) for file in files), Counter()) == of_profile(kernel)


def test_it_opens_at_the_bank_conflict(page: Page) -> None:
    assert "32 wavefronts, 31 of them extra because of bank conflicts" in words(page)
    assert page.locator("#source .now .n").inner_text() == str(line_of("= d_in[y * SIDE + x]"))
    assert page.locator("#memory tbody tr").count() == 32
    assert page.locator("#memory td.clash").count() == 32
    page.keyboard.press("ArrowLeft")
    assert "4 sectors, 128 bytes moved, 100 % of them used" in words(page)
    assert page.locator("#memory .sector").count() == 4


def test_the_other_thread_of_a_race_is_a_click_away(show: Open) -> None:
    page = show(RACE)
    told = page.locator("#jumps p").all_inner_texts()
    assert len(told) == 2 and {"loads", "stores"} == {
        verb for text in told for verb in re.findall("loads|stores", text)
    }
    assert len({re.findall(r"s_row\[\d+\]", text)[0] for text in told}) == 1  # the same word
    first = number(page)
    page.locator("#jumps button").nth(1).click()
    assert number(page) != first
    assert page.locator("#grid .here").count() == 1
    assert page.locator("#memory .here").count() == 1


def test_a_bad_address_and_barriers_that_differ(show: Open) -> None:
    page = show(OUTSIDE)
    assert "outside of d_out: lane 5" in page.locator("#memory").inner_text()
    assert page.locator("#grid .here").count() == 1
    branch = line_of("if (blockIdx.x == 1 && threadIdx.x == 5)")
    assert f"of line {branch}" in page.locator("#off").inner_text()
    page = show(APART)
    assert words(page).startswith("16 of 32 threads meet at this barrier")
    assert "lane 0" in page.locator("#memory").inner_text() or page.locator("td.over").count()


def test_keys_go_to_barriers_lines_costly_accesses_and_pixels(page: Page) -> None:
    page.locator("#at").fill("0")
    seen = {}
    for key in ("b", "p", "c", "l"):
        page.locator("#at").fill("0")
        page.keyboard.press(key)
        seen[key] = words(page)
        forth = number(page)
        page.keyboard.press("ArrowRight")
        page.keyboard.press(f"Shift+{key.upper()}")
        assert number(page) <= forth + 1
    assert seen["b"].startswith("All 128 threads of the block meet at the barrier")
    assert "to d_out in global memory" in seen["p"]
    assert "extra because of bank conflicts" in seen["c"]
    assert "c_factor" in seen["l"]
    page.locator("#only").select_option("2")
    page.evaluate("convlabsStep.show(0)")
    page.get_by_role("button", name="next store of a pixel").click()
    assert words(page).startswith("Warp 2:")


def test_backwards_shows_the_same_as_forwards(page: Page) -> None:
    page.locator("#at").fill("0")
    told = []
    for _ in range(12):
        told.append(page.locator("#grid").inner_text())
        page.keyboard.press("ArrowRight")
    for before in reversed(told):
        page.keyboard.press("ArrowLeft")
        assert page.locator("#grid").inner_text() == before


def test_a_shuffle_shows_who_reads_from_whom(page: Page) -> None:
    page.evaluate("convlabsStep.show(convlabsStep.steps.findIndex(s => s.kind === 'warp'))")
    assert "shuffle" in words(page)
    assert page.locator("#memory svg path").count() == 32
    assert "← 16" in page.locator("#grid").inner_text()


def test_a_screen_reader_has_a_table_and_hears_the_step(page: Page) -> None:
    accessibility.check_structure(page)
    page.get_by_text("The lanes as a table").click()
    rows = page.locator("#table tbody tr")
    expect(rows).to_have_count(32)  # the details open a little later
    page.keyboard.press("ArrowLeft")
    assert "lane 0\t0, 0, 0\ttakes part\t[0]\t0" in rows.first.inner_text()
    expect(page.locator("#spoken")).to_contain_text("Warp 0: all 32 lanes load", timeout=30_000)
    unnamed = "all => all.filter(e => !(e.textContent.trim() || e.ariaLabel)).length"
    assert page.eval_on_selector_all("button", unnamed) == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("launch", LAUNCHES)
def test_it_can_be_read_everywhere(show: Open, launch: int, dark: bool) -> None:
    for width in (1100, 390):
        page = show(launch, width, dark)
        for move in ("", "ArrowRight", "b", "p"):
            if move:
                page.keyboard.press(move)
            assert page.evaluate(accessibility.CONTRAST) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_text("The lanes as a table").click()
        assert accessibility.objections(page) == []


@pytest.mark.parametrize("figure", sorted(figures.FIGURES))
def test_the_small_pages_of_the_handouts(
    chromium: Browser, show: Open, tmp_path: Path, figure: str
) -> None:
    encoded = (figures.FOLDER / f"{figure}.json").read_bytes()
    recording = msgspec.json.decode(encoded, type=Recording)
    file = tmp_path / "small.html"
    file.write_text(step_page.page(recording, small=True))
    assert file.stat().st_size < 60_000
    assert browser.messages_and_requests(chromium, file) == ([], [file.as_uri()])
    (lines,) = recording.sources.values()
    assert recording.head.kernel in next(text for text in lines if text)
    for width, dark in ((740, False), (390, True)):
        page = show(file, width, dark)
        jumps = page.locator("#jumps button").all()
        jumps[1].click()
        assert number(page) == int(jumps[1].inner_text().split()[1])
        assert page.locator("#source .now").count() == 1
        assert page.evaluate(accessibility.CONTRAST) == [] == accessibility.objections(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_reduced_motion_moves_nothing(page: Page) -> None:
    duration = "getComputedStyle(document.querySelector('#grid > div')).transitionDuration"
    assert page.evaluate(duration) != "0s"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(duration) == "0s"


def test_a_wrong_pixel_shows_its_taps_and_those_missing(
    chromium: Browser, show: Open, tmp_path: Path
) -> None:
    recording = stepped().recording(RACE)
    recording.title = '</script><b onclick="x">'
    recording.focus = Focus(2, 2, ["out[y=0][x=1] is 1; it should be 2"])
    taps = [Tap(0, 0, 1, True), Tap(1, 0, -1, True), Tap(0, 1, 0, False)]
    recording.pixel = Pixel("[y=0][x=1]", "1", "2", taps, 4)
    file = tmp_path / "pixel.html"
    file.write_text(step_page.page(recording))
    assert browser.messages_and_requests(chromium, file)[0] == []
    page = show(file)
    assert page.locator("h1").inner_text() == recording.title
    assert page.locator("#taps .missing").count() == 1 == page.locator("#taps .extra").count()
    assert "1 missing" in page.locator("#taps-words").inner_text()
    page.get_by_role("button", name="(0, 0): read in step 2").click()
    assert number(page) == 2
    accessibility.check_structure(page)


def test_a_block_without_steps_says_so(show: Open, tmp_path: Path) -> None:
    head = Block(0, "nothing", (1, 1, 1), (32, 1, 1), (0, 0, 0))
    file = tmp_path / "nothing.html"
    file.write_text(step_page.page(Recording(head, [], [])))
    assert "nothing to step through" in words(show(file))
