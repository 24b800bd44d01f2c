"""What the coordinator and its workers say to each other: frames of msgpack over a pipe."""

from __future__ import annotations

import struct
from typing import IO

import msgspec

MOST = 1 << 30


class Unpack(msgspec.Struct, tag=True, frozen=True):
    """Look into a submission: its files of every lab are wanted."""

    student: str
    places: dict[str, bytes]  # paths, as the file system has them
    problem: str
    labs: list[str]


class Grade(msgspec.Struct, tag=True, frozen=True):
    """Grade these files as one lab."""

    key: str
    lab: str
    backend: str
    files: dict[str, bytes]
    timed: bool
    seconds: float | None  # in place of the lab's own limit of a case
    pages: bool  # report.html is wanted


class Found(msgspec.Struct, tag=True, frozen=True):
    """By lab: the files, or why there are none."""

    student: str
    files: dict[str, dict[str, bytes]]
    problems: dict[str, str]


class Graded(msgspec.Struct, tag=True, frozen=True):
    """A finished grade; `fault` says what was ours to do and went wrong. `page`: report.html, which
    is made where the grade was, or nothing."""

    key: str
    lab: str
    result: bytes
    fault: str
    page: bytes = b""


class Failed(msgspec.Struct, tag=True, frozen=True):
    """The task could not be done, by our fault."""

    reason: str


Task = Unpack | Grade
Answer = Found | Graded | Failed
_tasks = msgspec.msgpack.Decoder(Task)
_answers = msgspec.msgpack.Decoder(Answer)


def send(pipe: IO[bytes], message: Task | Answer) -> None:
    data = msgspec.msgpack.encode(message)
    pipe.write(struct.pack("!Q", len(data)) + data)
    pipe.flush()


def _frame(pipe: IO[bytes]) -> bytes | None:
    """The next frame; None at the end of the pipe, also in the midst of one."""
    head = pipe.read(8)
    if len(head) < 8:
        return None
    (size,) = struct.unpack("!Q", head)
    data = pipe.read(size) if size <= MOST else b""
    return data if len(data) == size else None


def task(pipe: IO[bytes]) -> Task | None:
    data = _frame(pipe)
    return None if data is None else _tasks.decode(data)


def answer(pipe: IO[bytes]) -> Answer | None:
    data = _frame(pipe)
    return None if data is None else _answers.decode(data)
