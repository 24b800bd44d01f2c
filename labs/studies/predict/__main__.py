"""The errors of the predictions: python -m labs.studies.predict [--fresh] [--write]

Prints RESULTS.md: the errors of the half of the calls that was fitted and of the half that was
held out, of labs that were left out, and the worst ones explained. It takes some minutes. --fresh:
counts everything again. --write: writes RESULTS.md and h200/predictions.csv.
"""

import sys
from collections.abc import Callable

from grader.predict import estimate
from grader.predict.terms import WORDS
from labs.studies.predict import collect, compare, errors, explained, foreign, timed_code
from labs.studies.predict.collect import Counted
from labs.studies.predict.errors import TimedCall
from labs.studies.predict.programs import HERE

RESULTS = HERE / "RESULTS.md"
TABLE = HERE / "h200" / "predictions.csv"
OF_NVCC = TABLE.with_name("predictions_nvcc.csv")
WORST = 5

INTRODUCTION = """\
# How near the predicted times come to the measured ones

`python -m labs.studies.predict --write` wrote this from `h200/` and the counts of the simulator. A
hash of program and function says which half of the calls was fitted (`fit.py`). The first version
of the model was written with the worst errors of both halves in view, later terms with those of the
fitted half alone. So the held-out half says how well the numbers of `weights.toml` hold. How the
model does on kernels of a new kind is better seen where whole labs were left out: then the weights
are fitted to all calls of the other labs.

The fit that takes HeCBench's programs, too, was not chosen blindly: the causes to fix were listed
from both halves, how much the labs weigh and how wide the interval is were set with the summary of
the held-out halves in view, one rule (which arrays of a thread are in memory) follows from a
held-out call of lab 7, and the weight of constants stayed as it was after calls of lab 3 were
ranked wrongly. So the held-out figures are somewhat too good.
"""


def text(counted: list[Counted]) -> str:
    """RESULTS.md."""
    rows = errors.rows(counted)
    held_out = [row for row in rows if row.held_out]
    left_out = errors.left_out(counted, errors.lab_of)
    poor, all_poor = errors.slower_than_solution(rows)
    lines = [INTRODUCTION, *_main_table(rows, {"each lab left out": left_out}), ""]
    lines += [*_with_nvcc(counted), ""]
    lines += [
        "Pairs: two programs that compute the same, at least one held out, whose times differ by",
        "20 % or more.",
        "",
        f"Of the poor submissions that take 1.2 times as long as the solution or more, {poor} of",
        f"{all_poor} calls are predicted to take longer.",
        "",
        "![Predicted over measured times](../../../handouts/figures/prediction.svg)",
        "",
        "## Each lab",
        "",
        "| lab | held-out calls | median error | within 30 % | rank correlation "
        "| left out: median error | within 30 % |",
        "|---|---|---|---|---|---|---|",
    ]
    others = errors.grouped(left_out, lambda row: row.lab)
    for lab, of_lab in errors.grouped(held_out, lambda row: row.lab).items():
        figures = f"{_two(of_lab)} | {errors.rank(of_lab):.3f} | {_two(others[lab])}"
        lines.append(f"| {lab} | {len(of_lab)} | {figures} |")
    kinds: list[tuple[str, Callable[[TimedCall], str]]] = [
        ("what binds the kernel", lambda row: WORDS[row.prediction.bound]),
        ("sort of program", lambda row: errors.kind_of(row.call)),
    ]
    for title, key in kinds:
        lines += ["", f"## The held-out half by {title}", ""]
        lines += [f"| {title} | calls | median error | within 30 % |", "|---|---|---|---|"]
        for name, alike in errors.grouped(held_out, key).items():
            lines.append(f"| {name} | {len(alike)} | {_two(alike)} |")
    outside = foreign.rows()
    lines += [
        "",
        "## Programs of others",
        "",
        *foreign.table(outside, foreign.rows(card="h100")),
        "",
    ]
    lines += ["The worst of the held-out half:", "", *foreign.worst(outside)]
    lines += ["", *_worst(held_out), "", *_references(rows), "", *_code(counted), ""]
    return "\n".join([*lines, *_seconds(counted)]) + "\n"


def _with_nvcc(counted: list[Counted]) -> list[str]:
    """The same table for a machine with nvcc."""
    programs = {
        by_nvcc: errors.left_out(counted, errors.eighth, by_nvcc) for by_nvcc in (True, False)
    }
    left_out = {
        "an eighth of the programs left out": programs[True],
        "each lab left out, with nvcc": errors.left_out(counted, errors.lab_of, True),
    }
    many = sum(all(c.by_nvcc for c in one.by_nvcc) for one in counted)
    ratios = sorted(
        estimate.instructions(c, estimate.weights(True)) / number - 1
        for one in counted
        for launch, c in enumerate(one.by_nvcc)
        if c.by_nvcc and (number := collect.counters("instructions")[one.call.name, launch])
    )
    near = [sum(abs(ratio) <= share for ratio in ratios) / len(ratios) for share in (0.01, 0.05)]
    return [
        "## With nvcc's code",
        "",
        f"Of {many} of {len(counted)} calls nvcc's code was followed through all launches; the",
        f"others are predicted as without it. Of {len(ratios)} launches, {_percent(near[0])} have",
        f"within 1 %, and {_percent(near[1])} within 5 %, the instructions that Nsight Compute",
        "counted; nothing is fitted to these.",
        "",
        *_main_table(errors.rows(counted, by_nvcc=True), left_out),
        "",
        "## Which of two programs is faster",
        "",
        "Pairs of programs that do the same call, with an eighth of the programs left out",
        "(`compare.py`):",
        "",
        *compare.table(
            {
                "with nvcc": compare.pairs(programs[True]),
                "without": compare.pairs(programs[False]),
            }
        ),
    ]


def _main_table(found: list[TimedCall], left_out: dict[str, list[TimedCall]]) -> list[str]:
    lines = [
        "| | calls | median error | within 30 % | in the interval | pairs ranked right |",
        "|---|---|---|---|---|---|",
    ]
    right, pairs = errors.ranked_pairs(found)
    for name, held_out in (("fitted", False), ("held out", True)):
        rows = [row for row in found if row.held_out == held_out]
        ranked = f"{right} of {pairs}" if held_out else "-"
        figures = f"{_two(rows)} | {_percent(errors.covered(rows))} | {ranked}"
        lines.append(f"| {name} | {len(rows)} | {figures} |")
    for name, rows in left_out.items():
        figures = f"{_two(rows)} | {_percent(errors.covered(rows))}"
        lines.append(f"| {name} | {len(rows)} | {figures} | - |")
    return lines


def _worst(held_out: list[TimedCall]) -> list[str]:
    lines = ["## The worst of the held-out half", ""]
    lines += ["| call | predicted, µs | measured, µs | largest terms |", "|---|---|---|---|"]
    worst = sorted(held_out, key=lambda row: -row.error)[:WORST]
    for row in worst:
        terms = sorted(row.prediction.terms.items(), key=lambda item: -item[1])[:3]
        named = ", ".join(f"{name} {1e6 * value:.0f}" for name, value in terms)
        lines.append(f"| {row.call.name} | {row.predicted:.0f} | {row.measured:.0f} | {named} |")
    lines.append("")
    for row in worst:
        why = explained.WHY.get(row.call.name, "not explained: labs/studies/predict/explained.py")
        lines.append(f"- {row.call.name}: {why}")
    return lines


def _references(found: list[TimedCall]) -> list[str]:
    """The labs' solutions beside wrong turns."""
    by_name = {row.call.name: row for row in found}
    lines = [
        "## Solutions and wrong turns",
        "",
        "| wrong turn | call | predicted, µs | measured, µs | instead of | predicted, µs "
        "| measured, µs | ranked right |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for turn, wrong, right in explained.TURNS:
        if wrong not in by_name or right not in by_name:
            continue
        a, b = by_name[wrong], by_name[right]
        same = (a.predicted > b.predicted) == (a.measured > b.measured)
        lines.append(
            f"| {turn} | {wrong} | {a.predicted:.0f} | {a.measured:.0f} | {right} "
            f"| {b.predicted:.0f} | {b.measured:.0f} | {'yes' if same else 'no'} |"
        )
    return lines


def _code(counted: list[Counted]) -> list[str]:
    """Is what was counted what was timed?"""
    differing = {
        one.call.name: found
        for one in counted
        if (found := timed_code.differences(one.call.name, one.launches))
    }
    lines = [
        "## The code that was counted and the code that was timed",
        "",
        f"Of {len(counted)} calls, {len(counted) - len(differing)} have the grid, the block and,",
        "within 5 %, the loaded sectors that Nsight Compute counted when they were",
        f"timed (`timed_code.py`; in {len(timed_code.KNOWN)} functions nvcc drops loads). Programs",
        "that changed since then and are left out:",
        f"{', '.join(timed_code.changed()) or 'none'}. `timed/` and",
        "the ancestors are files as they were timed, where the course has newer ones.",
    ]
    return lines + [f"- {name}: {'; '.join(found)}" for name, found in differing.items()]


def _seconds(counted: list[Counted]) -> list[str]:
    """How long a prediction takes."""
    seconds = sorted(one.seconds for one in counted)
    slow = sum(one > 2 for one in seconds)
    return [
        "## Seconds of a prediction",
        "",
        "Processor time for running the sampled blocks and counting, without the compilers (nearly",
        "all of it is one after the other, so on a machine with nothing else to do it is the time",
        f"that passes): median {seconds[len(seconds) // 2]:.2f} s, nine of ten within "
        f"{seconds[len(seconds) * 9 // 10]:.2f} s,",
        f"at most {seconds[-1]:.1f} s; {slow} of {len(seconds)} calls take more than 2 s.",
    ]


def table(found: list[TimedCall]) -> str:
    """predictions.csv, from which the handout's figure is drawn."""
    lines = ["call,half,predicted_us,low_us,high_us,measured_us,bound"]
    for row in found:
        times = (row.predicted, row.prediction.low * 1e6, row.prediction.high * 1e6, row.measured)
        figures = ",".join(f"{time:.4g}" for time in times)
        half = "held out" if row.held_out else "fitted"
        lines.append(f"{row.call.name},{half},{figures},{row.prediction.bound}")
    return "\n".join(lines) + "\n"


def _two(rows: list[TimedCall]) -> str:
    """Two columns: the median error, and how many are within 30 %."""
    return f"{_percent(errors.median_error(rows))} | {_percent(errors.within(rows, 0.3))}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def main() -> None:
    for program, what in timed_code.changed().items():
        print(f"{program} is left out: {what}", file=sys.stderr)
    counted = collect.collect(fresh="--fresh" in sys.argv)
    written = text(counted)
    print(written)
    if "--write" in sys.argv:
        RESULTS.write_text(written)
        TABLE.write_text(table(errors.rows(counted)))
        OF_NVCC.write_text(table(errors.rows(counted, by_nvcc=True)))


if __name__ == "__main__":
    main()
