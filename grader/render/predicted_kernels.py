"""Predicted times of a program's kernels, as text. They are never shown as measured ones."""

import textwrap

from grader.model.prediction import PredictedKernel, PredictedProgram, PredictedTime
from grader.predict import estimate
from grader.predict.terms import WORDS
from grader.render.predicted_words import duration, three_digits

MOST_KERNELS = 20  # that are shown
SHOWN = 0.05  # the share from which a term is shown


def render(program: PredictedProgram, width: int | None) -> str:
    """A paragraph for each kernel; width: None leaves each on one line."""
    if not program.kernels:
        return "predicted: no kernel was launched"
    source = "" if program.measured_gpu else "; its numbers are published ones, not measured"
    lines = [
        f"predicted on an {program.gpu}, not measured{source}; {estimate.held(program.with_nvcc)}:"
    ]
    for kernel in program.kernels[:MOST_KERNELS]:
        text = in_words(kernel)
        lines += textwrap.wrap(
            text, width or len(text) + 2, initial_indent="  ", subsequent_indent="      "
        )
    more = len(program.kernels) - MOST_KERNELS
    if more > 0:
        lines.append(f"  and {more} more kernel{'s' if more > 1 else ''}")
    return "\n".join(lines)


def in_words(kernel: PredictedKernel) -> str:
    """ "tile_kernel: 150 us (120 to 190); bound by ...; half of it from tile.cu:96. Terms: ..."."""
    launches = f"{kernel.launches} launches, " if kernel.launches > 1 else ""
    if kernel.unknown:
        return f"{kernel.kernel}: {launches}cannot tell: {kernel.unknown}"
    time = PredictedTime(kernel.us, kernel.low_us, kernel.high_us, kernel.terms)
    if kernel.longest_us > kernel.shortest_us:
        shortest, longest = three_digits(kernel.shortest_us), three_digits(kernel.longest_us)
        launches += f"from {shortest} us to {longest} us, half of them up to "
    terms = sorted(kernel.terms.items(), key=lambda item: -item[1])
    shares = [
        f"{WORDS[name]} {100 * value / kernel.us:.0f} %"
        for name, value in terms
        if value >= SHOWN * kernel.us
    ]
    source = ""
    if kernel.line is not None:
        where = f"{kernel.line.file}:{kernel.line.line}"
        source = f"; {100 * kernel.line.share:.0f} % of them from {where}"
    return (
        f"{kernel.kernel}: {launches}{duration(time)}; bound by {WORDS[kernel.bound]}"
        f"{source}. Terms: {', '.join(shares)}"
    )
