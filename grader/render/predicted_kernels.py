"""Predicted times of kernels as text. They are never shown as measured ones."""

import textwrap

from grader.checks.predicted import predicted_time
from grader.checks.predicted_points import duration
from grader.predict import model
from grader.predict.counts import Counts
from grader.predict.gpu import Gpu
from grader.predict.model import Prediction

MOST_LAUNCHES = 20  # that are shown
SHOWN = 0.05  # the share from which a term is shown
FAR = 0.1  # a source line below this share of a term is not named


def render(launches: list[Counts], gpu: Gpu, width: int | None) -> str:
    """A paragraph for each launch; width: None leaves each on one line."""
    if not launches:
        return "predicted: no kernel was launched"
    source = "" if gpu.measured else "; its numbers are published ones, not measured"
    lines = [f"predicted on an {gpu.name}, not measured{source}:"]
    for counts in launches[:MOST_LAUNCHES]:
        text = in_words(counts, gpu)
        lines += textwrap.wrap(
            text, width or len(text) + 2, initial_indent="  ", subsequent_indent="      "
        )
    more = len(launches) - MOST_LAUNCHES
    if more > 0:
        lines.append(f"  and {more} more launch{'es' if more > 1 else ''}")
    return "\n".join(lines)


def in_words(counts: Counts, gpu: Gpu) -> str:
    """ "tile_kernel: 150 us (120 to 190); bound by ...; half of it from tile.cu:96. Terms: ..."."""
    found = model.predict_time([counts], gpu)
    time = duration(predicted_time([counts], gpu))
    terms = sorted(found.terms.items(), key=lambda item: -item[1])
    shares = [
        f"{model.WORDS[name]} {100 * value / found.seconds:.0f} %"
        for name, value in terms
        if value >= SHOWN * found.seconds
    ]
    return (
        f"{counts.kernel}: {time}; bound by {model.WORDS[found.bound]}"
        f"{_source(counts, found)}. Terms: {', '.join(shares)}"
    )


def _source(counts: Counts, found: Prediction) -> str:
    source = counts.sources.get(found.bound)
    if source is None or not source.file or source.share < FAR:
        return ""
    return f"; {100 * source.share:.0f} % of them from {source.file}:{source.line}"
