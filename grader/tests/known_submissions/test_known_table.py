"""The committed table of known submissions: complete, above its bars, and made of its own rows."""

import pytest

from grader.model import outline
from grader.tests.known_submissions import entries, table

ROWS = table.committed()
LEAST = {("wrong", "unsafe"): 12, ("right",): 4, ("slow", "poor"): 2}  # of each lab


def test_every_entry_has_its_row() -> None:
    wanted = {str(e): (e.verdict, table.shown(e)) for e in entries.everything()}
    assert {row.entry: (row.verdict, row.detail) for row in ROWS.values()} == wanted


def test_table_meets_its_thresholds() -> None:
    rows = ROWS.values()
    assert all(row.as_expected for row in rows)
    named, of = table.share(row.named for row in rows)
    assert named >= 0.9 * of
    assert table.report(rows) == table.FILE.read_text()


@pytest.mark.parametrize("lab", outline.available())
def test_lab_has_enough_entries_of_each_verdict(lab: str) -> None:
    for kinds, least in LEAST.items():
        assert len(entries.of_lab(lab, *kinds)) >= least, kinds
