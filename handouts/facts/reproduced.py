"""What this course's own files take in the experiments of the sources: a table for each experiment,
from labs/studies/reproduce/reference.json. `make reproduce` compares it with the reader's machine.
"""

from dataclasses import dataclass, replace

import msgspec

from grader import paths
from handouts.facts import data_file, markdown
from handouts.facts.blocks import FactsError

FILE = paths.ROOT / "labs" / "studies" / "reproduce" / "reference.json"
SHOWN = FILE.relative_to(paths.ROOT)
COMMAND = f"python -m labs.studies.reproduce.measure --gpu --out {SHOWN}"


class MeasuredTime(msgspec.Struct, frozen=True):
    """A time in seconds; the rows of reference.json that are no times have no median."""

    median: float | None = None


class Experiment(msgspec.Struct, frozen=True):
    date: str
    settings: dict[str, str | int | float]
    rows: dict[str, MeasuredTime]


class Machine(msgspec.Struct, frozen=True):
    cpu: str
    cores: int


class Gpu(msgspec.Struct, frozen=True):
    name: str


class Reference(msgspec.Struct, frozen=True):
    """What of reference.json the tables need."""

    machine: Machine
    gpu: Gpu
    experiments: dict[str, Experiment]


@dataclass(frozen=True)
class TableRow:
    """A row of a table. row: its name in reference.json, in which {} stands for the size. by: the
    baseline that it is compared with; "" for none."""

    part: str
    what: str
    row: str
    by: str = ""


@dataclass(frozen=True)
class Table:
    """One experiment. sizes: the columns; ("",) for an experiment of one size."""

    source: str
    about: str
    sizes: tuple[str, ...]
    lines: tuple[TableRow, ...]


SQUARES = ("512x512", "1024x1024", "2048x2048")
GAUSSIAN = "17x17 on noise of three sizes"
TABLES: dict[str, tuple[Table, ...]] = {
    "lab1": (
        Table("000", "one picture of 1920x1080, two masks, on the processor", ("3x3", "5x5"), (
            TableRow("–", "baseline: columns outside", "cpu {}/columns"),
            TableRow("A", "four nested loops", "cpu {}/loops", "cpu {}/columns"),
            TableRow("B", "loop order", "cpu {}/rows", "cpu {}/columns"),
            TableRow("C", "OpenMP", "cpu {}/openmp", "cpu {}/columns"),
        )),
    ),
    "lab2": (
        Table("000", "one picture of 1920x1080, two masks", ("3x3", "5x5"), (
            TableRow("A", "kernel", "gpu {}/device"),
            TableRow("D", "bit-identical kernel", "gpu {}/identical"),
            TableRow("–", "copy to the device", "gpu {}/upload"),
            TableRow("–", "copy back", "gpu {}/download"),
            TableRow("B", "host code: allocate, copy, launch, copy back", "gpu {}/host"),
            TableRow("C", "the same with pinned memory", "gpu {}/staged_pinned"),
            TableRow("C", "the same with write-combined memory", "gpu {}/staged_write_combined"),
        )),
    ),
    "lab4": (Table("003", GAUSSIAN, SQUARES, (
        TableRow("–", "lab 3 A, no shared memory", "gpu {}/constant"),
        TableRow("A", "threads of the apron idle", "gpu {}/idle", "gpu {}/constant"),
        TableRow("B", "all threads load, all compute", "gpu {}/tile", "gpu {}/constant"),
        TableRow("C", "dynamic shared memory", "gpu {}/dynamic", "gpu {}/constant"),
        TableRow("D", "several outputs per thread", "gpu {}/register", "gpu {}/constant"),
    )),),
    "lab8": (Table("001", "27000x6000", ("",), (
        TableRow("–", "baseline, one thread", "cpu/baseline"),
        TableRow("A", "OpenMP", "cpu/openmp", "cpu/baseline"),
        TableRow("B", "contiguous sections", "cpu/rows", "cpu/baseline"),
        TableRow("C", "SSE", "cpu/sse", "cpu/baseline"),
        TableRow("D", "AVX2", "cpu/avx2", "cpu/baseline"),
        TableRow("E", "allocation on the GPU", "gpu/allocation"),
        TableRow("E", "copy to the GPU, pageable", "gpu/copy_there"),
        TableRow("E", "kernel", "gpu/kernel"),
        TableRow("E", "copy back, pageable", "gpu/copy_back"),
        TableRow("E", "plain: in all", "gpu/plain"),
        TableRow("E", "pinned, with the time to pin", "gpu/pinned"),
        TableRow("E", "streamed", "gpu/streamed"),
    )),),
}  # fmt: skip


def one(lab: str, argument: str) -> str:
    """The table of one experiment, with one of its sizes where the argument names one: "003" or
    "003 2048x2048". Raises FactsError."""
    source, _, size = argument.partition(" ")
    for table in TABLES.get(lab, ()):
        if table.source == source and (not size or size in table.sizes):
            reference = data_file.read(FILE, Reference, COMMAND)
            known = _experiment(reference, table)
            lead = (
                f"This course's own files, measured on {known.date[:10]} on an "
                f"{reference.gpu.name} and {reference.machine.cores} cores of an "
                f"{markdown.plain(reference.machine.cpu)}:"
            )
            sizes = (size,) if size else table.sizes
            return f"{markdown.paragraph(lead)}\n\n{_rows(known, replace(table, sizes=sizes))}"
    known_ones = ", ".join(table.source for table in TABLES.get(lab, ())) or "none"
    raise FactsError(f"{lab} has no such experiment; its experiments: {known_ones}")


def _experiment(reference: Reference, table: Table) -> Experiment:
    known = reference.experiments.get(table.source)
    if known is None:
        raise FactsError(f"{SHOWN} has no experiment {table.source}")
    return known


def _rows(known: Experiment, table: Table) -> str:
    """The table itself, with speed-ups where a line is compared with another."""
    compared = any(line.by for line in table.lines)
    cells = 2 if compared else 1
    head = ["part", "what"]
    for size in table.sizes:
        head += [f"{size}: µs" if size else "µs", "speed-up"][:cells]
    rows = [
        [
            line.part,
            line.what,
            *(cell for size in table.sizes for cell in _cells(known, line, size)[:cells]),
        ]
        for line in table.lines
    ]
    return markdown.table(head, rows, right=range(2, len(head)))


def _cells(experiment: Experiment, line: TableRow, size: str) -> tuple[str, str]:
    """The time, and the speed-up over what the line is compared with."""
    time = median(experiment, line.row.replace("{}", size))
    if not line.by:
        return markdown.microseconds(time * 1e6), "–"
    by = median(experiment, line.by.replace("{}", size))
    return markdown.microseconds(time * 1e6), markdown.ratio(by / time)


def median(experiment: Experiment, name: str) -> float:
    """A time of an experiment in seconds. Raises FactsError where it has none."""
    row = experiment.rows.get(name)
    if row is None or row.median is None:
        raise FactsError(f"{SHOWN} has no time '{name}'; run {COMMAND}")
    return row.median
