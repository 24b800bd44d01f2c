"""What this course's own files take on a GPU: h200_lab2.svg to h200_lab4.svg.

The pages of later labs have tables of another run.
"""

from collections.abc import Callable
from functools import partial

from handouts.drawing import results
from handouts.drawing.canvas import BLUE, ORANGE, Drawing, bars

LABS = tuple(f"lab{number}" for number in range(2, 5))


def times(lab: str) -> Drawing:
    """A group of bars for each speed check of a lab: the baseline, then the solution."""
    text = results.FILE.read_text(encoding="utf-8")
    groups = []
    for speed in results.speeds(text):
        if speed.lab != lab:
            continue
        before = [] if speed.baseline is None else [("baseline", speed.baseline, ORANGE)]
        name = speed.check.removeprefix("speed of ").removeprefix("speed ")
        groups.append((name, [*before, (f"part {speed.part}", speed.time, BLUE)]))
    return bars(f"Lab {lab[3:]}'s own files on an {results.gpu(text)}", "µs", groups)


def figures() -> dict[str, Callable[[], Drawing]]:
    """One for each lab, by its name."""
    return {f"h200_{lab}": partial(times, lab) for lab in LABS}
