"""What goes into the students' archive: which files, and what becomes of their text.

The lists are in student.toml. A Makefile or a Markdown file may hold sections for instructors only:

    # BEGIN INSTRUCTOR              or    <!-- BEGIN INSTRUCTOR -->
    ...
    # STUDENT: what students have instead
    # END INSTRUCTOR                or    <!-- END INSTRUCTOR -->
"""

from __future__ import annotations

import posixpath
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

from grader import paths

LISTS = Path(__file__).with_name("student.toml")
SHOWN = LISTS.relative_to(paths.ROOT)
BEGIN, END = "BEGIN INSTRUCTOR", "END INSTRUCTOR"
STAND_IN = re.compile(r"^\s*(?:# |<!-- )STUDENT: (.*?)(?: -->)?$")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
OF_A_LAB = re.compile(r"(?:^|/)(lab\d+)(?:[_./]|$)")
EXAMPLE = "lab3"  # the one that the README's commands name
TABLES_OF_LABS = ("README.md", "handouts/README.md")  # a row a lab, its number first


class ReleaseError(Exception):
    """Why there is no archive, in words; it ends with what to do."""


@dataclass(frozen=True)
class Lists:
    """student.toml."""

    inside: list[str]
    outside: list[str]
    published: list[str]


@dataclass(frozen=True)
class Member:
    """A file of the archive."""

    path: str
    content: bytes
    executable: bool


def lists() -> Lists:
    return Lists(**tomllib.loads(LISTS.read_text()))


def matches(path: str, patterns: list[str]) -> bool:
    """Whether a pattern is for the path: * is any text without a slash, ** any text."""
    parts = {"**": ".*", "*": "[^/]*"}
    return any(
        re.fullmatch("".join(parts.get(p, re.escape(p)) for p in re.split(r"(\*\*|\*)", one)), path)
        for one in patterns
    )


def undecided(files: list[str], chosen: Lists) -> list[str]:
    """What is wrong with the lists: files that are in neither, and patterns that match nothing."""
    return [
        f"{path} is in neither list of {SHOWN}: add it to `inside` when students need it, "
        "to `outside` when not"
        for path in files
        if not matches(path, chosen.inside) and not matches(path, chosen.outside)
    ]


def tracked(root: Path) -> list[str]:
    """The files that git tracks, sorted."""
    return sorted(filter(None, git(root, "ls-files", "-z").split("\0")))


def git(root: Path, *arguments: str) -> str:
    """What a git command prints. Raises ReleaseError."""
    try:
        # Root in a container may have a checkout of somebody else's; its code is running already.
        safe = f"safe.directory={root}"
        done = subprocess.run(["git", "-c", safe, *arguments], cwd=root, capture_output=True)
    except OSError as problem:
        raise ReleaseError(f"git cannot be run: {problem.strerror}; install git") from problem
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise ReleaseError(f"git {arguments[0]}: {said}; a release is made from a git checkout")
    return done.stdout.decode(errors="surrogateescape")


def changes(root: Path) -> list[str]:
    """What is not committed, as git says it."""
    return git(root, "status", "--porcelain", "--untracked-files=all").splitlines()


def chosen_labs(root: Path, wanted: list[str]) -> list[str]:
    """The labs of a release, in order; all when none is named. Raises ReleaseError."""
    every = sorted(folder.name.split("_")[0] for folder in (root / "labs").glob("lab*_*"))
    unknown = [lab for lab in wanted if lab not in every]
    if unknown:
        raise ReleaseError(f"there is no {', '.join(unknown)}; the labs are {' '.join(every)}")
    return [lab for lab in every if lab in wanted] or every


def members(root: Path, files: list[str], chosen: Lists, labs: list[str]) -> list[Member]:
    """The files of the archive, sorted, as students get them. Raises ReleaseError."""
    if problems := undecided(files, chosen):
        raise ReleaseError("\n".join(problems))
    inside = {
        path
        for path in files
        if matches(path, chosen.inside)
        and not matches(path, chosen.outside)
        and (not (found := OF_A_LAB.search(path)) or found[1] in labs)
    }
    texts = {path: _student_text(root, path, labs) for path in inside}
    inside -= _undrawn(inside, texts)
    return [
        Member(
            path,
            _unlinked(path, texts[path], inside) if path.endswith(".md") else texts[path],
            bool((root / path).stat().st_mode & 0o100),
        )
        for path in sorted(inside)
    ]


def _student_text(root: Path, path: str, labs: list[str]) -> bytes:
    """A file without what is for instructors and without the rows of labs that are left out."""
    file = root / path
    if file.is_symlink() or not file.is_file():
        raise ReleaseError(f"{path} is no regular file; a release has no others: remove it")
    content = file.read_bytes()
    if path != "Makefile" and not path.endswith(".md"):
        return content
    lines = student_lines(path, content.decode())
    if path in TABLES_OF_LABS:
        rows = ((re.match(r"\| (\d+) ", line), line) for line in lines)
        lines = [line for row, line in rows if not row or f"lab{row[1]}" in labs]
    text = "".join(f"{line}\n" for line in lines)
    if path == "README.md" and EXAMPLE not in labs:
        text = _with_example(root, text, labs[-1])
    return text.encode()


def _with_example(root: Path, text: str, lab: str) -> str:
    """The README with commands that name another lab than EXAMPLE, which is not in the archive."""
    old, new = (next((root / "labs").glob(f"{one}_*")).name for one in (EXAMPLE, lab))
    text = text.replace(old, new).replace(f"for lab {EXAMPLE[3:]}", f"for lab {lab[3:]}")
    return re.sub(rf"(?<![a-z]){EXAMPLE}\b", lab, text).replace(f"test_{EXAMPLE}", f"test_{lab}")


def student_lines(path: str, text: str) -> list[str]:
    """The lines that students get of a file with sections for instructors. Raises ReleaseError."""
    kept: list[str] = []
    begin = 0
    for number, line in enumerate(text.splitlines(), 1):
        if BEGIN in line or END in line:
            if (BEGIN in line) == (begin > 0):
                raise ReleaseError(f"{path}:{number}: {line.strip()} has no partner; add it")
            begin = 0 if begin else number
        elif not begin:
            kept.append(line)
        elif stand_in := STAND_IN.match(line):
            kept.append(stand_in[1])
    if begin:
        raise ReleaseError(f"{path}:{begin}: {BEGIN} has no partner; add {END}")
    return kept


def _undrawn(inside: set[str], texts: dict[str, bytes]) -> set[str]:
    """The drawings that no text of the archive shows."""
    shown = {
        posixpath.normpath(posixpath.join(posixpath.dirname(path), link[3]))
        for path in inside
        if path.endswith(".md")
        for link in LINK.finditer(texts[path].decode())
    }
    return {path for path in inside if path.startswith("handouts/figures/")} - shown


def _unlinked(path: str, content: bytes, inside: set[str]) -> bytes:
    """A Markdown text whose links lead into the archive or onto the web; of others, the words."""

    def kept(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[3]))
        return link[0] if ":" in link[3] or target in inside else link[2]

    return LINK.sub(kept, content.decode()).encode()
