"""The numbers of the interactive figures are those of the simulator: one program runs all cases of
interactive.cu, and the same cases go through the figures' own functions in a browser."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from grader import paths
from grader.render import step_page
from grader.tests import captured
from grader.tests.render import browser

SCRIPTS = paths.ROOT / "handouts" / "interactive"
FIGURES = paths.ROOT / "handouts" / "figures"
PROGRAM = Path(__file__).with_name("interactive.cu")
BLOCKS = (1, 2, 4, 8, 16, 32)  # widths of a block of 32 threads


@dataclass(frozen=True)
class Case:
    """What a figure's function gets, its line for the program, and the names of its results."""

    figure: str
    values: dict[str, Any]
    line: str


def _lanes(width: int, block: int, stride: int, pitch: int, offset: int) -> Case:
    values = {"width": width, "block": block, "stride": stride, "pitch": pitch, "offset": offset}
    return Case("lanes", values, f"lanes {width} {block} {stride} {pitch} {offset}")


def _tile(design: str, block_x: int, block_y: int, radius: int) -> Case:
    values = {"design": design, "blockX": block_x, "blockY": block_y, "radius": radius}
    return Case("tile", values, f"tile {design} {block_x} {block_y} {radius}")


def _grid(width: int, height: int, block_x: int, block_y: int) -> Case:
    values = {"width": width, "height": height, "blockX": block_x, "blockY": block_y}
    return Case("grid", values, f"grid {width} {height} {block_x} {block_y}")


def _convolution(draw: random.Random, border: str, flipped: bool, width: int, height: int) -> Case:
    mask = [draw.randint(-9, 9) for _ in range(9)]
    image = [draw.randint(0, 9) for _ in range(width * height)]
    values = {
        "image": [image[i : i + width] for i in range(0, len(image), width)],
        "mask": [mask[i : i + 3] for i in (0, 3, 6)],
        "border": border,
        "flipped": flipped,
    }
    head = [int(border == "replicate"), int(flipped), width, height]
    return Case("convolution", values, f"convolution {' '.join(map(str, head + mask + image))}")


def _cases() -> list[Case]:
    """What readers will try first, the ends of the controls, and others at random."""
    draw = random.Random(16)
    cases = [_lanes(w, b, 1, p, 0) for w in (4, 8, 16) for b in BLOCKS for p in (32, 33, 48, 49)]
    cases += [_lanes(w, b, 0, p, 0) for w in (4, 8, 16) for b in BLOCKS for p in (0, 32)]
    cases += [_lanes(w, b, 1, 0, 0) for w in (4, 8, 16) for b in BLOCKS]
    cases += [
        _lanes(w, 32, s, 32, o) for w in (4, 8, 16) for s in (1, 2, 3, 33) for o in (0, 1, 31)
    ]
    cases += [
        _lanes(draw.choice((4, 8, 16)), draw.choice(BLOCKS), *(draw.randint(0, n) for n in ends))
        for ends in [(33, 68, 31)] * 80 + [(2, 4, 3)] * 40
    ]
    for design in "AB":
        cases += [_tile(design, n, n, r) for n in (8, 16, 20, 32) for r in (0, 1, 2, 6, 8, 16)]
        cases += [
            _tile(design, *corner) for corner in ((64, 64, 1), (1, 1, 0), (1, 1, 16), (64, 16, 8))
        ]
        cases += [
            _tile(design, draw.randint(1, 64), draw.randint(1, 64), draw.randint(0, 16))
            for _ in range(30)
        ]
    cases += [_grid(97, 61, 32, 8), _grid(96, 64, 32, 8), _grid(1, 1, 4, 1), _grid(3, 120, 4, 32)]
    cases += [_grid(200, 1, 128, 8), _grid(20, 20, 128, 32), _grid(128, 32, 128, 8)]
    cases += [
        _grid(
            draw.randint(1, 200),
            draw.randint(1, 120),
            draw.choice((4, 8, 16, 32)),
            draw.choice((1, 2, 4, 8, 16, 32)),
        )
        for _ in range(20)
    ]
    for border in ("zero", "replicate"):
        for flipped in (False, True):
            cases += [
                _convolution(draw, border, flipped, *size) for size in ((8, 6), (1, 1), (5, 1))
            ]
    return cases


# What drawings of the handouts say: the figure, its words, the case, and the name of the result.
DRAWN = [
    ("padding", "32 wavefronts", _lanes(4, 1, 1, 32, 0), "wavefronts"),
    ("padding", "31 of them extra", _lanes(4, 1, 1, 32, 0), "extra"),
    ("padding", "1 wavefront, none extra", _lanes(4, 1, 1, 33, 0), "wavefronts"),
    ("banks", "16 wavefronts", _lanes(4, 1, 1, 48, 0), "wavefronts"),
    ("banks", "1 wavefront<", _lanes(4, 1, 1, 49, 0), "wavefronts"),
    ("vector_load", "4 wavefronts", _lanes(16, 32, 1, 32, 0), "wavefronts"),
    ("sectors", "32 sectors", _lanes(4, 1, 1, 32, 0), "sectors"),
    ("sectors", "5 sectors", _lanes(4, 32, 1, 32, 2), "sectors"),
    ("sectors", "4 sectors", _lanes(4, 32, 1, 32, 0), "sectors"),
    ("blocks", "8192 threads", _grid(97, 61, 32, 8), "threads"),
    ("blocks", "2275 outside", _grid(97, 61, 32, 8), "outside"),
    ("blocks", "541 pixels", _grid(97, 61, 32, 8), "unwritten"),
    ("threads", "16 load and compute", _tile("A", 8, 8, 2), "outputs"),
    ("threads", "48 load, wait, and idle", _tile("A", 8, 8, 2), "idle"),
]
CASES = [*_cases(), *(case for _, _, case, _ in DRAWN)]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the simulator says of each case, by the names that the figures use."""
    folder = tmp_path_factory.mktemp("interactive")
    lines, target = folder / "cases.txt", folder / "profile.json"
    lines.write_text("".join(f"{case.line}\n" for case in CASES))
    done = captured.grade("run", PROGRAM, "--json", target, "--", lines, timeout=300)
    assert done.returncode == 0, done.stderr
    printed = iter([int(n) for n in line.split()] for line in done.stdout.splitlines())
    kernels = json.loads(target.read_text())["kernels"]
    launches = iter(k["counters"] for k in kernels if k["name"] == "lanes_kernel")
    results = []
    for case in CASES:
        if case.figure == "lanes":
            counted = next(launches)
            assert counted["global_load_requests"] == counted["shared_load_requests"] == 1
            results.append(
                {
                    "sectors": counted["global_load_sectors"],
                    "wavefronts": counted["shared_load_wavefronts"],
                    "extra": counted["shared_load_conflicts"],
                }
            )
        else:
            results.append(_named(case, next(printed)))
    assert next(printed, None) is None and next(launches, None) is None
    return results


def _named(case: Case, numbers: list[int]) -> dict[str, Any]:
    """The numbers that the program printed for a case, with the names that its figure uses."""
    values = case.values
    if case.figure == "convolution":
        width = len(values["image"][0])
        return {"result": [numbers[i : i + width] for i in range(0, len(numbers), width)]}
    if case.figure == "grid":
        allowed, threads, outside, partial, unwritten_up, unwritten = numbers
        if not allowed:
            return {"allowed": False}
        assert unwritten_up == 0
        names = {"threads": threads, "outside": outside, "partial": partial}
        return {"allowed": True, "unwritten": unwritten} | names
    launched, loaded, iterations, compute, size, blocks = numbers
    if not launched or not compute:
        return {"allowed": False}
    threads = values["blockX"] * values["blockY"]
    return {
        "allowed": True,
        "loaded": loaded,
        "iterations": iterations,
        "outputs": compute,
        "idle": threads - compute,
        "bytes": size,
        "blocks": blocks,
        "perOutput": loaded / compute,
    }


@pytest.fixture(scope="module")
def chromium(simulated: list[dict[str, Any]]) -> Iterator[Browser]:
    assert simulated  # first: ./grade ends every process that it finds below this one
    with browser.browser_or_skip() as running:
        yield running


# Runs the figures' functions. A sum that differs from that of its products becomes null.
RUN = """cases => cases.map(([figure, values]) => {
  const { model } = window.interactiveFigures[figure];
  if (figure !== 'convolution') return model.count(values);
  const { image, mask, border, flipped } = values;
  const add = (x, y) => model.step(image, mask, x, y, border, flipped).products
    .reduce((sum, one) => sum + one.value * one.coefficient, 0);
  const result = model.result(image, mask, border, flipped);
  return { result: result.map((row, y) => row.map((sum, x) => sum === add(x, y) ? sum : null)) };
})"""


def _differences(
    chromium: Browser, simulated: list[dict[str, Any]], before: str = "", after: str = ""
) -> list[str]:
    """The cases in which a figure's numbers are not the simulator's, after a change of a script."""
    page = chromium.new_page()
    changed = False
    names = ("shared", "lanes", "tile", "grid", "convolution")
    for file in (step_page.RULES, *(SCRIPTS / f"{name}.js" for name in names)):
        text = file.read_text()
        if before:
            changed |= before in text
            text = text.replace(before, after)
        page.add_script_tag(content=text)
    assert changed or not before, f"no script has {before}"
    results = page.evaluate(RUN, [[case.figure, case.values] for case in CASES])
    page.close()
    return [
        f"{case.line}: {name} is {result.get(name)}, the simulator's is {value}"
        for case, result, expected in zip(CASES, results, simulated, strict=True)
        for name, value in expected.items()
        if result.get(name) != value
    ]


def test_all_numbers_are_those_of_the_simulator(
    chromium: Browser, simulated: list[dict[str, Any]]
) -> None:
    assert _differences(chromium, simulated) == []
    assert len(CASES) > 400


@pytest.mark.parametrize(("figure", "words", "case", "name"), DRAWN)
def test_drawings_say_what_the_simulator_counts(
    simulated: list[dict[str, Any]], figure: str, words: str, case: Case, name: str
) -> None:
    """The first number of the words is the simulator's."""
    assert words in (FIGURES / f"{figure}.svg").read_text()
    counted = simulated[CASES.index(case)][name]
    assert counted == int(words.split()[0])


@pytest.mark.parametrize(
    ("before", "after", "figure"),
    [
        ("SECTOR = 32,", "SECTOR = 64,", "lanes"),
        ("agree(1) || agree(2)", "agree(1)", "lanes"),  # lanes 2 apart share an access
        ("all - parts(access).length", "all - 1", "lanes"),
        ("reserved: 1024,", "reserved: 0,", "tile"),
        ("shared: 228 * 1024,", "shared: 164 * 1024,", "tile"),  # an A100's
        ("blocks: 32,", "blocks: 16,", "tile"),
        ("blockX - 2 * radius", "blockX - radius", "tile"),
        ("- full * blockX * blockY", "- full * blockX", "grid"),
        ("mask[1 - b][1 - a]", "mask[1 - a][1 - b]", "convolution"),
        ('outside && border === "zero"', "outside", "convolution"),
    ],
)
def test_a_wrong_function_is_found(
    chromium: Browser, simulated: list[dict[str, Any]], before: str, after: str, figure: str
) -> None:
    different = _differences(chromium, simulated, before, after)
    assert different and {line.split()[0] for line in different} == {figure}
