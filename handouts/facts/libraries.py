"""The block "timed bench": our solution next to the baseline and libraries, from the last committed
run of `make bench-gpu`."""

from grader.model.lab import Lab
from handouts.facts import markdown
from handouts.facts.blocks import FactsError
from labs.studies.bench import pages

HEAD = (
    "part", "work", "baseline", "our solution", "speed-up", "least possible", "fastest library",
)  # fmt: skip


def content(lab: Lab) -> str:
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
        cells += [markdown.ratio(before.ns / after.ns), floor, f"{time} {name}".strip() or "–"]
        rows.append([markdown.plain(cell) for cell in cells])
    if not rows:
        raise FactsError(f"the run of {run.date} has no times of {lab.id}; run make bench-gpu")
    lead = f"Measured on {run.date} on an {pages.machine_of(run)} by `{pages.MADE_BY[run.kind]}`."
    return f"{lead}\n\n{markdown.table(HEAD, rows, right=(2, 3, 4, 5))}"
