"""What the committed runs of `make bench` and `make bench-gpu` measured of a lab.

"libraries bench" is a table for each run, with our fastest code and libraries; "timed bench" is one
table of the last run on a GPU, with the baseline.
"""

from grader.model.spec import Lab
from handouts.facts import markdown
from handouts.facts.blocks import FactsError
from labs.studies.bench import pages
from labs.studies.bench.results import Run

HEAD = ("part", "work", "least possible", "our solution", "our fastest", "fastest library")
SHORT = ("part", "work", "baseline", "our solution", "speed-up", "least possible", HEAD[-1])


def content(lab: Lab) -> str:
    """A table for each run that measured the lab. Raises FactsError where there is none."""
    tables = [_table(run, rows) for run in pages.runs() if (rows := pages.rows_of_lab(run, lab.id))]
    if not tables:
        raise FactsError(f"labs/studies/bench/results has no run of {lab.id}; run make bench-gpu")
    return "\n\n".join(tables)


def latest(lab: Lab) -> str:
    """The table of the last run on a GPU. Raises FactsError where it did not measure the lab."""
    run = [run for run in pages.runs() if run.kind == "gpu"][-1]
    rows = []
    for part, work, floor, ours, _, library in pages.rows_of_lab(run, lab.id):
        case = next(c for c in run.cases if (c.lab, c.part, c.work) == (lab.id, part, work))
        before, after = (case.entry(who) for who in ("baseline", "reference"))
        if before is None or after is None or not before.ns or not after.ns:
            raise FactsError(f"the run of {run.date} has no baseline of {lab.id} {part}")
        name, time = library.rpartition(" ")[2], library.partition(" (")[0]
        cells = [part, work, pages.time(before.ns, run.kind), ours]
        cells += [markdown.ratio(before.ns / after.ns), floor, f"{time} {name}"]
        rows.append([markdown.plain(cell) for cell in cells])
    if not rows:
        raise FactsError(f"the run of {run.date} has no times of {lab.id}; run make bench-gpu")
    lead = f"Measured on {run.date} on {_machine(run)} by `{pages.MADE_BY[run.kind]}`."
    return f"{lead}\n\n{markdown.table(SHORT, rows, right=(2, 3, 4, 5))}"


def _table(run: Run, rows: list[list[str]]) -> str:
    lead = (
        f"Measured on {run.date} on {_machine(run)} by `{pages.MADE_BY[run.kind]}`; in "
        "brackets, the speed as a multiple of our solution's. All cases are in "
        "`labs/studies/bench/RESULTS.md`."
    )
    cells = [[markdown.plain(cell) or "–" for cell in row] for row in rows]
    return f"{markdown.paragraph(lead)}\n\n{markdown.table(HEAD, cells, right=(2, 3, 4))}"


def _machine(run: Run) -> str:
    name = pages.machine_of(run)
    return name.replace("thread of ", "thread of an ", 1) if run.kind == "cpu" else f"an {name}"
