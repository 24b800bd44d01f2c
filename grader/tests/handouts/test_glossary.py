"""The glossary: every term has a meaning, and a word in each of the sources' languages."""

import re

from grader import paths

PAGE = paths.ROOT / "handouts/glossary.md"
KOREAN = re.compile(r"[\uac00-\ud7a3]")
KANA = re.compile(r"[\u3040-\u30ff]")
HAN = re.compile(r"[\u4e00-\u9fff]")


def _rows() -> list[list[str]]:
    """The cells of each row: term, meaning, Korean, Japanese, Chinese."""
    lines = re.findall(r"^\| \*\*.+ \|$", PAGE.read_text(), re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_there_are_about_sixty_terms_and_none_twice() -> None:
    terms = [row[0] for row in _rows()]
    assert len(terms) >= 60
    assert len(set(terms)) == len(terms)


def test_every_term_has_its_word_in_each_language() -> None:
    for row in _rows():
        assert len(row) == 5, row
        term, meaning, korean, japanese, chinese = row
        assert term and meaning.endswith("."), row
        assert KOREAN.search(korean) and not KANA.search(korean), row
        assert (KANA.search(japanese) or HAN.search(japanese)) and not KOREAN.search(japanese), row
        assert HAN.search(chinese) and not KANA.search(chinese), row
        assert not KOREAN.search(chinese), row
