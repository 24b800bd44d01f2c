"""The block "counted sim": what this course's own files do to memory, counted by the simulator."""

import math
from itertools import groupby

from grader.model.lab import Lab
from handouts.facts import counted_list, markdown
from handouts.facts.blocks import FactsError
from handouts.facts.counted_list import Counted

COLUMNS = {  # heading, and the counters that are added up
    "sectors of global loads": ("global_load_sectors",),
    "requests of global loads": ("global_load_requests",),
    "sectors of global stores": ("global_store_sectors",),
    "wavefronts of shared memory": ("shared_load_wavefronts", "shared_store_wavefronts"),
    "extra wavefronts by bank conflicts": ("shared_load_conflicts", "shared_store_conflicts"),
    "requests of shared memory": ("shared_load_requests", "shared_store_requests"),
    "requests of constant memory": ("constant_requests",),
    "words of constant memory": ("constant_words",),
}


def content(lab: Lab) -> str:
    """The tables of a lab, one for each input. Raises FactsError."""
    of_lab = counted_list.read().get(lab.id)
    if of_lab is None or not of_lab.runs:
        raise FactsError(f"is of no use here: {lab.id} has no counted kernels in counted.json")
    if counted_list.programs(lab) not in (None, of_lab.programs):
        raise FactsError(
            f"the solution or the baseline of {lab.id} changed after they were counted; run "
            f"{counted_list.COMMAND} {lab.id}"
        )
    entries = of_lab.runs
    known = {part.id for part in lab.part}
    if unknown := sorted({e.part for e in entries} - known - {"baseline"}):
        raise FactsError(f"{lab.id} has no part {', '.join(unknown)}; run {counted_list.COMMAND}")
    needed = {name for names in COLUMNS.values() for name in names}
    if any(needed - entry.counters.keys() for entry in entries):
        raise FactsError(
            f"handouts/facts/counted.json lacks counters of {lab.id}; run {counted_list.COMMAND}"
        )
    titles = {part.id: part.title for part in lab.part}
    ordered = sorted(entries, key=lambda entry: entry.input)  # stable: parts stay in order
    tables = [
        _table(words, list(group), titles)
        for words, group in groupby(ordered, lambda entry: entry.input)
    ]
    return "\n\n".join(tables)


def _table(words: str, entries: list[Counted], titles: dict[str, str]) -> str:
    used = [
        (heading, names)
        for heading, names in COLUMNS.items()
        if any(entry.counters[name] for entry in entries for name in names)
    ]
    rows = [
        [
            _name(entry, titles),
            *(number(sum(entry.counters[n] for n in names) / entry.pixels) for _, names in used),
        ]
        for entry in entries
    ]
    head = ("part", *(heading for heading, _ in used))
    lead = f"Counted by the simulator {words}. Each number is for one value of the output."
    return f"{markdown.paragraph(lead)}\n\n{markdown.table(head, rows, right=range(1, len(head)))}"


def _name(entry: Counted, titles: dict[str, str]) -> str:
    if entry.part == "baseline":
        return "baseline"
    return f"{entry.part}: {markdown.plain(titles[entry.part])}"


def number(value: float) -> str:
    """Three significant digits, and no exponent: 23.1, 0.352, 0.0625, 0."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
