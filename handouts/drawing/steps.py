"""Records the kernels that the handouts step through, on the simulator: `python -m
handouts.drawing.steps` writes handouts/interactive/steps/*.json; with --check it names those that
differ."""

import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.execute import program, step_focus, steps
from grader.execute.step_lines import Access
from grader.execute.steps import Recording
from grader.render import step_page

FOLDER = Path(__file__).resolve().parent.parent / "interactive" / "steps"
SOURCE = FOLDER / "kernels.cu"


@dataclass(frozen=True)
class Figure:
    """A kernel of kernels.cu. words: what to look at. lines: texts of two lines: it opens at the
    first, and offers to jump to either."""

    words: str
    lines: tuple[str, str]
    block: str = "0,0,0"


FIGURES = {  # in the order of the launches
    "lab3": Figure(
        "Neighbouring columns need four weights, so the warp waits for four words; every fourth "
        "column needs one, and its stores are far apart.",
        ("c_weight[x % 4]", "c_weight[column % 4]"),
    ),
    "lab4": Figure(
        "Each thread loads one pixel, and two load the apron. After the barrier, each reads what "
        "its neighbours have loaded.",
        ("if (i == 0)", "s_tile[i + 1]"),
        "1,0,0",
    ),
    "lab5": Figure(
        "Three pixels for each lane, twice: lanes side by side share 4 sectors of 32 bytes; lanes "
        "below each other need 32.",
        ("d_t[b * COLUMNS + lane]", "d_t[lane * COLUMNS + a]"),
    ),
    "lab7": Figure(
        "A pixel is read once and used for both masks. All lanes read the same weight: one "
        "wavefront, whatever the number of lanes.",
        ("float pixel", "sum[n] += pixel"),
    ),
    "lab8": Figure(
        "Byte by byte, a load brings a third of a pixel to each lane. Word by word, three loads "
        "bring four whole pixels: 3 loads instead of 12, for as many sectors.",
        ("d_rgb[3 * i]", "words[0]"),
    ),
}


def recorded(built: program.Program, launch: int, figure: Figure) -> Recording:
    """The block of a figure, with the lines of its kernel alone."""
    found = program.record_block(built, [], 60, f"{launch}:{figure.block}")
    assert found is not None, "the simulator recorded nothing"
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    file, _ = found.place(found.steps[0])
    found.sources = {file: lines}
    step_page.name_objects(found)
    numbers = [next(i for i, line in enumerate(lines, 1) if text in line) for text in figure.lines]
    first, other = (step_focus.at_line(found, file, n, [figure.words]) for n in numbers)
    assert first and other
    found.focus = msgspec.structs.replace(first, other=other.step)
    steps.complete(found)
    start = next(i for i, text in enumerate(lines) if f" {found.head.kernel}(" in text)
    shown = range(start, lines.index("}", start) + 1)
    found.sources[file] = [text if i in shown else None for i, text in enumerate(lines)]
    pcs = {pc: i for i, pc in enumerate(found.places, 1)}  # the same with every compiler
    found.places = {pcs[pc]: place for pc, place in found.places.items()}
    found.steps = [
        msgspec.structs.replace(step, pc=pcs[step.pc]) if isinstance(step, Access) else step
        for step in found.steps
    ]
    return found


def main(is_check: bool) -> int:
    program_of_all = program.build([str(SOURCE)], True)
    for number, (name, each) in enumerate(FIGURES.items()):
        encoded = msgspec.json.encode(recorded(program_of_all, number, each)) + b"\n"
        file = FOLDER / f"{name}.json"
        if is_check and file.read_bytes() != encoded:
            print(f"{file.name} is not what the simulator records: run it without --check")
            return 1
        file.write_bytes(encoded)
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
