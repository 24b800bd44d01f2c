"""Text that a student shaped reaches no terminal, page or spreadsheet as a command."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model import plain_text

OBEYED = ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")  # Unicode's categories


@given(st.text())
def test_a_line_shows_all_that_it_holds(text: str) -> None:
    line = plain_text.line(text)
    assert not [c for c in line if unicodedata.category(c) in OBEYED]
    assert len(line) <= plain_text.MOST
    assert plain_text.line(line) == line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x9b2Jx\x9d0;title\x9cy", "xy"),
        ("ok\rFAIL", "ok?FAIL"),
        ("a\bb\0c\x7f", "a?b?c?"),
        ("\u202edessap\u202c \u2066x\u2069 \u200f\u200e\u061c", "?dessap? ?x? ???"),
        ("1\u200b0\u2060\ufeff", "1?0??"),
        ("\U000e0041\U000e007f", "??"),
        ("\u3164\u2800", "??"),
        ("\udcff\ue000\u2028", "???"),
        ("\tx", "    x"),
        ("naïve “quotes” 山田 עידן 😀 x²", "naïve “quotes” 山田 עידן 😀 x²"),
    ],
)
def test_control_characters_are_replaced(text: str, shown: str) -> None:
    assert plain_text.line(text) == shown


def test_a_long_line_is_cut() -> None:
    assert plain_text.line("x" * (1 << 24)) == "x" * (plain_text.MOST - 1) + "…"
    assert plain_text.line("12345", 5) == "12345" and plain_text.line("123456", 5) == "1234…"


def test_a_name_fits_a_line_directive() -> None:
    assert plain_text.name('a"b\\c\nd\u202e.c') == "a?b?c?d?.c"
    assert plain_text.name("") == "" and plain_text.name("x" * 2000) == "x" * 2000


@pytest.mark.parametrize("first", [*"=+-@\t\r\n", *"\uff1d\uff0b\uff0d\uff20\u2212"])
def test_spreadsheet_formulas_are_quoted(first: str) -> None:
    for text in (f"{first}1+1", f"  {first}1+1", f"\u3000{first}1+1"):
        assert plain_text.cell(text) == f"'{text}"
    assert plain_text.cell(f"x{first}1") == f"x{first}1"


def test_a_document_keeps_its_lines() -> None:
    assert plain_text.document("a\n\tb\xa0c\u202e\x1b\r") == "a\n\tb\xa0c???"


def test_nested_texts_are_cleaned() -> None:
    value = {"k\u202e": ["\x1b[1mx", 1, 2.5, None, True, {"n": ("\r",)}]}
    assert plain_text.everywhere(value) == {"k?": ["x", 1, 2.5, None, True, {"n": ["?"]}]}
