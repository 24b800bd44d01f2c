"""Records the kernels that the handouts step through, on the simulator: `python -m
handouts.drawing.steps` writes handouts/interactive/steps/*.json."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.execute import program, step_focus, steps
from grader.execute.steps import Focus, Recording
from grader.render import step_page

FOLDER = Path(__file__).resolve().parent.parent / "interactive" / "steps"
SOURCE = FOLDER / "kernels.cu"


@dataclass(frozen=True)
class Figure:
    """A kernel of kernels.cu by its number, and the block that is shown. words: what to look at.
    opens, other: texts of the lines that it offers to jump to."""

    launch: int
    block: str
    words: str
    opens: str
    other: str


FIGURES = {
    "lab3": Figure(
        0,
        "0,0,0",
        "Neighbouring columns need four weights, so the warp waits for four words; every fourth "
        "column needs one, and its stores are far apart.",
        "c_weight[x % 4]",
        "c_weight[column % 4]",
    ),
    "lab4": Figure(
        1,
        "1,0,0",
        "Each thread loads one pixel, and two load the apron. After the barrier, each reads what "
        "its neighbours have loaded.",
        "if (i == 0)",
        "s_tile[i + 1]",
    ),
    "lab5": Figure(
        2,
        "0,0,0",
        "Three pixels for each lane, twice: lanes side by side share 4 sectors of 32 bytes; lanes "
        "below each other need 32.",
        "d_t[b * COLUMNS + lane]",
        "d_t[lane * COLUMNS + a]",
    ),
    "lab7": Figure(
        3,
        "0,0,0",
        "A pixel is read once and used for both masks. All lanes read the same weight: one "
        "wavefront, whatever the number of lanes.",
        "float pixel",
        "sum[n] += pixel",
    ),
    "lab8": Figure(
        4,
        "0,0,0",
        "Byte by byte, a load brings a third of a pixel to each lane. Word by word, three loads "
        "bring four whole pixels: 3 loads instead of 12, for as many sectors.",
        "d_rgb[3 * i]",
        "words[0]",
    ),
}


def recorded(built: program.Program, figure: Figure) -> Recording:
    """The block of a figure, with the lines of its kernel alone."""
    found = program.record_block(built, [], 60, f"{figure.launch}:{figure.block}")
    assert found is not None, "the simulator recorded nothing"
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    file, _ = found.place(found.steps[0])
    found.sources = {file: lines}
    step_page.name_objects(found)
    first, second = (_step_at(found, file, lines, text) for text in (figure.opens, figure.other))
    found.focus = Focus(first, 0, [figure.words], second)
    steps.complete(found)
    first_line = next(i for i, text in enumerate(lines) if f" {found.head.kernel}(" in text)
    shown = range(first_line, lines.index("}", first_line) + 1)
    found.sources[file] = [text if i in shown else None for i, text in enumerate(lines)]
    return found


def _step_at(recording: Recording, file: str, lines: list[str], text: str) -> int:
    """The costliest step of the line that holds the text."""
    number = next(i for i, line in enumerate(lines, 1) if text in line)
    found = step_focus.at_line(recording, file, number, [])
    assert found, text
    return found.step


if __name__ == "__main__":
    program_of_all = program.build([str(SOURCE)], True)
    for name, each in FIGURES.items():
        encoded = msgspec.json.encode(recorded(program_of_all, each))
        (FOLDER / f"{name}.json").write_bytes(encoded + b"\n")
