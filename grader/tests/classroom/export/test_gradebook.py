"""The gradebook opens in a spreadsheet and runs nothing there."""

import pytest

from grader.model.plain_text import cell


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert cell(text) == f"'{text}" and cell("x" + text) == "x" + text
