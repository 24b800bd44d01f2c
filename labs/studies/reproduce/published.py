"""Reads and checks published.toml: what the sources published."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "published.toml"
UNITS = ("ms", "us", "s", "Mpx/s", "GFLOP/s", "x", "")
STATISTICS = ("median", "mean")


@dataclass(frozen=True)
class Row:
    label: str
    group: str  # the string that replaced {}; "" for a row without `for`
    unit: str
    published: float | None
    where: str
    sum: tuple[str, ...]  # names of measured rows
    by: tuple[str, ...]  # the same, of the divisor of a ratio
    work: str  # the setting that a rate divides by the time
    bar: bool


@dataclass(frozen=True)
class Table:
    title: str
    text: str
    unit: str
    statistic: str
    limit: float | None  # the source's upper bound for every value of the table
    chart: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Source:
    id: str
    title: str
    by: str
    machine: str
    text: str
    tables: tuple[Table, ...]


class PublishedError(ValueError):
    """An entry of published.toml does not follow the rules at its top."""


def _take(entry: dict[str, Any], known: str) -> dict[str, Any]:
    """The entry. Raises PublishedError if it has a key that is not among the known ones."""
    unknown = entry.keys() - set(known.split())
    if unknown:
        raise PublishedError(f"{entry.get('label') or entry.get('title')}: unknown keys {unknown}")
    return entry


def _rows(entry: dict[str, Any], table: dict[str, Any]) -> list[Row]:
    row = _take(entry, "label for published where sum by unit work bar")
    published = row.get("published")
    one = Row(
        label=row["label"],
        group="",
        unit=row.get("unit", table["unit"]),
        published=None,
        where=row.get("where", ""),
        sum=tuple(row["sum"]),
        by=tuple(row.get("by", ())),
        work=row.get("work", table.get("work", "")),
        bar=row.get("bar", False),
    )
    if one.unit not in UNITS or (one.unit == "x") != bool(one.by):
        raise PublishedError(
            f"{one.label}: unit {one.unit!r}; a ratio has `by` and unit x, other rows have neither"
        )
    if (published is None) != (one.where == ""):
        raise PublishedError(f"{one.label}: a published figure needs `where`, and only it has one")
    if "for" not in row:
        return [replace(one, published=published)]
    groups = row["for"]
    figures = [None] * len(groups) if published is None else published
    return [
        replace(
            one,
            group=group,
            published=figure,
            sum=tuple(name.format(group) for name in one.sum),
            by=tuple(name.format(group) for name in one.by),
        )
        for group, figure in zip(groups, figures, strict=True)
    ]


def _table(entry: dict[str, Any]) -> Table:
    table = _take(entry, "title text unit work statistic limit chart row")
    statistic = table.get("statistic", "median")
    if statistic not in STATISTICS:
        raise PublishedError(f"{table['title']}: statistic {statistic!r}")
    return Table(
        title=table["title"],
        text=table.get("text", "").strip(),
        unit=table["unit"],
        statistic=statistic,
        limit=table.get("limit"),
        chart=table.get("chart", False),
        rows=tuple(row for entry in table["row"] for row in _rows(entry, table)),
    )


def load(path: Path = FILE) -> tuple[Source, ...]:
    """The sources, in the order of the file. Raises PublishedError for an invalid entry."""
    return tuple(
        Source(
            id=source["id"],
            title=source["title"],
            by=source["by"],
            machine=source["machine"],
            text=source["text"].strip(),
            tables=tuple(_table(entry) for entry in source["table"]),
        )
        for source in tomllib.loads(path.read_text(encoding="utf-8"))["source"]
    )
