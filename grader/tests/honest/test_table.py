"""The table of right programs says what came of them, and every run keeps the rows of others."""

from pathlib import Path

import pytest

from grader.tests.honest import table
from grader.tests.honest.table import Row
from grader.tests.honest.whole import programs

GOOD = Row("habit: lab1/a.c", "70 / 70", "3.1", "2026-11-28")
BAD = Row("zoo: lab3/b", "68 / 70", "9.0", "2026-11-28", "no race (A): fail: a line | (or two)")


def test_rows_are_read_as_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "FILE", tmp_path / "RESULTS.md")
    assert table.rows() == {}
    table.save([GOOD, BAD], 3)
    assert list(table.rows().values()) == [GOOD, BAD]
    assert "| all | 2 | 1 |" in table.FILE.read_text()


def test_every_row_is_of_a_program_and_has_all_points() -> None:
    names = {str(program) for program in programs()}
    assert [row for row in table.rows().values() if row.lost or row.program not in names] == []
