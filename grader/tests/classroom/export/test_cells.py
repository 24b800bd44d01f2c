"""Cells are where another reader of CSV sees them, and bytes that are not a cell's never change."""

import contextlib
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.export import cells
from grader.classroom.export.cells import CellsError

PARTS = [*'ab ,;"\n\t=Ł山', "\r\n"]  # csv.writer leaves a lone CR without quotes
TEXT = st.lists(st.sampled_from(PARTS), max_size=6).map("".join)
TABLES = st.lists(st.lists(TEXT, min_size=2, max_size=5), min_size=1, max_size=5)


@given(TABLES, st.sampled_from(["\n", "\r\n"]), st.sampled_from([b"", cells.BOM]), st.data())
def test_export_changes_only_one_cell(
    rows: list[list[str]], end: str, bom: bytes, draw: st.DataObject
) -> None:
    text = io.StringIO(newline="")
    head = ["Student"] * max(map(len, rows)) * 9  # more commas than any other separator
    csv.writer(text, lineterminator=end).writerows([head, *rows])
    data = bom + text.getvalue().encode()
    sheet = cells.parse(data, "x.csv")
    whole = [row for row in rows if any(cell.strip() for cell in row)]
    assert [sheet.texts(row) for row in range(1, len(sheet.rows))] == whole
    assert sheet.filled({}) == data
    if whole:
        row = draw.draw(st.integers(1, len(whole)))
        column = draw.draw(st.integers(0, len(whole[row - 1]) - 1))
        new = draw.draw(TEXT)
        cell = sheet.rows[row][column]
        after = sheet.filled({(row, column): new})
        assert after.startswith(data[: cell.start]) and after.endswith(data[cell.end :])
        if any(c.strip() for i, c in enumerate(whole[row - 1]) if i != column) or new.strip():
            assert cells.parse(after, "x.csv").rows[row][column].text == new


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(CellsError):
        assert cells.parse(data, "x.csv").filled({}) == data


def test_a_row_is_named_by_its_line() -> None:
    sheet = cells.parse(b'a,b\r\n"two\nlines",\r\n\r\nlast,\r\n', "x.csv")
    assert [sheet.line(row) for row in range(3)] == [1, 2, 5]
    with pytest.raises(CellsError, match=r"x\.csv, line 2: a quoted cell does not end"):
        cells.parse(b'a,b\n"c"d,e\n', "x.csv")
