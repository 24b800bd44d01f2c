"""From a folder of submissions to the files that are graded.

A submission is a folder, a zip or a tarball, one a student, whose name is the student's; or the
files of Canvas's flat download: name[_LATE]_USER_ATTACHMENT_FILE. Of each, the files named in
`submit` are taken wherever they lie in it, and nothing else is opened. Links are never followed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import msgspec

from grader.bulk.intake import student_names
from grader.files import MAX_FILE
from grader.model.spec import Lab
from grader.model.submission import harmless
from grader.sandbox import bubblewrap, launcher
from grader.sandbox.bubblewrap import View
from grader.sandbox.ending import early_end
from grader.sandbox.limits import Limits
from grader.sandbox.workspace import workspace

MOST_ARCHIVE = 64 << 20  # bytes
MOST_ENTRIES = 5_000  # of a student's folder that are looked at
DEEPEST = 12  # folders within it
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
OPENING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
UNPACK = Path(__file__).with_name("unpack.py")
UNPACK_LIMITS = Limits(seconds=20, output=80 << 20, memory=1 << 30, address_space=2 << 30)
CANVAS = re.compile(
    r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<user>\d+)_(?P<attachment>\d+)_(?P<file>.+)", re.DOTALL
)
AGAIN = re.compile(r"-\d+(?=\.[^.]*$)")  # Canvas's mark of a file that was handed in again


@dataclass
class Entry:
    """One student's submission, not opened yet. `places`: the folder, or the files, by the name
    that each has in the submission."""

    student: str
    places: dict[str, Path] = field(default_factory=dict)
    problem: str = ""  # why it is not even looked into
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Candidate:
    """A file of a wanted name: its path in the submission, and its content or why not."""

    path: str
    content: bytes = b""
    problem: str = ""


@dataclass(frozen=True)
class Files:
    """What is graded as one lab. `problem`: why nothing of it is; none and no contents: missing."""

    contents: dict[str, bytes] = field(default_factory=dict)
    problem: str = ""


class Listed(msgspec.Struct):
    path: str
    size: int
    problem: str


class Unpacked(msgspec.Struct):
    """What unpack.py prints first."""

    refused: str
    files: list[Listed]


def discover(folder: Path) -> list[Entry]:
    """Every submission in a folder, by student. Raises OSError when it cannot be read."""
    with os.scandir(folder) as scan:
        found = sorted(
            (e for e in scan if not e.name.startswith(".") and e.name != "__MACOSX"),
            key=lambda e: os.fsencode(e.name),
        )
    entries: dict[str, Entry] = {}
    plain = [e for e in found if e.is_file(follow_symlinks=False)]
    if plain and len(plain) == len(found) and all(CANVAS.fullmatch(e.name) for e in plain):
        _canvas(plain, entries)
    else:
        for e in found:
            _one(e, entries)
    return [entries[student] for student in sorted(entries)]


def _one(found: os.DirEntry[str], entries: dict[str, Entry]) -> None:
    name = found.name
    if not found.is_dir(follow_symlinks=False):
        suffix = next((s for s in reversed(ARCHIVES) if name.lower().endswith(s)), "")
        name = name[: len(name) - len(suffix)] or name
    student = student_names.student(name)
    if student in entries:
        entries[student].problem = "there are two submissions of this name"
        return
    entry = entries[student] = Entry(student, {"": Path(found.path)})
    if found.is_symlink():
        entry.problem = "the submission is a link"
    elif not found.is_dir(follow_symlinks=False) and not found.is_file(follow_symlinks=False):
        entry.problem = "the submission is neither a folder nor a file"


def _canvas(found: list[os.DirEntry[str]], entries: dict[str, Entry]) -> None:
    """Of a file that was handed in more than once the last counts: its number is the highest."""
    last: dict[tuple[str, str], int] = {}
    for e in found:
        match = CANVAS.fullmatch(e.name)
        assert match is not None
        student = student_names.student(f"{match['name']}_{match['user']}")
        entry = entries.setdefault(student, Entry(student))
        if match["late"] and "late" not in entry.notes:
            entry.notes.append("late")
        file = AGAIN.sub("", match["file"])
        if int(match["attachment"]) >= last.get((student, file), 0):
            last[student, file] = int(match["attachment"])
            entry.places[file] = Path(e.path)


def digest(entry: Entry, wanted: set[str]) -> str:
    """What a submission is now: the hash of every byte that could be looked at."""
    mixed = hashlib.sha256(repr((entry.student, entry.problem, entry.notes)).encode())
    for name, place in entry.places.items() if not entry.problem else ():
        mixed.update(os.fsencode(name) + b"\0")
        if place.is_dir():
            for path, problem, fd in _walk(place):
                base = PurePosixPath(path).name
                if base in wanted or base.lower().endswith(ARCHIVES):
                    mixed.update(os.fsencode(f"{path}\0{problem}\0") + _hash(fd))
        else:
            mixed.update(_hash_of(place))
    return mixed.hexdigest()


def collect(entry: Entry, labs: list[Lab]) -> dict[str, Files]:
    """The files of each lab. Raises OSError when the machine cannot."""
    if entry.problem:
        return {lab.id: Files(problem=entry.problem) for lab in labs}
    wanted = {name for lab in labs for name in lab.submit}
    candidates: list[Candidate] = []
    for name, place in entry.places.items():
        if place.is_dir():
            found, refused = _in_folder(place, wanted)
        elif name in wanted:
            found, refused = [_whole(place, name)], ""
        else:
            found, refused = _in_archive(place, wanted)
        if refused and len(entry.places) == 1:
            return {lab.id: Files(problem=refused) for lab in labs}
        candidates += found
    return {lab.id: choose(lab, candidates) for lab in labs}


def choose(lab: Lab, candidates: list[Candidate]) -> Files:
    """Of several files of a name: those in a folder of the lab's name, then the least deep."""
    contents: dict[str, bytes] = {}
    for name in lab.submit:
        ranked = sorted(
            ((_rank(lab, c.path), c) for c in candidates if PurePosixPath(c.path).name == name),
            key=lambda pair: (pair[0], pair[1].path),
        )
        best = [c for rank, c in ranked if rank == ranked[0][0]]
        if not best:
            continue
        if problem := next((c.problem for c in best if c.problem), ""):
            return Files(problem=f"{harmless(best[0].path)} {problem}")
        if len({c.content for c in best}) > 1:
            both = " and ".join(harmless(c.path) for c in best[:2])
            return Files(problem=f"there are two files {name} that differ: {both}")
        contents[name] = best[0].content
    return Files(contents)


def _rank(lab: Lab, path: str) -> tuple[bool, int]:
    parts = PurePosixPath(path).parts
    parent = parts[-2] if len(parts) > 1 else ""
    return not (parent == lab.id or parent.startswith(f"{lab.id}_")), len(parts)


def _in_folder(folder: Path, wanted: set[str]) -> tuple[list[Candidate], str]:
    """Files of the wanted names, and those in archives that lie in the folder itself."""
    found: list[Candidate] = []
    refused = ""
    for path, problem, fd in _walk(folder):
        name = PurePosixPath(path).name
        if name in wanted:
            found.append(_read(fd, path) if fd is not None else Candidate(path, problem=problem))
        elif "/" not in path and name.lower().endswith(ARCHIVES) and fd is not None:
            inside, why = _in_archive(folder / name, wanted)
            found += [Candidate(f"{path}/{c.path}", c.content, c.problem) for c in inside]
            refused = refused or why
    return found, "" if found else refused


def _walk(folder: Path) -> Iterator[tuple[str, str, int | None]]:
    """Every file below a folder, as its path and an open descriptor; or None and why not."""
    seen = 0
    for here, folders, files, descriptor in os.fwalk(folder, follow_symlinks=False):
        below = os.path.relpath(here, folder)
        depth = 0 if below == "." else below.count("/") + 1
        folders[:] = sorted(f for f in folders if not f.startswith(".") and depth < DEEPEST)
        for name in sorted([*files, *(f for f in folders if _is_link(f, descriptor))]):
            seen += 1
            if seen > MOST_ENTRIES:
                return
            path = name if below == "." else f"{below}/{name}"
            yield from _opened(path, name, descriptor)
        for name in folders:  # a folder in place of a file is worth a word
            path = name if below == "." else f"{below}/{name}"
            yield path, "is a folder", None


def _is_link(name: str, folder: int) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _opened(path: str, name: str, folder: int) -> Iterator[tuple[str, str, int | None]]:
    try:
        fd = os.open(name, OPENING, dir_fd=folder)
    except OSError:
        yield path, "is a link" if _is_link(name, folder) else "cannot be read", None
        return
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            yield path, "", fd
        else:
            yield path, "is not a file", None
    finally:
        os.close(fd)


def _read(fd: int, path: str) -> Candidate:
    with os.fdopen(os.dup(fd), "rb") as file:
        content = file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        return Candidate(path, problem=f"has more than {MAX_FILE >> 20} MB")
    return Candidate(path, content)


def _whole(place: Path, name: str) -> Candidate:
    """A file that was handed in by itself."""
    try:
        fd = os.open(place, OPENING)
    except OSError:
        return Candidate(name, problem="cannot be read")
    try:
        return _read(fd, name)
    finally:
        os.close(fd)


def _hash(fd: int | None) -> bytes:
    if fd is None:
        return b""
    with os.fdopen(os.dup(fd), "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _hash_of(place: Path) -> bytes:
    """Of an archive that is too large, its size will do: it is not opened."""
    try:
        if (size := place.stat(follow_symlinks=False).st_size) > MOST_ARCHIVE:
            return str(size).encode()
        fd = os.open(place, OPENING)
    except OSError as problem:
        return str(problem.errno).encode()
    try:
        return _hash(fd)
    finally:
        os.close(fd)


def _in_archive(place: Path, wanted: set[str]) -> tuple[list[Candidate], str]:
    """What unpack.py found, behind walls. Raises OSError when the machine cannot."""
    try:
        size = place.stat(follow_symlinks=False).st_size
    except OSError as problem:
        return [], f"the submission cannot be read ({problem.strerror})"
    if size > MOST_ARCHIVE:
        return [], f"the archive has {size >> 20} MB; the limit is {MOST_ARCHIVE >> 20}"
    with workspace() as work:  # a copy, because the user inside is another one
        copy = work / "archive"
        with open(os.open(place, OPENING), "rb") as theirs, copy.open("wb") as ours:
            shutil.copyfileobj(theirs, ours)
        copy.chmod(0o644)
        argv = [sys.executable, "-I", "-S", str(UNPACK), str(copy), *sorted(wanted)]
        view = View((copy, UNPACK, *bubblewrap.interpreter()))
        done = launcher.launch(argv, UNPACK_LIMITS, work, view=view)
    if early_end(done):
        return [], "the archive takes more time or memory to unpack than any honest one"
    if done.status != 0:
        raise OSError(errno.EIO, f"unpacking failed: {done.last_error_line()}")
    return _unpacked(done.stdout)


def _unpacked(said: bytes) -> tuple[list[Candidate], str]:
    head, _, rest = said.partition(b"\n")
    unpacked = msgspec.json.decode(head, type=Unpacked)
    if unpacked.refused:
        return [], f"the archive {unpacked.refused}"
    found = []
    for file in unpacked.files:
        found.append(Candidate(file.path, rest[: file.size], file.problem))
        rest = rest[file.size :]
    return found, ""
