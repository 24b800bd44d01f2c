"""The access calculator: equal to Nsight Compute in all measured patterns and to the simulator in
drawn ones; its language, its words, and the link that carries an expression."""

import csv
import ctypes
import itertools
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page

from grader import paths
from grader.render import step_page
from grader.tests.render import browser
from grader.tests.render.accessibility import CONTRAST, objections

FOLDER = paths.ROOT / "handouts" / "interactive"
SIMULATOR = paths.ROOT / "labs" / "sim" / "src"
PATTERNS = paths.ROOT / "labs" / "studies" / "nsight" / "patterns.csv"
DEFAULTS = {
    "index": "lane", "constants": "", "where": "1", "block": "32", "warp": "0", "base": "0",
    "space": "global", "way": "load", "width": 4,
}  # fmt: skip
COUNT = """all => all.map(values => {
  const { evaluate, count } = window.interactiveFigures.calculator.model;
  return count(evaluate(values), values.space);
})"""
INDICES = """values => window.interactiveFigures.calculator.model.evaluate(values).lanes
  .map(lane => lane && lane.index)"""
SHOWN = """values => {
  const { words, problem } = window.interactiveFigures.calculator.model.shown(values);
  return [words, problem || ''];
}"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A test</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<script src="interactive/main.js" defer></script>
<body style="background: Canvas"><main><h1>A test</h1>
<div class="interactive" data-figure="calculator"></div></main>"""


class WarpAccess(ctypes.Structure):
    """struct warp_access of labs/sim/src/profile/access_cost.h."""

    _fields_ = (
        ("active", ctypes.c_uint32),
        ("width", ctypes.c_uint),
        ("address", ctypes.c_uint64 * 32),
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calculator")
    shutil.copytree(FOLDER, folder / "interactive")
    shutil.copy(step_page.RULES, folder / "interactive")
    (folder / "page.html").write_text(PAGE)
    return folder / "page.html"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.browser_or_skip() as running:
        yield running


@pytest.fixture(scope="module")
def page(chromium: Browser, file: Path) -> Page:
    return opened(chromium, file)


def opened(
    chromium: Browser, file: Path, width: int = 1280, dark: bool = False, **state: object
) -> Page:
    context = chromium.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    linked = "&".join(f"{name}={quote(str(text))}" for name, text in state.items())
    page.goto(f"{file.as_uri()}#{linked}")
    page.wait_for_selector(".words")
    return page


def of(**changes: object) -> dict[str, Any]:
    return DEFAULTS | changes


def expression(indices: list[int], lanes: list[int]) -> str:
    """An index expression with these values at these lanes: a * (lane / n) + b * (lane % n) + c
    or a * (lane ^ n) + c where there is one, otherwise a choice by lane."""
    value = dict(zip(lanes, indices, strict=True))

    def gives(found: dict[int, int]) -> bool:
        return all(found[lane] == value[lane] for lane in lanes)

    steps = sorted({b - a for a, b in itertools.pairwise(indices)} | {0})
    for n in (32, 1, 2, 4, 8, 16):
        for a, b in itertools.product(steps, steps):
            c = indices[0] - a * (lanes[0] // n) - b * (lanes[0] % n)
            if gives({lane: a * (lane // n) + b * (lane % n) + c for lane in lanes}):
                return f"{a} * (lane / {n}) + {b} * (lane % {n}) + {c}"
    for n, a in itertools.product(range(1, 32), (1, -1)):
        c = indices[0] - a * (lanes[0] ^ n)
        if gives({lane: a * (lane ^ n) + c for lane in lanes}):
            return f"{a} * (lane ^ {n}) + {c}"
    choices = (f"lane == {lane} ? {value[lane]} : " for lane in lanes)
    return "".join(choices) + "0"


def pattern(row: dict[str, str]) -> dict[str, Any]:
    """What to type for a measured pattern."""
    space, way = row["space"].split()
    at = {i: int(text) for i, text in enumerate(row["lane_byte_offsets"].split()) if text != "-1"}
    width = int(row["width"])
    first = at[min(at)] % width
    assert all(byte % width == first for byte in at.values())
    mask = sum(1 << lane for lane in at)
    where = "1" if mask == 2**32 - 1 else f"({mask:#x} >> lane) & 1"
    index = expression([byte // width for byte in at.values()], list(at))
    return of(index=index, where=where, space=space, way=way, width=width, base=str(first))


def test_calculator_equals_nsight_compute_in_all_patterns(page: Page) -> None:
    rows = list(csv.DictReader(PATTERNS.read_text().splitlines()))
    typed = [pattern(row) for row in rows]
    counted = page.evaluate(COUNT, typed)
    names = ("requests", "sectors", "wavefronts")
    different = [
        (row["id"], values["index"])
        for row, values, ours in zip(rows, typed, counted, strict=True)
        if any(row[name] and ours[name] != int(row[name]) for name in names)
    ]
    assert different == [] and len(rows) == 144
    formulas = [values for values in typed if "==" not in values["index"]]
    assert len(formulas) == 102  # the others are choices by lane


def test_rules_equal_the_simulators_in_drawn_accesses(page: Page, tmp_path: Path) -> None:
    library = tmp_path / "access_cost.so"
    source = SIMULATOR / "profile" / "access_cost.c"
    argv = ["gcc", "-O2", "-shared", "-fPIC", f"-I{SIMULATOR}", "-o", str(library), str(source)]
    subprocess.run(argv, check=True)
    model = ctypes.CDLL(str(library))
    draw = random.Random(5)
    drawn: list[dict[str, Any]] = []
    for _ in range(1500):
        width, span = draw.choice((1, 2, 4, 8, 16)), draw.choice((2, 8, 64, 2000))
        few = draw.choice((0, 0, 0.3, 0.9))
        at = [None if draw.random() < few else draw.randrange(span) * width for _ in range(32)]
        at[draw.randrange(32)] = 4 * width
        if draw.random() < 0.4:  # neighbours that agree
            apart = draw.choice((1, 2))
            at = [at[lane & ~apart] if at[lane] is not None else None for lane in range(32)]
        if any(byte is not None for byte in at):
            drawn.append({"at": at, "width": width, "load": draw.random() < 0.7})
    run = """all => all.map(one => { const r = window.warpAccess; return [
      r.units(one, r.SECTOR).size, r.wavefronts(one).length, r.parts(one).length,
      r.constantWords(one)]; })"""
    for one, ours in zip(drawn, page.evaluate(run, drawn), strict=True):
        access = WarpAccess(0, one["width"])
        for lane, byte in enumerate(one["at"]):
            if byte is not None:
                access.active |= 1 << lane
                access.address[lane] = byte
        it, load = ctypes.byref(access), ctypes.c_bool(one["load"])
        theirs = [
            model.cost_sectors(it),
            model.cost_wavefronts(it, load),
            model.cost_ideal_wavefronts(it, load),
            model.cost_constant_words(it),
        ]
        assert ours == theirs, one


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"index": "threadIdx.y * pitch + threadIdx.x", "block": "8,4", "constants": "pitch = 33"},
         [y * 33 + x for y in range(4) for x in range(8)]),
        ({"index": "lane % 4 << 2 | lane / 8 & 1 ^ 3"},
         [(i % 4) << 2 | ((i // 8) & 1) ^ 3 for i in range(32)]),
        ({"index": "-7 / 2 + -7 % 2 + (~lane) - !lane + !!lane"},
         [-3 - 1 + ~i - (i == 0) + (i != 0) for i in range(32)]),
        ({"index": "lane < 3 ? lane >= 1 ? 5 : 6 : lane == 31 || lane != 9 && 0 ? 7 : 8"},
         [6, 5, 5, *[8] * 28, 7]),
        ({"index": "min(max(x - r, 0), abs(-W) - 1)", "constants": "r=2;W=0x10u\nint x = lane;"},
         [min(max(i - 2, 0), 15) for i in range(32)]),
        ({"index": "(size_t)y * (int) blockDim.x + threadIdx.z", "block": "4 2 8", "warp": "1",
          "constants": "y = blockIdx.y * blockDim.y + threadIdx.y; blockIdx.y = 3"},
         [(y * 4) + z for z in range(4, 8) for y in range(2) for _ in range(4)]),
        ({"index": "lane", "where": "lane % 2 == 0 && threadIdx.x < 20", "block": "24"},
         [i if i % 2 == 0 and i < 20 else None for i in range(32)]),
        ({"index": "warp * 100 + gridDim.x + blockIdx.x", "block": "64, 1", "warp": "1"},
         [101] * 32),
    ],
)  # fmt: skip
def test_expression_has_the_values_of_c(
    page: Page, changes: dict[str, object], expected: list[int | None]
) -> None:
    assert page.evaluate(INDICES, of(**changes)) == expected


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"index": "lane *"}, "index", "character 7: a number or a name is missing before the end"),
        ({"index": ""}, "index", "character 1: a number or a name is missing"),
        ({"index": "lane + pitc"}, "index", "character 8: there is no pitc: define it"),
        ({"index": "(lane + 1"}, "index", "character 10: “)” is missing before the end"),
        ({"index": "lane lane"}, "index", "character 6: an operator is missing before “lane”"),
        ({"index": "tile[3]"}, "index", "character 5: “[” has no meaning here"),
        ({"index": "8 % (lane - 3)"}, "index", "character 3: this divides by 0"),
        ({"index": "threadIdx + 1"}, "index", "threadIdx needs .x, .y or .z"),
        ({"index": "f(1)"}, "index", "character 1: there is no function f"),
        ({"index": "min(1)"}, "index", "min takes 2 values"),
        ({"index": "lane ? 1"}, "index", "“:” is missing before the end"),
        ({"index": "010"}, "index", "octal"),
        ({"index": "1 << 70"}, "index", "character 3: this is too large"),
        ({"index": "(" * 60000}, "index", "nested too deeply"),
        (
            {"constants": "a = 1; b = a +"},
            "constants",
            "Definitions, character 15: a number or a name",
        ),
        (
            {"constants": "a = 1; b"},
            "constants",
            "Definitions, character 8: write a name, = and its",
        ),
        ({"constants": "a = b; b = 1"}, "constants", "Definitions, character 5: there is no b"),
        ({"where": "lane <"}, "where", "Only lanes where, character 7"),
        ({"block": "32 by 8"}, "block", "write 1 to 3 numbers"),
        ({"block": "64, 32"}, "block", "at most 1024 threads"),
        ({"warp": "1"}, "warp", "this block has 1 warp, the last is 0"),
        ({"base": "2"}, "base", "lane 0 would access byte 2, which is no multiple of 4"),
    ],
)
def test_wrong_text_is_explained_with_its_place(
    page: Page, changes: dict[str, object], field: str, words: str
) -> None:
    shown, where = page.evaluate(SHOWN, of(**changes))
    assert where == field and words in shown


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"index": "lane * 4", "space": "shared"}, "Lanes 0, 8, 16 and 24 need bank 0: 4 wave"),
        ({"index": "lane * 33", "space": "shared"}, "No two lanes need different words of one"),
        ({"index": "lane / 2", "space": "shared"}, "Lanes with the same word share it."),
        ({"index": "lane * 2", "space": "shared", "width": 8}, "Lanes 0 and 8 need bank 0 in part"),
        ({"index": "lane"}, "Lanes 0 to 7 share a sector. 100 % of the bytes moved are used."),
        ({"index": "lane * 8"}, "No two lanes share a sector. 13 % of the bytes moved are used. N"),
        ({"index": "lane - 2"}, "Lanes 0 and 1 access bytes before the first."),
        ({"where": "0"}, "No lane takes part: there is no request."),
        ({"index": "7", "space": "constant"}, "All lanes read the same word."),
        ({"space": "constant"}, "The words are read one after the other."),
        ({"space": "constant", "way": "store"}, "A kernel cannot store to constant memory."),
    ],
)
def test_words_say_which_lanes_meet(page: Page, changes: dict[str, object], words: str) -> None:
    assert words in page.evaluate(SHOWN, of(**changes))[0]


def test_link_carries_the_expression(chromium: Browser, file: Path) -> None:
    page = opened(chromium, file, index="threadIdx.x * p", constants="p = 40", space="shared")
    assert page.locator(".numbers dd").all_inner_texts() == ["1", "8", "7"]
    page.get_by_label("definitions").fill("p = 41")
    page.wait_for_function("location.hash.includes('p%20%3D%2041')")
    page.reload()
    assert page.locator(".numbers dd").all_inner_texts() == ["1", "1", "0"]
    page.evaluate("location.hash = 'space=nowhere&width=3&index=lane%4*8+lane/4&other=1'")
    page.wait_for_function("document.querySelector('select').value === 'global'")
    assert page.locator(".numbers dd").all_inner_texts() == ["1", "4", "128", "128"]
    page.context.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_calculator_is_legible_on_every_screen(
    chromium: Browser, file: Path, width: int, dark: bool
) -> None:
    page = opened(chromium, file, width, dark, base="1 << 30")
    buttons = page.locator(".tools button").all()
    for press in (None, *buttons):
        if press:
            press.click()
        assert page.evaluate(CONTRAST) == [] == objections(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_label("index").fill("lane * (")
    assert page.get_by_label("index").get_attribute("aria-invalid") == "true"
    assert page.evaluate(CONTRAST) == [] == objections(page)
    page.wait_for_timeout(900)
    assert "character 9" in page.locator("[role=status]").inner_text()
    page.context.close()


def test_calculator_is_small(file: Path) -> None:
    needed = ("main.js", "shared.js", "access.js", "lanes.js", "expression.js", "calculator.js")
    files = [file.parent / "interactive" / name for name in (*needed, "interactive.css")]
    assert sum(one.stat().st_size for one in files) < 60_000
