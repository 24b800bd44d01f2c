"""Files of a wrong name that the instructor accepts: [[take]] in course.toml."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from grader.classroom.bulk.intake.archive import Candidate
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.course.attempt import NOT_THERE
from grader.classroom.course.settings import Course, SettingsError, Take
from grader.model import plain_text
from grader.model.lab import Lab
from grader.student import starter_files

STARTER = "starter"  # as the `file` of a [[take]]: the unsolved file, for one never handed in
Named = tuple[str, str, str]  # the lab, the path or name in the submission, the name that it gets


def assign(course: Course, entries: Iterable[Entry], labs: list[Lab]) -> None:
    """Gives each submission what course.toml takes of it. Raises SettingsError."""
    by_id = {lab.id: lab for lab in labs}
    takes = [(take, _name(take, by_id[take.lab])) for take in course.take if take.lab in by_id]
    for entry in entries:
        names = {entry.student}
        for person in entry.people:
            names |= {person.name, *person.identifiers()}
        entry.takes = tuple((t.lab, t.file, name) for t, name in takes if t.student in names)


def _name(take: Take, lab: Lab) -> str:
    """The name under which the file is graded."""
    if take.wanted in lab.submit:
        return take.wanted
    if not take.wanted and len(lab.submit) == 1:
        return lab.submit[0]
    raise SettingsError(
        f'course.toml: the [[take]] of "{plain_text.line(take.file)}" needs as = '
        + " or ".join(f'"{name}"' for name in lab.submit)
    )


def names_of(takes: Iterable[Named]) -> set[str]:
    """The names of the files that are read for them. macOS writes "\u00fc" as two characters."""
    names = {PurePosixPath(file).name for _, file, _ in takes}
    return {unicodedata.normalize(form, name) for name in names for form in ("NFC", "NFD")}


def absent(lab: Lab, found: list[Candidate], takes: Iterable[Named]) -> Iterator[str]:
    """A note for each file of this lab that course.toml takes and the submission does not have."""
    for of_lab, file, _ in takes:
        if of_lab == lab.id and file != STARTER and not _of(file, found):
            yield f'{NOT_THERE}: "{plain_text.line(file)}"'


def _of(file: str, found: list[Candidate]) -> list[Candidate]:
    """The file at this path; else all of this name."""
    wanted, paths = _plain(file), {c.path: _plain(c.path) for c in found}
    at_path = [c for c in found if paths[c.path] == wanted]
    return at_path or [c for c in found if paths[c.path].name == str(wanted)]


def _plain(path: str) -> PurePosixPath:
    return PurePosixPath(unicodedata.normalize("NFC", path))


def notes(lab: Lab, found: list[Candidate], takes: Iterable[Named]) -> tuple[str, ...]:
    """What was taken as what; and each file that is not there."""
    there = [t for t in takes if t[0] == lab.id and (t[1] == STARTER or _of(t[1], found))]
    said = [f'"{plain_text.name(t[1])}" was taken as {t[2]}, as course.toml says' for t in there]
    return (*said, *absent(lab, found, takes))


def renamed(lab: Lab, found: list[Candidate], takes: Iterable[Named]) -> list[Candidate]:
    """The files with those of this lab under the names that they get, instead of any others."""
    for of_lab, file, wanted in takes:
        taken = _of(file, found) if of_lab == lab.id else []
        if of_lab == lab.id and file == STARTER:
            taken = [Candidate(file, starter_files.contents(lab)[wanted])]
        if taken:
            rest = [c for c in found if PurePosixPath(c.path).name != wanted]
            found = [*rest, replace(taken[0], path=f"{lab.id}/{wanted}", problem=_problem(taken))]
    return found


def _problem(taken: list[Candidate]) -> str:
    """Why the files of one [[take]] cannot be graded, or ""."""
    if len({c.content for c in taken}) > 1:
        both = " and ".join(plain_text.name(c.path) for c in taken[:2])
        return f"is not clear: [[take]] in course.toml fits {both}, which differ; give the path"
    return next((c.problem for c in taken if c.problem), "")
