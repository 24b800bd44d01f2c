"""Records the kernels that the handouts step through: handouts/interactive/steps/*.json.

python -m handouts.drawing.steps            write them: this runs kernels.cu on the simulator
python -m handouts.drawing.steps --check    change nothing; exit 1 if one has changed
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader import paths
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


def recorded() -> dict[str, bytes]:
    """The recordings as JSON, by the names of their figures."""
    built = program.build([str(SOURCE)], True)
    return {
        name: msgspec.json.encode(_recorded(built, figure)) + b"\n"
        for name, figure in FIGURES.items()
    }


def _recorded(built: program.Program, figure: Figure) -> Recording:
    found = program.record_block(built, [], 60, f"{figure.launch}:{figure.block}")
    assert found is not None, "the simulator recorded nothing"
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    found.sources = {found.places[found.steps[0].place][0]: lines}
    found = step_page.named(found)
    file = next(iter(found.sources))
    first, second = (_step_at(found, file, lines, text) for text in (figure.opens, figure.other))
    found.focus = Focus(first, 0, [figure.words], second)
    steps.compact(found)
    _keep_kernel(found, file)
    return found


def _step_at(recording: Recording, file: str, lines: list[str], text: str) -> int:
    """The costliest step of the line that holds the text."""
    number = next(i for i, line in enumerate(lines, 1) if text in line)
    found = step_focus.at_line(recording, file, number, [])
    assert found, text
    return found.step


def _keep_kernel(recording: Recording, file: str) -> None:
    """Of the source only the kernel, whose first line gets the number 1."""
    lines, kernel = recording.sources[file], recording.head.kernel
    start = next(i for i, line in enumerate(lines) if f"__global__ void {kernel}(" in line)
    end = lines.index("}", start)
    kept = range(start + 1, end + 2)
    recording.sources = {kernel: lines[start : end + 1]}
    recording.places = [
        (kernel, line - start) if line in kept else ("", 0) for _, line in recording.places
    ]


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: python -m handouts.drawing.steps [--check]", file=sys.stderr)
        return 2
    status = 0
    for name, text in recorded().items():
        file = FOLDER / f"{name}.json"
        if file.is_file() and file.read_bytes() == text:
            continue
        if arguments:
            print(f"{name}.json is not what kernels.cu does; run python -m handouts.drawing.steps")
            status = 1
        else:
            file.write_bytes(text)
            print(f"wrote {file.relative_to(paths.ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
