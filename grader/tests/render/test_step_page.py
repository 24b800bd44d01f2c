"""The page that steps through a block, in a browser: its counters are the profile's, it opens where
something is wrong, and works by keyboard, with a screen reader, dark, and on a phone."""

import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from grader.execute import step_target, steps
from grader.execute.step_lines import Access, Block, Object
from grader.execute.step_target import Target
from grader.execute.steps import Focus, Limit, Pixel, Recording, Tap
from grader.model import counters
from grader.model.counters import Counters
from grader.render import step_page
from grader.tests.ask import test_ground_truth
from grader.tests.execute import stepped
from grader.tests.execute.stepped import APART, EVERYTHING, LAUNCHES, OUTSIDE, RACE, line_of
from grader.tests.render import accessibility, browser
from handouts.drawing import steps as figures

MOST = 24  # of the blocks of a launch
# Of stepped.py; CONVLABS_STEPPED names others.
FEW = os.environ.get("CONVLABS_STEPPED", "lab6/right-swizzled lab8").split()
FORWARD = """document.querySelector('[data-move="step 1"]')"""
Counts = Counter[str]
Blocks = list[tuple[Recording, Counts]]  # what the page of each shows in the end
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def labs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Blocks]:
    return {which: [*blocks_of(which, tmp_path_factory.mktemp("lab"))] for which in FEW}


@pytest.fixture(scope="module")
def chromium(labs: dict[str, Blocks]) -> Iterator[Browser]:
    assert all(labs.values()) and all(stepped.raw(launch) for launch in LAUNCHES)
    with browser.browser_or_skip() as running:  # after them: a run ends all other processes
        yield running


@pytest.fixture
def show(chromium: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens the page of a recording, which says and requests nothing; closes it in the end."""
    pages: list[Page] = []

    def opened(recording: Recording, width: int = 1100, dark: bool = False, **how: bool) -> Page:
        file = written(tmp_path / f"{len(pages)}.html", recording, **how)
        assert browser.messages_and_requests(chromium, file) == ([], [file.as_uri()])
        pages.append(browser.opened(chromium, file, width, dark))
        return pages[-1]

    yield opened
    for page in pages:
        page.context.close()


@pytest.fixture
def page(show: Open) -> Page:
    return show(stepped.recording(EVERYTHING))


def written(file: Path, recording: Recording, **how: bool) -> Path:
    file.write_text(step_page.page(recording, **how), encoding="utf-8")
    return file


def words(page: Page) -> str:
    return str(page.locator("#words").inner_text())


def number(page: Page) -> int:
    return int(page.locator("#number").inner_text().split()[0])


def at_the_end(page: Page) -> Counts:
    """What the page shows once each of its steps has been shown."""
    page.evaluate(f"() => {{ while (!{FORWARD}.disabled) {FORWARD}.click() }}")
    rows = page.locator("#counters tbody tr").all_inner_texts()
    cells = [row.split("\t") for row in rows]
    assert all(so_far == at_end for _, _, so_far, at_end, *_ in cells)
    return Counter({name.replace(" ", "_"): int(at_end) for name, _, _, at_end, *_ in cells})


def of_profile(counted: Counters) -> Counts:
    others = {*counters.OF_LAUNCH, "constant_serialisation"}  # words / requests
    counts = msgspec.structs.asdict(counted)
    return +Counter({name: n for name, n in counts.items() if name not in others})


def blocks_of(which: str, work: Path) -> Iterator[tuple[Recording, Counts]]:
    """Some blocks of each launch of a lab's program; test_steps.py adds up all of them."""
    for run in stepped.profiled(which, work):
        counted = run.blocks()
        for kernel in run.kernels:
            blocks = [block for block in counted if block[0] == kernel.launch]
            for block in random.Random(which).sample(blocks, min(MOST, len(blocks))):
                recording = run.recording(*block)
                steps.complete(recording, most=1 << 30)
                yield recording, of_profile(counted[block])


def test_step_counters_equal_the_profile(page: Page) -> None:
    shown = at_the_end(page)
    assert shown == of_profile(stepped.run()[1].profile.kernels[EVERYTHING].counters)
    assert shown["shared_store_conflicts"] > 0 < shown["constant_requests"]
    assert page.evaluate("convlabsStep.counters().pixels") == 128


@pytest.mark.parametrize("which", FEW)
def test_the_pages_of_blocks_add_up_to_the_profile(
    chromium: Browser, labs: dict[str, Blocks], tmp_path: Path, which: str
) -> None:
    for recording, expected in labs[which]:
        page = browser.opened(chromium, written(tmp_path / "block.html", recording))
        assert at_the_end(page) == expected
        page.context.close()


def test_step_page_draws_measured_wavefronts_and_sectors(show: Open) -> None:
    """By Nsight Compute, for 144 patterns of addresses."""
    patterns = test_ground_truth.rows("patterns.csv")
    made: list[Access] = []
    for row in patterns:
        lanes = [
            (i, int(at)) for i, at in enumerate(row["lane_byte_offsets"].split()) if at != "-1"
        ]
        stretches = [number for _, at in lanes for number in (at, 0, 1)]
        costs = [int(row["sectors"] or 0), 0, 0, int(row["wavefronts"] or 0), 1, 0]
        what = *reversed(row["space"].split()), int(row["width"]), sum(1 << i for i, _ in lanes)
        made.append(msgspec.convert(["access", 0, 0, *what, 0, stretches, "", [], costs], Access))
    head, array = Block(0, "", (1, 1, 1), (32, 1, 1), (0, 0, 0)), Object(0, "", 9999, 0, "d", "", 0)
    recording = Recording(head, [array], [*made], {0: ("", 0)})
    steps.complete(recording)
    page = show(recording)
    for i, row in enumerate(patterns):
        page.evaluate(f"convlabsStep.show({i})")
        drawn = page.locator("#memory :is(.banks tbody tr, .sector)").count()
        assert drawn == int(row["wavefronts"] or row["sectors"]), row


def test_step_page_opens_at_the_bank_conflict(page: Page) -> None:
    assert "32 wavefronts, 31 of them extra because of bank conflicts" in words(page)
    line = page.locator("#source [aria-current] .n").inner_text()
    assert line == str(line_of("= d_in[y * SIDE + x]"))
    assert f"stepped.cu:{line} has the largest avoidable cost" in page.locator(".why").inner_text()
    assert page.locator("#memory tbody tr").count() == 32
    assert page.locator("#memory td.clash").count() == 32
    page.keyboard.press("ArrowLeft")
    assert "4 sectors, 128 bytes moved, 100 % of them used" in words(page)
    assert page.locator("#memory .sector").count() == 4


def test_step_page_links_the_other_thread_of_a_race(show: Open) -> None:
    page = show(stepped.recording(RACE))
    told = page.locator("#jumps p").all_inner_texts()
    assert [len(re.findall(verb, " ".join(told))) for verb in ("loads", "stores")] == [1, 1]
    assert len({re.findall(r"s_row\[\d+\]", text)[0] for text in told}) == 1  # the same word
    first = number(page)
    page.locator("#jumps button").nth(1).click()
    assert number(page) != first
    assert page.locator("#grid .here").count() == 1
    assert page.locator("#memory .here").count() == 1


def test_a_bad_address_and_barriers_that_differ(show: Open) -> None:
    page = show(stepped.recording(OUTSIDE))
    assert "outside of d_out: lane 5" in page.locator("#memory").inner_text()
    assert page.locator("#grid .here").count() == 1
    branch = line_of("if (blockIdx.x == 1 && threadIdx.x == 5)")
    assert f"of line {branch}" in page.locator("#off").inner_text()
    page = show(stepped.recording(APART))
    assert words(page).startswith("16 of 32 threads meet at this barrier")
    assert page.locator("#memory td.over").count() == 1


def test_keys_go_to_barriers_lines_costly_accesses_and_pixels(page: Page) -> None:
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
def test_step_page_is_legible_on_every_screen(show: Open, launch: int, dark: bool) -> None:
    recording = stepped.recording(launch)
    assert len(step_page.page(recording)) < 120_000
    for width in (1100, 390):
        page = show(recording, width, dark)
        for key in ("Shift", "ArrowRight", "b", "p"):
            page.keyboard.press(key)
            assert page.evaluate(accessibility.CONTRAST) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_text("The lanes as a table").click()
        assert accessibility.objections(page) == []


@pytest.mark.parametrize("figure", sorted(figures.FIGURES))
def test_the_small_pages_of_the_handouts(show: Open, figure: str) -> None:
    encoded = (figures.FOLDER / f"{figure}.json").read_bytes()
    recording = msgspec.json.decode(encoded, type=Recording)
    assert len(step_page.page(recording, small=True)) < 60_000
    (lines,) = recording.sources.values()
    assert recording.head.kernel in next(text for text in lines if text)
    for width, dark in ((740, False), (390, True)):
        page = show(recording, width, dark, small=True)
        jumps = page.locator("#jumps button").all()
        jumps[1].click()
        assert number(page) == int(jumps[1].inner_text().split()[1])
        assert page.locator("#source [aria-current]").count() == 1
        assert page.evaluate(accessibility.CONTRAST) == [] == accessibility.objections(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_fails_is_above_the_fold_and_the_lanes_beside_the_buttons(show: Open) -> None:
    recording = stepped.recording(EVERYTHING)
    counted = "shared_load_conflicts", "shared_store_conflicts"
    recording.limits = [Limit(name, "", name.replace("_", " "), 0, None) for name in counted]
    (file,) = recording.sources
    recording.sources = {file: ["long " * 40 for _ in recording.sources[file]]}
    steps.complete(recording)
    page = show(recording, 1280)
    first = page.locator("#counters tbody tr").first
    assert first.inner_text().startswith("shared store conflicts\t+31\t31\t304\tat most 0")
    assert first.evaluate("row => row.getBoundingClientRect().bottom") < 900
    assert "[its element] of s_" in page.locator("#legend").inner_text()
    assert "extra because" not in page.locator(".why").inner_text()  # the sentence below says it
    assert page.evaluate("(s => s.scrollWidth <= s.clientWidth)(document.querySelector('#source'))")
    phone = show(recording, 390)
    phone.locator("#grid div").last.scroll_into_view_if_needed()
    for place in ("[data-move='step 1']", "#words", "#grid > :first-child", "#grid > :last-child"):
        expect(phone.locator(place)).to_be_in_viewport(ratio=1)


def test_reduced_motion_moves_nothing(page: Page) -> None:
    duration = "getComputedStyle(document.querySelector('#grid > div')).transitionDuration"
    assert page.evaluate(duration) != "0s"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(duration) == "0s"


def test_a_wrong_pixel_shows_its_taps_and_those_missing(show: Open) -> None:
    recording = stepped.recording(RACE)
    recording.title = '</script><b onclick="x">'
    recording.focus = Focus(2, 2, ["out[y=0][x=1] is 1; it should be 2"])
    taps = [Tap(0, 0, 1, True), Tap(1, 0, -1, True), Tap(0, 1, 0, False)]
    recording.pixel = Pixel("[y=0][x=1]", "1", "2", taps, 4)
    page = show(recording)
    assert page.locator("h1").inner_text() == recording.title
    assert page.locator("#taps .missing").count() == 1 == page.locator("#taps .extra").count()
    assert "1 missing" in page.locator("#taps-words").inner_text()
    page.get_by_role("button", name="(0, 0): read in step 2").click()
    assert number(page) == 2
    accessibility.check_structure(page)


def test_a_block_without_steps_says_so(show: Open) -> None:
    recording = Recording(Block(0, "nothing", (1, 1, 1), (32, 1, 1), (0, 0, 0)), [], [])
    step_target.finish(recording, Target(0, (0, 0, 0), ("this block stores nothing",)))
    page = show(recording)
    assert "nothing to step through" in words(page)
    assert page.locator(".why").inner_text() == "this block stores nothing"
    assert not any(part.is_visible() for part in page.locator(".time, .panes").all())
    assert at_the_end(page) == {}
