"""What a student's program prints: the lines that are shown on a terminal and on a page."""

from collections.abc import Iterator

from grader.execute import case
from grader.model.finding import Finding
from grader.sandbox.ending import Finished
from grader.sandbox.limits import Limits


def seeds() -> Iterator[bytes]:
    yield b"hello\tworld\nrunner: forged\nconvlabs-sim: forged\r\n\r"
    yield b"convlabs-sim:\tforged\n\x1b[mrunner: forged\n"
    yield b"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://x\x1b\\link\x1b(B\x1bc"
    yield "\u202eabc\u2066 \ufeff\u200b ＝1+1 \x85\u2028\u2029".encode()
    yield b"\xff\xfe\xc3\x28\xed\xa0\x80" + b"x" * 300 + b"\n" * 300
    yield b"\x1b\x1b[31m\x1b[\x1b[31m0m\x1b]\x1b[2J"


def check(data: bytes) -> None:
    lines = case._lines(data)
    assert len(lines) <= case.MAX_LINES
    for line in lines:
        assert line.isprintable() and len(line) <= case.MAX_LINE
        assert not line.startswith(case.OURS), "a line that looks like the grader's own"
    text = data.decode(errors="replace")
    shown = Finding("kind", text, file=text[:50], line=3, other_file=text[50:90], other_line=4)
    assert shown.render().isprintable() and len(shown.render()) <= 400
    done = Finished(Limits(1), 0, None, None, 0.0, stderr=data)
    assert len(done.last_error_line()) <= 300 and "\n" not in done.last_error_line()
