"""Reads from a submission the files that are graded, wherever they lie in it, and opens no others.

Links are never followed. Where a file is missing, the names of the others are compared with its
name (near_names.py).
"""

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from grader.classroom.bulk.intake import archive, near_names, takes, walk
from grader.classroom.bulk.intake.archive import Candidate, Opened
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.unpack import (
    MOST_OTHERS,
    copied,
    is_of_macos,
    is_other,
    is_packed,
)
from grader.files import no_source
from grader.model import plain_text, variant
from grader.model.lab import Lab
from grader.model.submission import Submission
from grader.student import grade_log

OF_A_LAB = re.compile(r"lab\d+(_|$)")  # the name of a folder
MOST_WANTED = 64  # files of a submission in the zip of a class that are read


@dataclass(frozen=True)
class Files:
    """The files that are graded as one lab, by name; or the problem that keeps them from being
    graded. Neither: nothing was handed in, and `missing` says what."""

    contents: dict[str, bytes] = field(default_factory=dict)
    problem: str = ""
    missing: str = field(default="", compare=False)
    wrong_name: bool = field(default=False, compare=False)  # something was handed in instead
    notes: tuple[str, ...] = ()  # what its readers must know of them
    variant: bytes | None = field(default=None, compare=False)  # what variant.h says
    log: dict[str, bytes] = field(default_factory=dict, compare=False)  # of grades, by file


def submission(lab: Lab, contents: dict[str, bytes], home: Path) -> Submission:
    """Collected files as the pipeline takes them, to be built in `home`. Their folder is shown
    under the lab's name: what a grade says of the same files is the same for every student."""
    contents = {name: contents[name] for name in lab.submit if name in contents}
    problems = [f"{lab.folder}/{name} is missing" for name in lab.submit if name not in contents]
    problems += [f"{lab.folder}/{text}" for text in _unreadable(contents)]
    return Submission(lab, home, lab.folder, contents, problems, home)


def _unreadable(contents: dict[str, bytes]) -> list[str]:
    """Which of the files no compiler reads, and why."""
    what = {n: no_source(c) if c.strip() else "empty" for n, c in contents.items()}
    return [f"{name} is {words}" for name, words in what.items() if words]


def names_of(labs: Iterable[Lab]) -> set[str]:
    """The names of all files that are read."""
    labs = list(labs)
    beside = {variant.FILE for lab in labs if lab.varies}
    return beside | {name for lab in labs for name in (*lab.submit, *grade_log.names(lab.id))}


def digest(entry: Entry, names: set[str]) -> str:
    """The hash of every byte that collect() might read for files of these names."""
    names = names | takes.names_of(entry.takes)
    about = (entry.student, entry.problem, entry.notes, entry.people, entry.submitted, entry.takes)
    whole = hashlib.sha256(repr(about).encode(errors="surrogatepass"))
    if entry.archive is not None and entry.paths:
        return whole.hexdigest() + walk.hash_once(entry.archive, walk.state(entry.archive))
    for name, path in entry.paths.items() if not entry.problem else ():
        whole.update(os.fsencode(name) + b"\0")
        if path.is_dir():
            found = False
            rest: list[str] = []  # what is handed in instead counts where nothing is found
            for below, problem, fd in walk.walk(path):
                base = PurePosixPath(below).name
                if _is_wanted(base, names) or base.lower().endswith(archive.SUFFIXES):
                    whole.update(os.fsencode(f"{below}\0{problem}\0") + walk.hash_open(fd))
                    found = True
                elif is_other(base, names):
                    whole.update(os.fsencode(f"{below}\0"))
                elif fd is not None and len(rest) < MOST_OTHERS:
                    rest.append(below)
            whole.update(b"" if found else repr(rest).encode(errors="surrogatepass"))
        else:
            whole.update(walk.hash_of(path))
    return whole.hexdigest()


def collect(entry: Entry, labs: list[Lab]) -> dict[str, Files]:
    """The files of each lab. Raises OSError when the machine is at fault."""
    if entry.problem:
        return {lab.id: Files(problem=entry.problem) for lab in labs}
    if not entry.paths:
        return {
            lab.id: Files(
                missing="nothing was handed in", notes=tuple(takes.absent(lab, [], entry.takes))
            )
            for lab in labs
        }
    names = names_of(labs) | takes.names_of(entry.takes)
    opened = _of_class(entry, entry.archive, names) if entry.archive else _on_disk(entry, names)
    if opened.refused:
        return {lab.id: Files(problem=opened.refused) for lab in labs}
    of_labs = {}
    for lab in labs:
        mine = replace(opened, files=takes.renamed(lab, opened.files, entry.takes))
        files = _complete(lab, mine, alone=len(labs) == 1 or not opened.files)
        absent = tuple(takes.absent(lab, opened.files, entry.takes))
        if absent and not files.contents:  # the instructor has said that something was handed in
            files = replace(files, missing=f"{files.missing}; {absent[0]}", wrong_name=True)
        files = replace(files, notes=(*files.notes, *takes.notes(lab, opened.files, entry.takes)))
        of_labs[lab.id] = _with_texts(lab, files, opened.files)
    return of_labs


def _on_disk(entry: Entry, names: set[str]) -> Opened:
    files: list[Candidate] = []
    others: list[str] = []
    refused = ""
    for name, path in entry.paths.items():
        if path.is_dir():
            inside = _in_folder(path, names)
        elif _is_wanted(name, names):
            inside = Opened([walk.read_single(path, name)])
        elif _is_archive(name):
            inside = archive.candidates(path, names)
        else:
            inside = Opened(others=[name])
        files += inside.files
        others += inside.others
        if inside.refused and (_is_named_archive(name) or len(entry.paths) == 1):
            refused = refused or inside.refused
        elif inside.refused:
            others.append(name)
    return Opened(files, others, "" if files else refused)


def _is_archive(name: str) -> bool:
    """Whether a file may be an archive. A submission that is one file has no name."""
    return "." not in name or _is_named_archive(name)


def _is_named_archive(name: str) -> bool:
    """macOS puts "._work.zip", which is none, next to work.zip."""
    return name.lower().endswith(archive.SUFFIXES) and not name.startswith(".")


def _of_class(entry: Entry, whole: Path, names: set[str]) -> Opened:
    """As _on_disk(), for a submission inside the zip of the class."""
    wanted = {str(path): name for name, path in entry.paths.items() if _is_opened(name, names)}
    others = [name for name in entry.paths if not _is_opened(name, names)][:MOST_OTHERS]
    if not wanted:
        return Opened(others=others)
    if len(wanted) > MOST_WANTED:
        return Opened(refused=f"the submission has more than {MOST_WANTED} files to inspect")
    taken = archive.members(whole, list(wanted))
    files: list[Candidate] = []
    refused = taken.refused
    for member in taken.files:
        name = wanted[member.path]
        if _is_wanted(PurePosixPath(name).name, names):
            files.append(walk.limited(Candidate(name, member.content, member.problem)))
            continue
        if member.problem:
            refused = refused or f"the archive {member.problem}"
            continue
        inside = archive.nested(member.content, names)
        files += [
            Candidate(f"{name}/{c.path}".lstrip("/"), c.content, c.problem) for c in inside.files
        ]
        others += inside.others
        refused = refused or inside.refused
    return Opened(files, others, "" if files else refused)


def _is_opened(name: str, names: set[str]) -> bool:
    return ("/" not in name and _is_archive(name)) or _is_wanted(PurePosixPath(name).name, names)


def _is_wanted(name: str, names: set[str]) -> bool:
    return name in names or copied(name) in names


def _complete(lab: Lab, opened: Opened, alone: bool) -> Files:
    """The files of a lab, and what to say of those that are missing. A lab of which a part is
    missing, or that no compiler reads, is not graded: it would have 0 points. alone: nothing else
    is graded of the submission, so that whatever was handed in is meant for this lab."""
    files = choose(lab, opened.files)
    absent = [name for name in lab.submit if name not in files.contents]
    if problem := files.problem or (not absent and "; ".join(_unreadable(files.contents))):
        return replace(files, contents={}, problem=problem)
    if not absent:
        return files
    paths = [*(c.path for c in opened.files), *opened.others]
    said = [near_names.question(lab, name, paths) for name in absent]
    asked = [text for text in said if text.endswith("?")]
    if files.contents:
        problem = " ".join(asked) or f"{' and '.join(files.contents)} without {absent[0]}"
        return replace(files, contents={}, problem=problem, wrong_name=bool(asked))
    near = any(near_names.is_near(lab, name, paths) for name in absent)
    missing = " ".join(asked) or f"no {' or '.join(lab.submit)}"
    packed = [path for path in opened.others if is_packed(PurePosixPath(path).name)]
    if packed and not opened.files:
        missing += f'; "{plain_text.name(packed[0])}" is not opened: unpack it, or ask for a zip'
    elif any(is_of_macos(path) for path in opened.others):
        missing += '; what macOS keeps in "__MACOSX" and in files "._" is not read'
    elif alone and paths and not asked:
        missing += f"; handed in: {plain_text.few([plain_text.name(path) for path in paths], 2)}"
    wrong = bool(alone and paths) or bool(asked and near)
    return replace(files, missing=missing, wrong_name=wrong)


def _with_texts(lab: Lab, files: Files, candidates: list[Candidate]) -> Files:
    """Adds what variant.h and the log say, if the files of the lab are graded."""
    if not files.contents:
        return files
    if stated := _beside(lab, variant.FILE, candidates):
        files = replace(files, variant=stated[0].content)
    log = {name: f for name in grade_log.names(lab.id) for f in _beside(lab, name, candidates)[:1]}
    if said := tuple(f"{name} {found.problem}" for name, found in log.items() if found.problem):
        return replace(files, notes=(*files.notes, *said))  # half a log would look cut off
    return replace(files, log={name: found.content for name, found in log.items()})


def _beside(lab: Lab, name: str, candidates: list[Candidate]) -> list[Candidate]:
    """The files of a name: those in a folder named after the lab, else the least deep that are in
    no other lab's folder."""
    own = [c for c in candidates if copied(PurePosixPath(c.path).name) == name]
    ranks = {c.path: _rank(lab, c.path) for c in own}
    own = [c for c in own if not ranks[c.path][0] or not OF_A_LAB.match(_parent(c.path))]
    return [c for c in own if ranks[c.path] == min(ranks[each.path] for each in own)]


def choose(lab: Lab, candidates: list[Candidate]) -> Files:
    """Of several files of a name, one in a folder named after the lab wins, then the least deep.
    Where there is none of the name, a copy of it is taken, if there is no other copy."""
    contents: dict[str, bytes] = {}
    notes = []
    for name in lab.submit:
        exact = [c for c in candidates if PurePosixPath(c.path).name == name]
        copies = [c for c in candidates if near_names.is_copy(PurePosixPath(c.path).name, [name])]
        ranked = sorted(
            ((_rank(lab, c.path), c) for c in exact or copies),
            key=lambda pair: (pair[0], pair[1].path),
        )
        best = [c for rank, c in ranked if not exact or rank == ranked[0][0]]
        if not best:
            continue
        if problem := next((c.problem for c in best if c.problem), ""):
            return Files(problem=f"{plain_text.name(best[0].path)} {problem}")
        if len({c.content for c in best}) > 1:
            both = " and ".join(plain_text.name(c.path) for c in best[:2])
            return Files(problem=f"there are two files {name} that differ: {both}")
        contents[name] = best[0].content
        if not exact:
            copy = PurePosixPath(best[0].path).name
            notes.append(f'"{plain_text.name(copy)}" was accepted as {name}')
    return Files(contents, notes=tuple(notes))


def _rank(lab: Lab, path: str) -> tuple[bool, int]:
    parent = _parent(path)
    return not (parent == lab.id or parent.startswith(f"{lab.id}_")), len(PurePosixPath(path).parts)


def _parent(path: str) -> str:
    """The name of the folder that a file is in; "" at the top."""
    return PurePosixPath(path).parent.name


def _in_folder(folder: Path, names: set[str]) -> Opened:
    """The files of these names, also those in archives that lie directly in the folder."""
    files: list[Candidate] = []
    others: list[str] = []
    rest: list[str] = []
    refused = ""
    for path, problem, fd in walk.walk(folder):
        name = PurePosixPath(path).name
        if _is_wanted(name, names) and not is_of_macos(path):
            files.append(
                walk.read_candidate(fd, path)
                if fd is not None
                else Candidate(path, problem=problem)
            )
        elif "/" not in path and _is_named_archive(name) and fd is not None:
            inside = archive.candidates(folder / name, names)
            files += [Candidate(f"{path}/{c.path}", c.content, c.problem) for c in inside.files]
            others += [f"{path}/{other}" for other in inside.others]
            refused = refused or inside.refused
        elif fd is not None:
            beside = others if is_other(name, names) else rest
            beside += [path] if len(beside) < MOST_OTHERS else []
    return Opened(files, others or rest, "" if files else refused)
