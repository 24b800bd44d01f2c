"""What a leaderboard.txt may say."""

import pytest

from grader.model import pseudonym
from grader.model.pseudonym import PseudonymError

FIT = {
    b"Quiet Tiger\n": "Quiet Tiger",
    b"\xef\xbb\xbf  night-owl_7 \r\n\r\n": "night-owl_7",
    "푸른 고래".encode(): "푸른 고래",
    "שלום".encode(): "שלום",
    "สวัสดีครับ".encode(): "สวัสดีครับ",  # marks on letters
    "e\u0301lan".encode(): "élan",
    b"x2": "x2",
}
UNFIT = {
    "nothing": b"",
    "a blank line": b" \n\n",
    "two lines": b"one\ntwo\n",
    "too short": b"x",
    "too long": b"x" * 25,
    "a file": b"word " * 100_000,
    "Latin-1": b"caf\xe9",
    "UTF-16": "Tiger".encode("utf-16"),
    "a formula": b"=1+1",
    "a formula behind a blank": b" @SUM(A1)",
    "a formula in wide letters": "＝1＋1".encode(),
    "a sign in front": b"-2+3",
    "markup": b"<b>Tiger</b>",
    "an entity": b"Tiger &amp; co",
    "a quote": b'Tiger" onclick="x',
    "a template": b"{{7*7}}",
    "a number that the board adds": b"Tiger (1)",
    "an escape sequence": b"\x1b[31mTiger",
    "a tab": b"Ti\tger",
    "NUL": b"Ti\0ger",
    "a mark that turns text round": "Tiger\u202egnp".encode(),
    "a mark from right to left": "Ti\u200fger".encode(),
    "an isolate": "\u2067Tiger\u2069".encode(),
    "nothing between two letters": "Ti\u200bger".encode(),
    "a joiner": "Ti\u200dger".encode(),
    "an invisible letter": "Ti\u3164ger".encode(),
    "an invisible mark": "Ti\u034fger".encode(),
    "a line separator": "Tiger\u2028Tiger".encode(),
    "a picture": "Tiger 🐯".encode(),
    "marks on nothing": "\u0301\u0301x".encode(),
    "marks on marks": ("a" + "\u0335" * 8 + "b").encode(),
    "a surrogate": b"Ti\xed\xa0\x80ger",
    "punctuation alone": b"...",
}


@pytest.mark.parametrize("content", FIT)
def test_what_can_be_shown(content: bytes) -> None:
    assert pseudonym.read_pseudonym(content) == FIT[content]


@pytest.mark.parametrize("what", UNFIT)
def test_what_cannot(what: str) -> None:
    with pytest.raises(PseudonymError) as refused:
        pseudonym.read_pseudonym(UNFIT[what])
    assert str(refused.value).isprintable() and len(str(refused.value)) < 80


def test_names_that_readers_take_for_the_same() -> None:
    same = (
        "Quiet Tiger",
        "quiet-tiger",
        "QUIETTIGER",
        "Quiet  Tiger",
        "Ｑuiet tiger",
        "Quiét Tiger",
    )
    assert len({pseudonym.folded(name) for name in same}) == 1
    assert pseudonym.folded("Tiger 2") != pseudonym.folded("Tiger")
