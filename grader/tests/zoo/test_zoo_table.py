"""The committed table of the zoo: complete, above its bars, and made of its own rows."""

import pytest

from grader.model import spec
from grader.tests.zoo import table

ENTRIES = sorted(p for p in table.ZOO.glob("lab*/*") if p.is_dir())
ROWS = table.committed()
LEAST = {("wrong", "unsafe"): 12, ("right",): 4, ("slow", "poor"): 2}  # of each lab


def test_every_entry_has_its_row() -> None:
    said = {}
    for entry in ENTRIES:
        header = table.header(entry)
        said[f"{entry.parent.name}/{entry.name}"] = (header.verdict, header.detail)
    shown = {
        name: (verdict, detail if verdict in ("wrong", "unsafe") else "")
        for name, (verdict, detail) in said.items()
    }
    assert {row.entry: (row.verdict, row.detail) for row in ROWS.values()} == shown


def test_the_table_is_above_its_bars() -> None:
    rows = ROWS.values()
    assert all(row.as_expected for row in rows)
    named, of = table.share(row.named for row in rows)
    assert named >= 0.9 * of
    assert table.report(rows) == table.FILE.read_text()


@pytest.mark.parametrize("lab", spec.available())
def test_a_lab_has_enough_of_each(lab: str) -> None:
    verdicts = [table.header(e).verdict for e in ENTRIES if e.parent.name == lab]
    for kinds, least in LEAST.items():
        assert sum(verdict in kinds for verdict in verdicts) >= least, kinds
