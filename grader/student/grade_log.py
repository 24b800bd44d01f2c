"""The story of a lab: a record of each grade of the student's own file, and of each call of a tool
by an assistant, chained by hashes.

Each record holds the hash of the one before it, and a second file holds the number of records and
the last hash: so a record that was edited, moved or removed shows. What it cannot show: on the
student's own machine all of it can be made again, and times are those of that machine's clock.
"""

from __future__ import annotations

import difflib
import fcntl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import Literal

import msgspec

from grader import files, paths
from grader.execute import records
from grader.model import plain_text
from grader.model.grade_record import Call, Change, Entry, Head, Record
from grader.model.result import Result
from grader.model.submission import Submission, digests

MOST_BYTES = 16 << 20
MOST_HANDED_IN = 1 << 20  # bulk reads no larger file
MOST_CALLS = MOST_HANDED_IN // 2  # bytes of a log that still takes calls: grades have the rest
MOST_WHY = 300  # characters
MOST_COUNTERS = 40
MOST_COMPARED = 1000  # lines: to compare equal ones takes the square of their number
BEGINNING = "0" * 64


class Log(msgspec.Struct, frozen=True):
    """The entries and calls that can be read, and what is wrong with the chain, in words."""

    entries: list[Entry]
    problems: list[str]
    calls: list[Call] = []


class FullError(Exception):
    """A log has no room for further calls."""


def append(
    submission: Submission, graded: Result, why: str = "", by: Literal["", "assistant"] = ""
) -> str | None:
    """Adds a record of a grade. Returns why it could not, in words; that costs no points."""
    lab = graded.lab
    try:
        with _locked():
            head = _head(lab)
            texts = {name: submission.text(name) for name in submission.contents}
            change, hashes = _change(lab, texts), digests(submission.contents)
            _add(lab, msgspec.structs.replace(_entry(graded, head, why, change, hashes), by=by))
            files.replace(_file(f"{lab}.last"), msgspec.json.encode(texts), sync=False)
    except OSError as problem:
        log = _file(f"{lab}.log").relative_to(paths.ROOT)
        return f"{log} cannot be written: {problem.strerror}"
    return None


def append_call(lab: str, tool: str, about: Callable[[Log], str]) -> str:
    """Adds a record of a call. about: what the call is for, decided by the log as it was before.
    Returns that. Raises OSError and FullError: what is not recorded must not be answered."""
    with _locked():
        log_file, head = _file(f"{lab}.log"), _head(lab)
        if log_file.exists() and log_file.stat().st_size > MOST_CALLS:
            raise FullError
        said = about(read(lab))
        _add(lab, Call(head.count + 1, _now(), head.hash, lab, tool, said))
    return said


@contextmanager
def _locked() -> Iterator[None]:
    """Keeps others from the logs. Raises OSError."""
    paths.PROGRESS.mkdir(parents=True, exist_ok=True)
    with _file(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _head(lab: str) -> Head:
    return records.readable(_bytes(f"{lab}.log.head"), Head) or Head(0, BEGINNING)


def _add(lab: str, record: Record) -> None:
    """Adds a record whose number and previous hash are right. Raises OSError."""
    record = msgspec.structs.replace(record, hash=record.own_hash())
    with _file(f"{lab}.log").open("ab") as stream:
        stream.write(msgspec.json.encode(record) + b"\n")
    head = msgspec.json.encode(Head(record.number, record.hash)) + b"\n"
    files.replace(_file(f"{lab}.log.head"), head, sync=False)


def _file(name: str) -> Path:
    return paths.PROGRESS / name


def read(lab: str) -> Log:
    """The log of a lab, checked."""
    try:
        raw = files.read_regular(paths.PROGRESS / f"{lab}.log", MOST_BYTES)
    except OSError as problem:
        if (paths.PROGRESS / f"{lab}.log").exists():
            return Log([], [f"the log {problem.strerror}"])
        raw = b""
    return checked(lab, raw, _bytes(f"{lab}.log.head"))


def checked(lab: str, raw: bytes, head: bytes) -> Log:
    """The records of a lab's log and its head, as files have them, and what does not fit."""
    entries: list[Entry] = []
    calls: list[Call] = []
    problems: list[str] = []
    previous, number = BEGINNING, 0
    for place, line in enumerate(raw.splitlines(), 1):
        record = records.readable(line, Entry) or records.readable(line, Call)
        if record is None:
            problems.append(f"line {place} is not a record of a grade or a call")
            continue
        if record.own_hash() != record.hash:
            problems.append(f"record {record.number} was changed")
        if record.previous != previous or record.number != number + 1:
            problems.append(f"record {record.number} does not follow record {number}")
        previous, number = record.hash, record.number
        if record.lab != lab:
            problems.append(f"record {record.number} is of {record.lab}")
        if isinstance(record, Entry):
            entries.append(record)
        else:
            calls.append(record)
    end = records.readable(head, Head)
    if end is None:
        if entries or calls or head:
            problems.append("the end marker of the log is missing")
    elif (end.count, end.hash) != (number, previous):
        problems.append(f"the log ends with record {number}, but {end.count} were made")
    if raw and not raw.endswith(b"\n"):
        problems.append("the last line is cut off")
    return Log(entries, problems, calls)


def has_grade_of(log: Log, handed_in: Mapping[str, str]) -> bool:
    """Does a record grade these files? Given are their hashes by name; the lab may have others."""
    return any(entry.files.items() >= handed_in.items() for entry in log.entries)


def names(lab: str) -> tuple[str, str]:
    """The files of a log: the records, and what they must end with."""
    return f"{lab}.log", f"{lab}.log.head"


def packed(lab: str) -> dict[str, bytes]:
    """The files of a log to hand in, by name; {} where there is none."""
    found = {name: _bytes(name) for name in names(lab)}
    return found if all(found.values()) else {}


def kept(entries: list[Entry], at: int) -> str:
    """What became of the change of an entry: "undone" where a later grade has the files of before
    again, else "kept"."""
    if entries[at].change.first or not (entries[at].change.added or entries[at].change.removed):
        return ""
    before = entries[at - 1].files if at else {}
    return "undone" if any(e.files == before for e in entries[at + 1 :]) else "kept"


def _entry(graded: Result, head: Head, why: str, change: Change, hashes: dict[str, str]) -> Entry:
    judged = [c for c in graded.checks if c.verdict != "skip"]
    counted = [(c.title(), c.details.get("value")) for c in graded.checks if c.kind == "technique"]
    counters = {name: float(value) for name, value in counted if isinstance(value, int | float)}
    return Entry(
        number=head.count + 1,
        when=_now(),
        previous=head.hash,
        lab=graded.lab,
        selected=graded.selected or "",
        files=hashes,
        change=change,
        passed=sum(c.verdict == "pass" for c in judged),
        checks=len(judged),
        earned=float(graded.score.earned),
        measured=float(graded.score.measured),
        failed=[c.title() for c in judged if c.verdict == "fail"][:5],
        counters=dict(list(counters.items())[:MOST_COUNTERS]),
        predicted={p.check: float(p.time.us) for p in graded.predictions if p.time},
        why=plain_text.line(why, MOST_WHY),
    )


def _now() -> str:
    return datetime.now(UTC).replace(microsecond=0).isoformat()


def _change(lab: str, texts: dict[str, str]) -> Change:
    if (before := records.readable(_bytes(f"{lab}.last"), dict[str, str])) is None:
        return Change(first=True)
    added = removed = 0
    for name, text in texts.items():
        old, new = _differing(before.get(name, "").splitlines(), text.splitlines())
        equal = 0
        if max(len(old), len(new)) <= MOST_COMPARED:
            matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
            equal = sum(block.size for block in matcher.get_matching_blocks())
        added, removed = added + len(new) - equal, removed + len(old) - equal
    return Change(added, removed)


def _differing(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """The lines without those that both begin or end with."""
    for _ in range(2):  # the second time from the end
        pairs = zip(old, new, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        old, new = old[same:][::-1], new[same:][::-1]
    return old, new


def _bytes(name: str) -> bytes:
    """A file beside the records of grades; b"" where it cannot be read."""
    try:
        return files.read_regular(paths.PROGRESS / name, MOST_BYTES)
    except OSError:
        return b""
