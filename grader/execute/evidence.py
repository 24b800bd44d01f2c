"""What the course's own code reported of a run, by a channel that a submission cannot write to.

labs/sim/src/evidence writes it: frames in a file in memory, each authenticated with a key that the
program reads and wipes before any code of a submission runs. What a submission prints, returns or
writes elsewhere is no evidence.
"""

import contextlib
import fcntl
import hashlib
import hmac
import os
import secrets
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

KEY, CODE = 32, 16  # bytes
HEADER = struct.Struct("<cII")  # kind, number, length
MOST = 4 << 20  # bytes of all frames: EVIDENCE_MOST
MEMORY = MOST + KEY  # that a run may write to the file

BEGIN, CALL, STATUS, FINDING, PROFILE, STEPS = b"B", b"C", b"S", b"F", b"P", b"R"
ACCESS, TEAM, INSTRUCTIONS, LEAK, FAULT, DISK, END = b"A", b"T", b"I", b"L", b"X", b"D", b"E"
KINDS = frozenset((BEGIN, CALL, STATUS, FINDING, PROFILE, STEPS, ACCESS, TEAM))
KINDS |= {INSTRUCTIONS, LEAK, FAULT, DISK, END}


@dataclass(frozen=True)
class Evidence:
    """The frames of a run, in their order. damaged: after them came something that is no frame."""

    frames: list[tuple[bytes, bytes]] = field(default_factory=list)
    damaged: bool = False

    def of(self, kind: bytes) -> list[bytes]:
        """The texts of all frames of this kind."""
        return [text for k, text in self.frames if k == kind]

    def lines(self, kind: bytes) -> bytes:
        """The texts of this kind, one after the other; each ends its line."""
        return b"".join(self.of(kind))

    def last(self, kind: bytes) -> bytes:
        """The text of the last frame of this kind, or b"" where there is none."""
        return next((text for k, text in reversed(self.frames) if k == kind), b"")

    def after(self, kind: bytes, count: int) -> "Evidence":
        """Without the frames up to the last of the first `count` of this kind."""
        places = [place for place, (k, _) in enumerate(self.frames) if k == kind]
        first = places[min(count, len(places)) - 1] + 1 if count and places else 0
        return Evidence(self.frames[first:], self.damaged)

    def has_begun(self) -> bool:
        """Did the program start at all?"""
        return bool(self.frames) and self.frames[0][0] == BEGIN

    def is_complete(self) -> bool:
        """Did the runner come to its end, and is nothing missing or added?"""
        return self.has_begun() and self.frames[-1][0] == END and not self.damaged

    def our_fault(self, is_full: Callable[[], bool]) -> str | None:
        """Why the course's own code could not go on; None where it could, or where the student's
        code may be the reason. is_full: sees the grader itself that the run had no room to write?
        After the student's code was called, nothing else proves it."""
        if not self.has_begun():
            return None if self.damaged else "it did not start"
        if not self.of(CALL):
            return self._claims() or None
        return self._claims() if self.of(DISK) and is_full() else None

    def students_fault(self) -> str:
        """What the course's own code could not do after the student's code was called, or ""."""
        return self._claims() if self.of(CALL) else ""

    def claims_full_disk(self) -> bool:
        """Does it say that a file could not be written, after the student's code was called?"""
        return bool(self.of(CALL) and self.of(DISK))

    def _claims(self) -> str:
        """Why the course's own code could not go on, by what it says itself, or ""."""
        return _sentence(self.last(DISK) or self.last(FAULT))


class Recorder:
    """The file in memory that a run writes its evidence to."""

    def __init__(self) -> None:
        self.descriptor = os.memfd_create("evidence", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self._key = secrets.token_bytes(KEY)
        os.write(self.descriptor, self._key)
        # A program that begins must not look like one that did not.
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)

    def environment(self, gpu: bool = False) -> dict[str, str]:
        """The variables that tell a program of it. gpu: CUDA reads other variables later."""
        keeps = {"CONVLABS_KEEPS_ENVIRONMENT": "1"} if gpu else {}
        return {"CONVLABS_EVIDENCE": str(self.descriptor)} | keeps

    def read(self) -> Evidence:
        """What the program wrote; to be called when it has ended."""
        return parse(os.pread(self.descriptor, MEMORY + 1, KEY), self._key)


@contextlib.contextmanager
def recorder() -> Iterator[Recorder]:
    """A Recorder for one run. Raises OSError."""
    made = Recorder()
    try:
        yield made
    finally:
        os.close(made.descriptor)


def parse(raw: bytes, key: bytes) -> Evidence:
    """The frames in `raw`, up to the first that is cut off, out of order or not authentic."""
    frames: list[tuple[bytes, bytes]] = []
    at = 0
    while at < len(raw):
        if len(raw) - at < HEADER.size + CODE:
            return Evidence(frames, damaged=True)
        kind, number, length = HEADER.unpack_from(raw, at)
        end = at + HEADER.size + length
        code = hashlib.blake2s(raw[at:end], key=key, digest_size=CODE).digest()
        is_authentic = hmac.compare_digest(code, raw[end : end + CODE])
        if kind not in KINDS or number != len(frames) or not is_authentic:
            return Evidence(frames, damaged=True)
        frames.append((kind, raw[at + HEADER.size : end]))
        at = end + CODE
    return Evidence(frames)


def _sentence(text: bytes) -> str:
    return text.decode(errors="replace")
