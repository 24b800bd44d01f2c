"""Takes each copy that students hand in during an exam, and sees whether a log was rewritten.

A student's files lie on the student's machine, so a log can be made again there. What cannot be
undone is that its last hash was seen here: a later copy must contain it.
"""

from __future__ import annotations

import io
import os
import pwd
import time
import zipfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from grader import files
from grader.execute import records
from grader.model import plain_text
from grader.model.grade_record import Entry
from grader.student import exam, grade_log
from grader.student.exam import DROP, FILE, Exam

SEEN, COLLECTED = "proctor.json", "collected"
MOST_ZIP = 8 << 20  # bytes
MOST_MEMBERS = 20


class Seen(msgspec.Struct):
    """What is known of one student's copies. at: when the last one arrived, in seconds since 1970.
    changed: of the file, which says whether there is a new one. head: the last hash of its log.
    log: what is wrong with the log now, which may be half written; notes: what was ever wrong.
    """

    student: str
    file: str
    at: float = 0.0
    changed: tuple[int, int] = (0, 0)
    grades: int = 0
    points: str = ""
    head: str = ""
    log: list[str] = []
    notes: list[str] = []

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


class DamagedError(Exception):
    """A copy that is no zip of an exam; in words."""


def open_exam(folder: Path, its: Exam) -> Exam:
    """Makes the folder of an exam; where it has one of this lab and end already, goes on with it.
    Raises OSError and ExamError."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / FILE).exists():
        known = exam.read(folder)
        if (known.lab, known.starts, known.ends) != (its.lab, its.starts, its.ends):
            raise exam.ExamError(
                f"{folder} has another exam, {known.lab} until {known.until()}: name a new folder"
            )
        its = known
    folder.chmod(0o755)
    drop = folder / DROP
    drop.mkdir(exist_ok=True)
    drop.chmod(0o1733)  # all may add a file, nobody else may list or remove them
    (folder / COLLECTED).mkdir(exist_ok=True, mode=0o700)
    files.replace(folder / FILE, its.document())
    (folder / FILE).chmod(0o644)
    return its


def known(folder: Path) -> dict[str, Seen]:
    """What was seen so far, by the name of the file; it survives a proctor that is stopped."""
    with suppress(OSError):
        seen = records.readable((folder / SEEN).read_bytes(), list[Seen])
        return {each.file: each for each in seen or []}
    return {}


def look(folder: Path, its: Exam, seen: dict[str, Seen]) -> bool:
    """Takes every copy that is new. Returns whether there was one. Raises OSError where the
    instructor's own files cannot be written."""
    new = False
    for path in sorted((folder / DROP).glob("*.zip")):
        with suppress(OSError):  # it is being replaced: the next look
            info = path.lstat()
            changed = (info.st_mtime_ns, info.st_size)
            each = seen.get(path.name) or Seen(path.name.rpartition("-")[0], path.name)
            if each.changed == changed:
                continue
            data = _content(path, each)
            seen[path.name] = each
            each.changed, each.at, new = changed, time.time(), True
            _owned_by(each, info.st_uid)
            if data is not None and _fits(its, each, data):
                files.replace(folder / COLLECTED / f"{each.student}.zip", data)
    if new:
        _share(seen)
        files.replace(folder / SEEN, msgspec.json.encode(list(seen.values())))
        (folder / SEEN).chmod(0o600)
    return new


def _content(path: Path, each: Seen) -> bytes | None:
    try:
        return files.read_regular(path, MOST_ZIP)
    except OSError as problem:
        each.note(f"a copy {problem.strerror}")
        return None


def _fits(its: Exam, each: Seen, data: bytes) -> bool:
    """Is it a copy to keep? Notes what is wrong with its log, which it keeps none the less."""
    try:
        members = _members(data)
    except DamagedError as problem:
        each.note(f"a copy that is {problem} was not taken")
        return False
    raw, head = (members.get(name, b"") for name in grade_log.names(its.lab))
    log = grade_log.checked(its.lab, raw, head)
    each.log = log.problems
    _follow(its, each, log.entries)
    return True


def _follow(its: Exam, each: Seen, entries: list[Entry]) -> None:
    """Does the log go on from what was seen of it before?"""
    hashes = [entry.hash for entry in entries]
    if each.head and each.head not in hashes:
        each.note(f"log: rewritten after {each.grades} grades had been seen")
    during = [e for e in entries if its.starts <= _when(e)]
    each.grades, each.head = len(during), hashes[-1] if hashes else ""
    each.points = f"{during[-1].earned:g}/{during[-1].measured:g}" if during else ""


def _when(entry: Entry) -> float:
    try:
        return datetime.fromisoformat(entry.when).timestamp()
    except ValueError:
        return 0.0


def _members(data: bytes) -> dict[str, bytes]:
    """The files of a copy. Raises DamagedError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            total = sum(info.file_size for info in infos)
            if len(infos) > MOST_MEMBERS or total > MOST_ZIP:
                raise DamagedError("too large")
            if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
                raise DamagedError("no copy of ./grade exam")
            return {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, ValueError, RuntimeError, NotImplementedError, EOFError, OSError):
        raise DamagedError("damaged") from None


def _owned_by(each: Seen, uid: int) -> None:
    """Whose file is it? A name can be typed; the owner of a file cannot."""
    with suppress(KeyError):
        owner = pwd.getpwuid(uid).pw_name
        if owner != each.student and uid != os.getuid():
            each.note(f"written by {plain_text.name(owner)}")


def _share(seen: dict[str, Seen]) -> None:
    """Two machines of one student: the copy that arrived last is the one that is kept."""
    by_student: dict[str, list[Seen]] = {}
    for each in seen.values():
        by_student.setdefault(each.student, []).append(each)
    for several in by_student.values():
        for each in several if len(several) > 1 else []:
            each.note(f"handed in from {len(several)} copies of the course: the last one counts")
