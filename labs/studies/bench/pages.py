"""The pages made from the committed runs: RESULTS.md, its charts and the tables of other pages."""

import math
from collections.abc import Iterable
from pathlib import Path

from grader import files, paths
from labs.studies.bench import results
from labs.studies.bench.results import Case, Entry, Run

RESULTS = Path(__file__).with_name("RESULTS.md")
COMMAND = "python -m labs.studies.bench pages"
UNITS = {"cpu": ("ms", 1e6), "gpu": ("µs", 1e3)}
MADE_BY = {"cpu": "make bench", "gpu": "make bench-gpu"}
FIRST = ("copy", "copy to the device", "pinning", "baseline", "reference", "expert")
PARTS = FIRST[:3]  # of the work, not the whole of it
BELOW = 0.95  # of a floor: what is faster was not limited by it
NO_FLOOR = (
    "some programs of this row exceed the highest rate of multiply-adds that the run measured"
)
# The rows of README.md: a kind, a lab, a part and how the work begins.
README_ROWS = (
    ("cpu", "lab1", "B", "13x13"),
    ("cpu", "lab8", "D", "colour to grey, 27000x6000, weights of 8 bits"),
    ("gpu", "lab4", "D", "13x13"),
    ("gpu", "lab5", "C", "separable"),
    ("gpu", "lab7", "C", "3x3, 300 to 900 channels of 224x224, float"),
)


def runs() -> list[Run]:
    """The committed runs: of the CPU, then of GPUs, each in the order of their dates."""
    every = [results.read(name) for name in results.names()]
    return sorted(every, key=lambda run: (results.KINDS.index(run.kind), run.date))


def update(check: bool) -> list[str]:
    """Writes the page and its charts, or with `check` only compares them. Returns a line for each
    that was stale."""
    measured = runs()
    wanted: dict[Path, str] = {RESULTS: page(measured)} | _charts(measured)
    what = f"is stale; run {COMMAND}" if check else "written"
    stale = [
        f"{path.relative_to(paths.ROOT)} {what}"
        for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if not check:
        for path, text in wanted.items():
            files.update(path, text.encode())
    return stale


def _charts(measured: Iterable[Run]) -> dict[Path, str]:
    from labs.studies.bench import charts

    return {
        results.FOLDER / f"{curve.name}.svg": charts.as_svg(curve)
        for run in measured
        for curve in run.curves
    }


# ---------------------------------------------------------------- RESULTS.md


def page(measured: Iterable[Run]) -> str:
    text = [
        "# How fast the labs are",
        "",
        "Each table is of one run on one machine: the programs take turns, and the times are",
        "medians. In brackets is the speed as a multiple of the reference's, the median of the",
        "ratios within a turn. A time is here only if the result is within the float64 bound that",
        "the grader uses; *error* is the largest error of a row as a multiple of that bound.",
        "*Floor* is the time of a copy that moves as many bytes as the work must, or of its",
        "multiply-adds at the peak that was measured for its type, whichever is longer. A method",
        "with fewer multiply-adds, or a TF32 result, may be faster. Where another program is, the",
        "run did not find the limit, and the floor is not known.",
        "",
        "*Expert* is a faster program for a few parts. These runs also timed experts of",
        "other parts; their figures went with their programs.",
        "",
        "`python -m labs.studies.bench pages` writes this page from `results/*.json`, whose format",
        "`results.py` describes.",
    ]
    for run in measured:
        text += ["", *_section(run)]
    return "\n".join(text) + "\n"


def _section(run: Run) -> list[str]:
    about = ", ".join(f"{name} {value}" for name, value in run.machine.items())
    versions = ", ".join(f"{name} {value}" for name, value in run.versions.items())
    rates = ", ".join(f"{rate / 1e9:,.0f} G/s of {kind}" for kind, rate in run.rates.items())
    where = "one thread of a CPU" if run.kind == "cpu" else machine_of(run)
    text = [
        f"## `{MADE_BY[run.kind]}`: {where}",
        "",
        f"- {run.date}, `{run.command}`",
        f"- {about}",
        f"- {versions}",
        f"- multiply-adds: {rates}",
    ]
    text += [f"- missing: {name}: {why}" for name, why in run.missing.items()]
    for lab in dict.fromkeys(case.lab for case in run.cases):
        of_lab = [case for case in run.cases if case.lab == lab]
        text += ["", f"### Lab {lab[3:]}", ""]
        text += _table(run, sorted(of_lab, key=lambda case: case.part))
    if run.curves:
        text += ["", "### Scaling", ""]
        text += [f"![{_words(run, curve.name)}](results/{curve.name}.svg)" for curve in run.curves]
    return text


def _words(run: Run, name: str) -> str:
    """Text for a reader who does not see the chart: its title and the ends of its lines."""
    curve = next(curve for curve in run.curves if curve.name == name)
    ends = [
        f"{line.who} {_number(line.points[0][1])} to {_number(line.points[-1][1])}"
        for line in curve.lines
    ]
    return f"{curve.title}; {curve.y}: {', '.join(ends)}"


def _columns(cases: Iterable[Case]) -> list[str]:
    """Who takes part: ours first, then the libraries in the order in which they ran."""
    names = dict.fromkeys(entry.who for case in cases for entry in case.entries)
    return sorted(names, key=lambda who: FIRST.index(who) if who in FIRST else len(FIRST))


def _table(run: Run, cases: list[Case]) -> list[str]:
    unit, ns = UNITS[run.kind]
    columns = _columns(cases)
    notes: list[str] = []
    rows = [
        f"| part | work | floor, {unit} | bound by | {' | '.join(columns)} | error |",
        "|---|---|" + "---|" * (len(columns) + 3),
    ]
    for case in cases:
        floor = _floor(case, ns) or f"not known{_mark(NO_FLOOR, notes)}"
        cells = [_cell(case.entry(who), ns, notes) for who in columns]
        errors = [entry.error for entry in case.entries if entry.error is not None]
        worst = f"{max(errors):.2f}" if errors else ""
        bound = case.bound if _floor(case, ns) else ""
        first = f"| {case.part} | {case.work} | {floor} | {bound} "
        rows.append(f"{first}| {' | '.join(cells)} | {worst} |")
    return rows + ([""] if notes else []) + [f"{i + 1}. {note}" for i, note in enumerate(notes)]


def _cell(entry: Entry | None, ns: float, notes: list[str]) -> str:
    """A time with its ratio, or the words in its place; "" where there is nothing to say."""
    if entry is None:
        return ""
    mark = _mark(entry.note, notes)
    if entry.ns is None:
        return f"none{mark}"
    ratio = f" ({entry.ratio:.2f})" if entry.ratio and entry.who != "reference" else ""
    return f"{_number(entry.ns / ns)}{ratio}{mark}"


def _mark(note: str, notes: list[str]) -> str:
    """The number of a note below the table, to which it is added; "" without a note."""
    if not note:
        return ""
    if note not in notes:
        notes.append(note)
    return f" [{notes.index(note) + 1}]"


def _floor(case: Case, ns: float) -> str:
    """The floor; "" where none was measured, or a program of full precision went below it: then
    the machine can do more than the rates of this run."""
    doing = [entry for entry in case.entries if entry.who not in PARTS and not _tf32(entry)]
    times = [entry.ns for entry in doing if entry.ns]
    if not case.floor_ns or min(times, default=math.inf) < BELOW * case.floor_ns:
        return ""
    return _number(case.floor_ns / ns)


def _number(value: float) -> str:
    """Three significant digits, without an exponent: "1,520", "42.1", "7.21"."""
    if value == 0:
        return "0"
    places = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, places):,.{max(0, places)}f}"


# ---------------------------------------------------------------- README.md


def table_of_readme(measured: Iterable[Run]) -> str:
    """A few cases of the latest run of each kind: floor, reference, expert and the fastest
    library."""
    by_kind = {run.kind: run for run in measured}
    rows = [
        "| lab | work | floor | reference | expert | fastest library |",
        "|---|---|---|---|---|---|",
    ]
    for kind, lab, part, begins in README_ROWS:
        if run := by_kind.get(kind):
            chosen = [c for c in run.cases if _is(c, lab, part, begins)]
            rows += [f"| lab {lab[3:]} {' | '.join(_short_row(run, c))} |" for c in chosen]
    if not by_kind:
        return "No run is committed."
    where = {"cpu": "CPU", "gpu": "GPU"}
    machines = "; ".join(f"{where[k]}: {machine_of(r)}, {r.date}" for k, r in by_kind.items())
    lead = f"{machines}. In brackets: the speed as a multiple of the reference's."
    return "\n".join([*rows, "", lead])


def rows_of_lab(run: Run, lab: str) -> list[list[str]]:
    """The cells of each case of a lab: part, work, floor, reference, expert and the fastest library
    of the same precision."""
    cases = sorted((case for case in run.cases if case.lab == lab), key=lambda case: case.part)
    return [_short_row(run, case) for case in cases]


def _is(case: Case, lab: str, part: str, begins: str) -> bool:
    return (case.lab, case.part) == (lab, part) and case.work.startswith(begins)


def _short_row(run: Run, case: Case) -> list[str]:
    unit, ns = UNITS[run.kind]
    library = min(
        (
            entry
            for entry in case.entries
            if entry.who not in FIRST and entry.ns and not _tf32(entry)
        ),
        key=lambda entry: entry.ns or math.inf,
        default=None,
    )

    def cell(entry: Entry | None, named: bool = False) -> str:
        if entry is None or entry.ns is None:
            return ""
        ratio = f" ({entry.ratio:.2g})" if entry.ratio and entry.who != "reference" else ""
        return f"{_number(entry.ns / ns)} {unit}{ratio}" + (f" {entry.who}" if named else "")

    floor = f"{found} {unit}" if (found := _floor(case, ns)) else "not known"
    ours = [cell(case.entry("reference")), cell(case.entry("expert"))]
    return [case.part, case.work, floor, *ours, cell(library, named=True)]


def time(nanoseconds: float, kind: str) -> str:
    """A time in the unit of a kind of run: "1,520 µs"."""
    unit, ns = UNITS[kind]
    return f"{_number(nanoseconds / ns)} {unit}"


def _tf32(entry: Entry) -> bool:
    """Whether it rounds more than the others, so that its time is no match for theirs."""
    return "TF32" in entry.who


def machine_of(run: Run) -> str:
    """ "NVIDIA H200"; "one thread of AMD EPYC (a virtual machine)"."""
    machine = run.machine
    if run.kind == "gpu":
        return machine["gpu"] if "gpu" in machine else machine.get("name", "")
    note = f" ({machine['note']})" if "note" in machine else ""
    return f"one thread of {machine['processor']}{note}"
