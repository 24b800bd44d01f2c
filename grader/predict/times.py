"""The predicted times of a call and of a program's kernels: records in microseconds, rounded."""

from grader.model.prediction import LineShare, PredictedKernel, PredictedProgram, PredictedTime
from grader.predict import estimate
from grader.predict.counts import Counts
from grader.predict.gpu import Gpu

FAR = 0.1  # a source line below this share of a term is not named


def of_call(launches: list[Counts], gpu: Gpu) -> PredictedTime:
    """The time of a call that makes these launches."""
    found = estimate.predict_time(launches, gpu)
    terms = {name: 1e6 * t for name, t in found.terms.items() if t > 0}
    # Rounded, so that a page and a file have the same figures.
    return PredictedTime(
        us=four_digits(1e6 * found.seconds),
        low_us=four_digits(1e6 * found.low),
        high_us=four_digits(1e6 * found.high),
        terms={name: four_digits(t) for name, t in terms.items()},
    )


def four_digits(value: float) -> float:
    return float(f"{value:.4g}")


def of_program(launches: list[Counts], gpu: Gpu) -> PredictedProgram:
    """Each kernel once, whatever the number of its launches."""
    alike: dict[str, list[Counts]] = {}
    for counts in launches:
        alike.setdefault(counts.kernel, []).append(counts)
    kernels = [_kernel(k, gpu) for k in alike.values()]
    with_nvcc = all(counts.by_nvcc for counts in launches)
    return PredictedProgram(gpu.name, bool(gpu.measured), kernels, with_nvcc)


def _kernel(launches: list[Counts], gpu: Gpu) -> PredictedKernel:
    known = {id(counts): of_call([counts], gpu) for counts in launches}
    ordered = sorted(launches, key=lambda counts: known[id(counts)].us)
    counts = ordered[len(ordered) // 2]
    time = known[id(counts)]
    return PredictedKernel(
        kernel=counts.kernel,
        launches=len(launches),
        grid_blocks=counts.blocks,
        block_threads=counts.threads,
        us=time.us,
        low_us=time.low_us,
        high_us=time.high_us,
        shortest_us=known[id(ordered[0])].us,
        longest_us=known[id(ordered[-1])].us,
        bound=time.bound,
        terms=time.terms,
        line=costliest_line(counts, time.bound),
        unknown=next((why for c in ordered if (why := estimate.unknown(c))), ""),
    )


def costliest_line(counts: Counts, term: str, part: float = 1.0) -> LineShare | None:
    """The line that asks for most of a term; None where it asks for little. part: of the term,
    what this launch has of it."""
    line = counts.sources.get(term)
    if line is None or not line.file or line.share * part < FAR:
        return None
    return LineShare(line.file, line.line, line.share * part)
