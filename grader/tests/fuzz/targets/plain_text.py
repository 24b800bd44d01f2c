"""What makes a student's text fit for terminals, pages and tables (grader/model/plain_text.py)."""

import csv
import io
from collections.abc import Iterator

from grader.model import plain_text


def seeds() -> Iterator[bytes]:
    yield b"\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b]8;;http://x\x1b\\link\r\x08\x7f"
    yield "\u202eabc\u2066\ufeff\u200b\x9b31m\x9d0;t\x9c\x85\u2028\u3164".encode()
    yield "＝1+1\n =cmd|' /C calc'!A0\n@SUM(1)\n－1\n\u30001\n".encode()
    yield b'a"b\\c\t\xff\xed\xa0\x80' + b"x" * 300
    yield b"\x1b\x1b[31m[31m" * 9


def check(data: bytes) -> None:
    for text in (data.decode(errors="replace"), data.decode(errors="surrogateescape")):
        for most in (1, 20, plain_text.MOST):
            shown = plain_text.line(text, most)
            assert shown.isprintable() and len(shown) <= most
            assert plain_text.line(shown, most) == shown, "what was made fit is not fit"
        name = plain_text.name(text)
        assert name.isprintable() and not set(name) & set('"\\')
        page = plain_text.document(text)
        assert len(page) == len(text) and plain_text.document(page) == page
        assert all(c.isprintable() or c in "\n\t\xa0" for c in page)
        cell = plain_text.cell(plain_text.line(text))
        assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "＝"))
        table = io.StringIO()
        csv.writer(table).writerow([cell, "end"])
        assert list(csv.reader(io.StringIO(table.getvalue()))) == [[cell, "end"]]
        nested = plain_text.everywhere({text: [text, (text, 1)]})
        assert all(c.isprintable() for key in nested for c in key)
