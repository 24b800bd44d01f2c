"""The report as data: published figures and measurements side by side, in separate columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labs.studies.reproduce.published import Row, Source, Table

Experiment = Mapping[str, Any]  # of a measurement: rows, settings, missing
MEGAPIXEL = 2**20  # as in source 001: 27000 x 6000 pixels in 2.739997 s are its 56.3852 Mpx/s
SCALE = {"ms": 1e3, "us": 1e6, "s": 1.0}
SHOWN = {"us": "µs", "x": "×"}
UNSTEADY = 2.0  # a time is marked if its longest run took more than this times its shortest
NOT_YET = "not measured yet"


@dataclass(frozen=True)
class Cell:
    """One figure, or the words shown instead of it."""

    value: float | None
    text: str
    detail: str = ""  # runs and their range
    mark: str = ""  # "unsteady", "within", "beyond"


@dataclass(frozen=True)
class Line:
    label: str
    group: str
    published: Cell
    here: Cell
    reference: Cell
    where: str
    bar: bool


@dataclass(frozen=True)
class Section:
    """One table of the report."""

    title: str
    text: str
    unit: str
    chart: str  # file name of its chart without suffix, "" for none
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Chapter:
    source: Source
    settings: tuple[tuple[str, str], ...]  # heading, "name: value, ..." of each measurement
    sections: tuple[Section, ...]


def number(value: float) -> str:
    """A number with three significant digits: 0.00123, 12.3, 1230, 1.20e-12."""
    if value == 0:
        return "0"
    if not 1e-3 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}" if abs(value) >= 1 else f"{float(f'{value:.3g}'):.6f}".rstrip("0")


def _unit(unit: str) -> str:
    return SHOWN.get(unit, unit)


def _why(names: tuple[str, ...], experiment: Experiment) -> str:
    """Why a row is missing: the reason under the longest matching prefix of its name."""
    absent = next(name for name in names if name not in experiment["rows"])
    reasons = [(len(k), v) for k, v in experiment["missing"].items() if absent.startswith(k)]
    return max(reasons)[1] if reasons else "not measured"


def _detail(row: Row, entry: Mapping[str, Any]) -> tuple[str, str]:
    """Number of runs and range of a time in the row's unit, and "unsteady" or ""."""
    runs = "1 run" if entry["runs"] == 1 else f"{entry['runs']} runs"
    if entry["runs"] == 1:
        return runs, ""
    mark = "unsteady" if entry["most"] > UNSTEADY * entry["least"] else ""
    if row.unit not in SCALE:
        return runs, mark
    least, most = (number(entry[end] * SCALE[row.unit]) for end in ("least", "most"))
    return f"{runs}, {least} to {most}", mark


def cell(row: Row, table: Table, experiment: Experiment | None) -> Cell:
    """The cell of a row in the column of one measurement."""
    if experiment is None:
        return Cell(None, NOT_YET)
    rows = experiment["rows"]
    names = (*row.sum, *row.by)
    if not all(name in rows for name in names):
        return Cell(None, _why(names, experiment))

    def total(names: tuple[str, ...]) -> float:
        return float(sum(rows[n].get("value", rows[n].get(table.statistic)) for n in names))

    value = total(row.sum)
    first = rows[row.sum[0]]
    if row.by:
        value /= total(row.by)
        unsteady = any("runs" in rows[n] and _detail(row, rows[n])[1] for n in names)
        return Cell(value, f"{number(value)} ×", "", "unsteady" if unsteady else "")
    if "value" in first:
        mark = ""
        if table.limit is not None:
            mark = "within" if value <= table.limit else "beyond"
        return Cell(value, number(value), first.get("backend", ""), mark)
    detail, mark = _detail(row, first) if len(row.sum) == 1 else ("", "")
    if row.unit in SCALE:
        value *= SCALE[row.unit]
    else:  # a rate: work over time
        value = experiment["settings"][row.work] / value
        value /= MEGAPIXEL if row.unit == "Mpx/s" else 1e9
    return Cell(value, f"{number(value)} {_unit(row.unit)}", detail, mark)


def _published(row: Row) -> Cell:
    if row.published is None:
        return Cell(None, "—")
    text = f"{row.published:.10g}"
    return Cell(row.published, f"{text} {_unit(row.unit)}".rstrip())


def _settings(experiment: Experiment | None) -> str:
    if experiment is None:
        return NOT_YET
    settings = [f"{name}: {value}" for name, value in experiment["settings"].items()]
    return ", ".join([f"measured {experiment['date']}", *settings])


def chapters(
    sources: tuple[Source, ...],
    here: Mapping[str, Any],
    reference: Mapping[str, Any] | None,
) -> tuple[Chapter, ...]:
    """The chapters of the report, from this machine's measurement and the committed one, if any."""
    result = []
    for source in sources:
        mine = here["experiments"].get(source.id)
        other = reference["experiments"].get(source.id) if reference else None
        sections = tuple(
            Section(
                title=table.title,
                text=table.text,
                unit=_unit(table.unit),
                chart=f"{source.id}-{number_of}" if table.chart else "",
                lines=tuple(
                    Line(
                        label=row.label,
                        group=row.group,
                        published=_published(row),
                        here=cell(row, table, mine),
                        reference=cell(row, table, other),
                        where=row.where,
                        bar=row.bar,
                    )
                    for row in table.rows
                ),
            )
            for number_of, table in enumerate(source.tables, 1)
        )
        settings = (("this machine", _settings(mine)), ("committed run", _settings(other)))
        result.append(Chapter(source, settings, sections))
    return tuple(result)
