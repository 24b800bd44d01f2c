"""The block "source reproduced": the times that a lab's source published, next to those of this
course's own files in the same experiment."""

import math

from grader.model.lab import Lab
from handouts.facts import data_file, markdown, reproduced
from handouts.facts.blocks import FactsError
from handouts.facts.reproduced import COMMAND, FILE, TABLES, Reference
from labs.studies.reproduce import published
from labs.studies.reproduce.published import Row
from labs.studies.reproduce.tables import MEGAPIXEL, SCALE

HEAD = ("part", "what", "theirs, ms", "speed-up", "ours, ms", "speed-up")


def content(lab: Lab) -> str:
    """The table of a lab's first experiment, whose size must be one of pixels. Raises
    FactsError."""
    if lab.id not in TABLES:
        raise FactsError(f"{lab.id} has no experiment of a source")
    table = TABLES[lab.id][0]
    reference = data_file.read(FILE, Reference, COMMAND)
    experiment = reference.experiments[table.source]
    source = next(each for each in published.load() if each.id == table.source)
    told = {row.sum: row for of_source in source.tables for row in of_source.rows}
    pixels = math.prod(map(int, table.about.split("x")))

    def theirs(name: str) -> float | None:
        return _seconds(told.get((name,)), pixels)

    def ours(name: str) -> float | None:
        return reproduced.median(experiment, name) if name else None

    rows = []
    for line in table.lines:
        cells = [line.part, line.what]
        for times in (theirs, ours):
            time, by = times(line.row), times(line.by)
            cells.append(markdown.milliseconds(time) if time else "–")
            cells.append(markdown.ratio(by / time) if time and by else "–")
        rows.append(cells)
    lead = (
        f"{table.about} pixels. Theirs: {source.by} ({source.machine}). Ours: this course's own "
        f"files, measured on {experiment.date[:10]} on a host with {reference.machine.cores} cores "
        f"({markdown.plain(reference.machine.cpu)}) and an {reference.gpu.name}."
    )
    return f"{markdown.paragraph(lead)}\n\n{markdown.table(HEAD, rows, right=range(2, 6))}"


def _seconds(row: Row | None, pixels: int) -> float | None:
    """What a source published, as a time or as megapixels in a second; None where it did not."""
    if row is None or row.published is None:
        return None
    if row.unit == "Mpx/s":
        return pixels / (row.published * MEGAPIXEL)
    return row.published / SCALE[row.unit]
