"""Which files the students' archive holds: those that student.toml lists, byte for byte, and a
second copy of the starters, from which `./grade reset` restores them.

An archive of all labs changes no file, except where a course does not want the usual rules for
assistants (assistants.py). An archive of some of them has shorter tables (part.py).
"""

import re
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import msgspec

from grader import outside_labs, paths
from grader.model import course_version, outline
from grader.model.assistants import Assistants
from grader.release import assistants, links, part

LISTS = Path(__file__).with_name("student.toml")
SHOWN = LISTS.relative_to(paths.ROOT)  # as messages name it
_LAB_IN_PATH = re.compile(r"(?:^|/)(lab\d+)(?:[_./]|$)")


class ReleaseError(Exception):
    """Why there is no archive, in words that end with what to do."""


@dataclass(frozen=True)
class Lists:
    """student.toml."""

    inside: list[str]
    published: list[str]
    objects: bool = True  # whether students get the solutions as objects to time


@dataclass(frozen=True)
class Member:
    """A file of the archive."""

    path: str
    content: bytes
    executable: bool


def lists() -> Lists:
    """Reads student.toml. Raises ReleaseError."""
    try:
        return msgspec.toml.decode(LISTS.read_bytes(), type=Lists)
    except (OSError, ValueError, RecursionError) as problem:
        raise ReleaseError(f"{SHOWN}: {problem}; repair it, or take it from git") from problem


def matches(path: str, patterns: list[str]) -> bool:
    """Whether one of the patterns matches the path; student.toml says what a pattern is."""
    return any(_compiled(pattern).fullmatch(path) for pattern in patterns)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_regex(pattern))


def _regex(pattern: str) -> str:
    pieces = re.split(r"(\*\*|\*|\{[^{}]*\})", pattern)
    return "".join(_piece(piece) for piece in pieces)


def _piece(piece: str) -> str:
    if piece.startswith("{") and piece.endswith("}"):
        return f"(?:{'|'.join(_regex(choice) for choice in piece[1:-1].split(','))})"
    return {"**": ".*", "*": "[^/]*"}.get(piece, re.escape(piece))


def tracked(root: Path) -> list[str]:
    """The files that git tracks, and those of labs outside of the tree, sorted. Raises
    ReleaseError."""
    return sorted([*_listed(root), *_outside(root)])


def untracked(root: Path) -> list[str]:
    """The files that git neither tracks nor ignores. Raises ReleaseError."""
    others = _listed(root, "--others", "--exclude-standard")
    return [path for path in others if path not in _links(root)]


def _links(root: Path) -> list[str]:
    """Where labs outside of the tree are linked. Raises ReleaseError."""
    try:
        return outside_labs.links(root)
    except outside_labs.OutsideError as problem:
        raise ReleaseError(str(problem)) from problem


def _outside(root: Path) -> list[str]:
    """The files behind those links, by their paths through them."""
    found = []
    for link in _links(root):
        files = [root / link] if (root / link).is_file() else (root / link).rglob("*")
        found += [str(file.relative_to(root)) for file in files if file.is_file()]
    return found


def deleted(root: Path) -> list[str]:
    """The files that git tracks and that are no longer there. Raises ReleaseError."""
    return _listed(root, "--deleted")


def _listed(root: Path, *which: str) -> list[str]:
    return sorted(filter(None, git(root, "ls-files", "-z", *which).split("\0")))


def git(root: Path, *arguments: str) -> str:
    """The output of a git command. Raises ReleaseError."""
    try:
        # In a container, root may have a checkout that another user owns; git refuses to read it,
        # though its code is running already.
        safe = f"safe.directory={root}"
        done = subprocess.run(["git", "-c", safe, *arguments], cwd=root, capture_output=True)
    except OSError as problem:
        raise ReleaseError(f"git cannot be run: {problem.strerror}; install git") from problem
    if done.returncode != 0:
        stderr = done.stderr.decode(errors="replace").strip()
        raise ReleaseError(f"git {arguments[0]}: {stderr}; a release is made from a git checkout")
    return done.stdout.decode(errors="surrogateescape")


def changes(root: Path) -> list[str]:
    """The lines of `git status` for files that are not committed. Raises ReleaseError."""
    lines = git(root, "status", "--porcelain", "--untracked-files=all").splitlines()
    return [line for line in lines if line[3:] not in _links(root)]


def commit(root: Path) -> Member:
    """The file by which a copy without git knows its version. Raises ReleaseError."""
    text = git(root, "rev-parse", f"--short={course_version.DIGITS}", "HEAD").strip()
    text += "-dirty\n" if changes(root) else "\n"
    where = course_version.COMMIT.relative_to(paths.ROOT)
    return Member(str(where), text.encode(), executable=False)


def all_labs(root: Path) -> list[str]:
    """The labs of the course, in order."""
    folders = (root / "labs").glob("lab*_*")
    return outline.in_order(folder.name.split("_")[0] for folder in folders)


def chosen_labs(root: Path, names: list[str]) -> list[str]:
    """The labs of a release, in order; all of them if `names` is empty. Raises ReleaseError."""
    every = all_labs(root)
    unknown = [lab for lab in names if lab not in every]
    if unknown:
        raise ReleaseError(f"there is no {', '.join(unknown)}; the labs are {' '.join(every)}")
    return [lab for lab in every if lab in names] or every


def members(
    root: Path, files: list[str], chosen: Lists, labs: list[str], allowed: Assistants = "explain"
) -> list[Member]:
    """The files of the archive, sorted. allowed: to assistants. Raises ReleaseError: for one that
    is no regular file, for a lab without a page, and for a link to what students do not get."""
    texts = {
        path: _content(root, path)
        for path in files
        if matches(path, chosen.inside)
        and (not (lab := _LAB_IN_PATH.search(path)) or lab[1] in labs)
    }
    for name in labs:
        if f"handouts/{name}.md" not in texts:
            raise ReleaseError(f"{name} has no page for students: write handouts/{name}.md")
    texts = assistants.ruled(texts, allowed)
    if labs != all_labs(root):
        texts = part.reduced(root, texts, labs)
    if problems := _dead_links(texts):
        raise ReleaseError("\n".join(problems))
    kept = [
        Member(path, content, bool((root / path).stat().st_mode & 0o100))
        for path, content in texts.items()
    ]
    copies = [
        replace(member, path=re.sub(r"^starter/([^/]+)/", r"labs/\1/starter/", member.path))
        for member in kept
        if member.path.startswith("starter/")
    ]
    return sorted([*kept, *copies], key=lambda member: member.path)


def _content(root: Path, path: str) -> bytes:
    file = root / path
    if (file.is_symlink() and path not in _links(root)) or not file.is_file():
        raise ReleaseError(f"{path} is not a regular file; a release holds no others: remove it")
    return file.read_bytes()


def _dead_links(texts: dict[str, bytes]) -> list[str]:
    """A message for each link of a Markdown page to a file that is not in the archive."""
    return [
        f"{path} links to {file}, which students do not get: name that file without a link, "
        f"or add it to `inside` of {SHOWN}"
        for path in sorted(texts)
        if path.endswith(".md")
        for file in links.targets(path, texts[path].decode())
        if file not in texts
    ]
