"""The frames of evidence (grader/execute/evidence.py): only authentic ones are read.

An input is a script: authentic frames, damaged in the ways that it says; or raw bytes.
"""

import hashlib
from collections.abc import Iterator

from grader.execute import evidence
from grader.execute.evidence import CODE, HEADER, KINDS, parse
from grader.tests.fuzz.cursor import Cursor

KEY = bytes(range(evidence.KEY))
ORDERED = sorted(KINDS)
FRAME, FORGED, RAW, FLIP, REPEAT = range(5)


def frame(kind: bytes, number: int, text: bytes, key: bytes = KEY) -> bytes:
    """A frame as labs/sim/src/evidence writes it."""
    whole = HEADER.pack(kind, number, len(text)) + text
    return whole + hashlib.blake2s(whole, key=key, digest_size=CODE).digest()


def seeds() -> Iterator[bytes]:
    plain = b"".join(bytes([FRAME, i, 2]) + b"{}" for i in range(len(ORDERED)))
    yield plain
    yield plain + bytes([RAW, 3]) + b"abc"
    yield plain + bytes([FLIP, 30, 1])
    yield plain + bytes([REPEAT, 4])
    yield bytes([FRAME, 0, 0, FORGED, 1, 2]) + b"{}"
    yield bytes([RAW, 30]) + b"B\0\0\0\0\xff\xff\xff\xff" + bytes(21)


def written(data: bytes) -> tuple[bytes, int]:
    """The bytes of a run, and how many frames at their beginning are untouched."""
    script, raw, ends = Cursor(data), b"", [0]
    while script.has_more() and len(raw) < 1 << 16:
        step = script.byte() % 5
        if step in (FRAME, FORGED):
            kind = ORDERED[script.byte() % len(ORDERED)]
            text = script.block()
            if step == FRAME and ends[-1] == len(raw):
                raw += frame(kind, len(ends) - 1, text)
                ends.append(len(raw))
            else:
                raw += frame(kind, len(ends) - 1, text, bytes(evidence.KEY))
        elif step == RAW:
            raw += script.block()
        elif step == REPEAT:
            raw += raw[-script.byte() :]
        elif raw:
            at = script.byte() % len(raw)
            raw = raw[:at] + bytes([raw[at] ^ (script.byte() or 1)]) + raw[at + 1 :]
            while ends[-1] > at:
                ends.pop()
    return raw, len(ends) - 1


def check(data: bytes) -> None:
    raw, untouched = written(data)
    reported = parse(raw, KEY)
    assert len(reported.frames) >= untouched, "an authentic frame was dropped"
    again = b"".join(frame(kind, i, text) for i, (kind, text) in enumerate(reported.frames))
    assert raw.startswith(again), "a frame that nobody wrote"
    assert reported.damaged == (again != raw), "damage that is not noticed, or none"
    assert not (reported.is_complete() and reported.damaged)
    for kind in KINDS:
        assert reported.lines(kind) == b"".join(reported.of(kind))
    for sentence in (reported.our_fault(lambda: True), reported.students_fault()):
        assert sentence is None or isinstance(sentence, str)
