"""What a grader reads back: results, notes of passes, progress, and what workers send.

The first byte chooses the reader.
"""

import contextlib
import io
from collections.abc import Iterator
from datetime import datetime
from unittest import mock

import msgspec

from grader import paths
from grader.classroom.bulk import protocol
from grader.classroom.bulk.database import StoreError
from grader.classroom.bulk.intake.collect import Files
from grader.classroom.bulk.store import Store
from grader.grading import pass_cache
from grader.grading.pass_cache import PassCache
from grader.model import course_key, result, spec
from grader.model.result import Check, GradedFile, Machine, Result
from grader.model.score import Score
from grader.session.plan import plan_for
from grader.student import progress
from grader.tests.fuzz import scratch

HOME = scratch.folder()
PLAN = plan_for(spec.load("lab1"), "cpu")
CHECK = Check("lab1/A/c", "c", "correct", "pass", 3, 3, "A", message=["m"])
RESULT = Result(
    "lab1",
    "t",
    "cpu",
    [GradedFile("a.c", "0")],
    [CHECK],
    Score(3, 3, 100),
    0,
    Machine("s", "p", 2, "gcc"),
    "1",
    False,
)
GRADE = progress.Grade(datetime(2026, 1, 2).astimezone(), "cpu", Score(3, 3, 100), 0, {"a.c": "0"})


def framed(message: object) -> bytes:
    pipe = io.BytesIO()
    protocol.send(pipe, message)  # type: ignore[arg-type]
    return pipe.getvalue()


def seeds() -> Iterator[bytes]:
    yield b"\0" + result.to_json(RESULT)
    yield b"\1" + msgspec.json.encode(pass_cache.Notes({"key": CHECK}, {"A": "0"}))
    yield b"\2" + progress._to_json(progress.Record(GRADE, GRADE))
    yield b"\3" + framed(protocol.Graded("k", "lab1", b"{}", "", b"<html>"))
    yield b"\3" + framed(
        protocol.Collected("ada", {"lab1": Files({"a.c": b"x"}), "lab3": Files(problem="empty")})
    )
    yield b"\3" + framed(protocol.Failed("full")) + b"\xff" * 8
    for reader in range(3):
        yield bytes([reader]) + b'{"a":' + b"[" * 3000
        yield bytes([reader]) + b'{"lab":"\xff"}'
    yield b"\3" + (4000).to_bytes(8, "big") + b"\x91" * 4000
    yield b"\3" + (9).to_bytes(8, "big") + b"\x82\xa4type\xa1\xff\xa0"
    yield b"\2" + progress._to_json(progress.Record(GRADE, GRADE)).replace(b"100", b"9" * 400)


def read_result(data: bytes) -> None:
    """A grade of the database (grader/classroom/bulk/store.py): the one that was saved, or none."""
    store = mock.Mock(spec=Store, folder=HOME)
    store._result.return_value = data
    store.others = mock.Mock()
    store.others.of.return_value = None  # no other machine measured anything
    try:
        saved = Store.result(store, "key")
    except StoreError:
        return
    if saved is not None:
        assert msgspec.json.decode(result.to_json(saved), type=Result) == saved


def read_passes(data: bytes) -> None:
    (HOME / pass_cache.NOTE).write_bytes(data)
    with mock.patch.object(course_key, "digest", lambda _: b""):
        cache = PassCache.of(HOME / "key" / "program", PLAN)
    assert all(isinstance(check, Check) for check in cache.notes.passes.values())


def read_progress(data: bytes) -> None:
    (HOME / "lab1.json").write_bytes(data)
    with mock.patch.object(paths, "PROGRESS", HOME):
        record = progress.read_progress("lab1")
        if record is None:
            return
        max(record.best, record.last, key=progress._worth)
        (HOME / "lab1.json").write_bytes(progress._to_json(record))
        again = progress.read_progress("lab1")
    assert again == record or "nan" in repr(record)


def read_answer(data: bytes) -> None:
    pipe = io.BytesIO(data)
    for receive in (protocol.receive_answer, protocol.receive_task):
        pipe.seek(0)
        with contextlib.suppress(msgspec.DecodeError):  # bulk/pool.py: the worker counts as dead
            receive(pipe)


READERS = (read_result, read_passes, read_progress, read_answer)


def check(data: bytes) -> None:
    READERS[data[0] % len(READERS) if data else 0](data[1:])
