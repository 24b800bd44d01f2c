"""What the coordinator and its workers send each other: frames of msgpack through a pipe.

A frame is the length of the message, 8 bytes big-endian, and then the message.
"""

import struct
from typing import IO, TypeVar

import msgspec

from grader.classroom.bulk.intake.collect import Files
from grader.execute.backend import Backend
from grader.model.prediction import PredictedSpeed

T = TypeVar("T")

MOST = 1 << 30  # bytes of a frame


class Collect(msgspec.Struct, tag=True, frozen=True):
    """A task: read from a submission the files of these labs."""

    student: str
    paths: dict[str, bytes]  # of an intake.entry.Entry, as the file system has them
    problem: str
    labs: list[str]
    takes: tuple[tuple[str, str, str], ...] = ()  # of the Entry
    archive: bytes = b""  # the zip of the class, likewise; b"": the paths are on the disk


class Grade(msgspec.Struct, tag=True, frozen=True):
    """A task: grade these files as one lab."""

    key: str
    lab: str
    backend: Backend
    files: dict[str, bytes]
    timed: bool
    seconds: float | None  # time limit of a case; None: the lab's own
    pages: bool  # whether to render report.html
    hidden_seed: int | None  # the course's own; None: the repository's
    prediction: PredictedSpeed = "shown"
    pattern: str | None = None  # of the checks to grade; None: all


class Collected(msgspec.Struct, tag=True, frozen=True):
    """The answer to Collect: what was found of each lab."""

    student: str
    labs: dict[str, Files]


class Graded(msgspec.Struct, tag=True, frozen=True):
    """The answer to Grade. `fault`: what the grader or the machine could not do, or "". `page`:
    report.html, if it was asked for; the worker renders it because it has the evidence."""

    key: str
    lab: str
    result: bytes
    fault: str
    page: bytes = b""


class Failed(msgspec.Struct, tag=True, frozen=True):
    """The answer to either task when the grader or the machine could not do it at all."""

    reason: str


Task = Collect | Grade
Answer = Collected | Graded | Failed
_tasks = msgspec.msgpack.Decoder(Task)
_answers = msgspec.msgpack.Decoder(Answer)


def send(pipe: IO[bytes], message: Task | Answer) -> None:
    data = msgspec.msgpack.encode(message)
    pipe.write(struct.pack("!Q", len(data)) + data)
    pipe.flush()


def receive_task(pipe: IO[bytes]) -> Task | None:
    """The next task; None when the coordinator has closed the pipe. Raises msgspec.DecodeError."""
    data = _frame(pipe)
    return None if data is None else _decoded(_tasks, data)


def receive_answer(pipe: IO[bytes]) -> Answer | None:
    """The next answer; None when the worker has died. Raises msgspec.DecodeError."""
    data = _frame(pipe)
    return None if data is None else _decoded(_answers, data)


def _decoded(decoder: msgspec.msgpack.Decoder[T], data: bytes) -> T:
    try:
        return decoder.decode(data)
    except (UnicodeDecodeError, RecursionError) as problem:
        raise msgspec.DecodeError(str(problem)) from problem


def _frame(pipe: IO[bytes]) -> bytes | None:
    """The next message; None when the pipe ends, even in the middle of one."""
    head = pipe.read(8)
    if len(head) < 8:
        return None
    (size,) = struct.unpack("!Q", head)
    data = pipe.read(size) if size <= MOST else b""
    return data if len(data) == size else None
