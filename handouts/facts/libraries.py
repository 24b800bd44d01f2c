"""The block "libraries bench": our solution and our fastest code beside libraries, from the runs of
`make bench` and `make bench-gpu` that are committed."""

from grader.model.spec import Lab
from handouts.facts import markdown
from handouts.facts.blocks import FactsError
from labs.studies.bench import pages
from labs.studies.bench.results import Run

HEAD = ("part", "work", "least possible", "our solution", "our fastest", "fastest library")


def content(lab: Lab) -> str:
    """A table for each run that measured the lab. Raises FactsError where there is none."""
    tables = [_table(run, rows) for run in pages.runs() if (rows := pages.rows_of_lab(run, lab.id))]
    if not tables:
        raise FactsError(f"labs/studies/bench/results has no run of {lab.id}; run make bench-gpu")
    return "\n\n".join(tables)


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
