"""An exam on the student's side: what its folder says, and the copies of the files that are handed
in while it runs. The standard library alone.

The folder that ./grade proctor makes holds exam.json, which all can read, and handed-in/, into
which all can write and which only the instructor can list. A copy is a zip with the lab's files and
the log of its grades, so whatever stops the student's machine loses a second of work at most.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

from grader import files, paths

FILE, DROP = "exam.json", "handed-in"
EVERY = 0.5  # seconds between two looks at the files
SAME = 2.0  # seconds by which two clocks may differ
MOST_LOG = 1 << 20  # bytes, of each file of the log


class ExamError(Exception):
    """The folder holds no exam; in words."""


@dataclass(frozen=True)
class Exam:
    """number: what no other exam has. starts, ends: in seconds since 1970."""

    number: str
    lab: str
    starts: float
    ends: float

    def until(self) -> str:
        """When it ends, on this machine's clock."""
        return f"{datetime.fromtimestamp(self.ends):%H:%M:%S}"

    def document(self) -> bytes:
        """exam.json."""
        return json.dumps(asdict(self)).encode() + b"\n"


def read(folder: Path) -> Exam:
    """The exam of a folder. Raises ExamError."""
    try:
        exam = _parsed(files.read_regular(folder / FILE, 10_000))
    except OSError as problem:
        raise ExamError(f"{folder / FILE} {problem.strerror}") from None
    if exam is None:
        raise ExamError(f"{folder / FILE} is damaged; tell the instructor")
    return exam


def _parsed(data: bytes) -> Exam | None:
    try:
        table = json.loads(data)
        number, lab = str(table["number"]), str(table["lab"])
        return Exam(number, lab, float(table["starts"]), float(table["ends"]))
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None


def running() -> Exam | None:
    """The exam that this copy of the course is in: there are no hints while it runs."""
    with suppress(OSError):
        exam = _parsed(files.read_regular(_marker(), 10_000))
        return exam if exam and time.time() < exam.ends else None
    return None


def by_own_clock(exam: Exam, folder: Path) -> Exam:
    """The exam in the times of this machine's clock, which may be wrong: the clock of the disk that
    holds the folder is the same for all."""
    ahead = ahead_of_own_clock(folder / DROP)
    return replace(exam, starts=exam.starts - ahead, ends=exam.ends - ahead)


def ahead_of_own_clock(folder: Path) -> float:
    """Seconds that the disk's clock is ahead of this machine's; 0 where nothing can be written."""
    probe = folder / f".clock-{secrets.token_hex(8)}"
    try:
        probe.touch()
        ahead = probe.stat().st_mtime - time.time()
        probe.unlink()
    except OSError:
        return 0.0
    return ahead if abs(ahead) > SAME else 0.0


def begin(exam: Exam) -> str:
    """Marks this copy as in the exam. Returns the name of its file in handed-in/: whoever comes
    back has the same one, and nobody else can guess it. Raises OSError."""
    file = _own(exam)
    paths.PROGRESS.mkdir(parents=True, exist_ok=True)
    try:
        name = files.read_regular(file, 200).decode(errors="replace").strip()
    except OSError:
        user = re.sub(r"[^\w.-]", "_", getpass.getuser())[:40]
        name = f"{user}-{secrets.token_hex(8)}.zip"
        files.replace(file, f"{name}\n".encode())
    files.replace(_marker(), exam.document())
    return name


def is_begun(exam: Exam) -> bool:
    """Was begin() called for this exam before?"""
    return _own(exam).exists()


def hand_in(
    exam: Exam, target: Path, submit: Sequence[str], home: Path, say: Callable[[str], None]
) -> bytes:
    """Copies the files of the lab in `home`, and the log of its grades, to `target` whenever they
    change, until the exam ends. Returns the last copy; b"" where none could be made.

    say: gets a line where a copy fails, and where one succeeds again: the next look tries again.
    """
    last, failing = b"", ""
    while True:
        in_time = time.time() < exam.ends
        data = files.zipped(_contents(exam.lab, submit, home), stored=True)
        if in_time and data != last:
            try:
                files.replace(target, data, sync=False)
                os.chmod(target, 0o644)
            except OSError as problem:
                if failing != (failing := problem.strerror or "it failed"):
                    say(f"no copy could be handed in ({failing}); tell the proctor")
            else:
                if failing:
                    say("copies are handed in again")
                last, failing = data, ""
        if not in_time:
            return last
        time.sleep(max(min(EVERY, exam.ends - time.time()), 0))


def end() -> None:
    """This copy of the course is in no exam any more."""
    with suppress(OSError):
        _marker().unlink()


def _contents(lab: str, submit: Sequence[str], home: Path) -> dict[str, bytes]:
    """What there is to hand in. A file that an editor is writing comes with the next copy."""
    found: dict[str, bytes] = {}
    logs = [paths.PROGRESS / f"{lab}.{end}" for end in ("log", "log.head")]
    for path, limit in [
        *((home / name, files.MAX_FILE) for name in submit),
        *((p, MOST_LOG) for p in logs),
    ]:
        with suppress(OSError):
            found[path.name] = files.read_regular(path, limit)
    return found


def _own(exam: Exam) -> Path:
    """Holds the name of this copy's file in an exam."""
    return paths.PROGRESS / f"exam-{re.sub(r'[^0-9a-f]', '', exam.number)[:32]}"


def _marker() -> Path:
    return paths.PROGRESS / "exam.json"
