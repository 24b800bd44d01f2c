"""What is collected from a student's folder (grader/classroom/bulk/intake/collect.py).

An input is a script that makes folders, files, links and pipes in it, with names from a list.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from grader.classroom.bulk.intake import collect
from grader.classroom.bulk.intake.entry import Entry
from grader.model import spec
from grader.tests.fuzz import scratch
from grader.tests.fuzz.cursor import Cursor

HOME = scratch.folder()
SECRET = b"the secret of another student\n"
LABS = [spec.load("lab1"), spec.load("lab3")]
NAMES = [
    *(os.fsencode(name) for lab in LABS for name in lab.submit),
    *(os.fsencode(lab.folder) for lab in LABS),
    *(b"lab3", b"lab1_", b"x", b".git", b"x.zip.c", b"\xff\n", b"\x1b[2J", b"a\rb", b"__MACOSX"),
]
FILE, FOLDER, LINK, LINK_IN, PIPE, UP = range(6)


def seeds() -> Iterator[bytes]:
    yield bytes([FILE, 0, 6]) + b"int x;"
    yield bytes([FOLDER, 2, FILE, 0, 1]) + b"a" + bytes([UP, FOLDER, 4, FILE, 0, 1]) + b"b"
    yield bytes([LINK, 0, LINK, 1])
    yield bytes([FOLDER, 4, LINK_IN, 0, PIPE, 1])
    yield bytes([FOLDER, 0, FILE, 0, 0])
    yield bytes([FOLDER, 9, FILE, 0, 1]) + b"c" + bytes([UP, FILE, 1, 1]) + b"d"
    yield bytes([FOLDER, 6] * 14 + [FILE, 0, 1]) + b"e"


def build(folder: bytes, data: bytes) -> None:
    """Makes what the script says. What cannot be made, such as a file twice, is left out."""
    script, here = Cursor(data), [folder]
    for _ in range(60):
        if not script.has_more():
            return
        step = script.byte() % 6
        if step == UP:
            here = here[:-1] or here
            continue
        path = os.path.join(here[-1], NAMES[script.byte() % len(NAMES)])
        content = script.block() if step == FILE else b""
        if os.path.lexists(path):
            continue
        if step == FILE:
            Path(os.fsdecode(path)).write_bytes(content)
        elif step == FOLDER:
            os.mkdir(path)
            here.append(path)
        elif step == LINK:
            os.symlink(os.fsencode(HOME / "secret"), path)
        elif step == LINK_IN:
            os.symlink(os.fsencode(HOME), path)
        else:
            os.mkfifo(path)


def check(data: bytes) -> None:
    secret = HOME / "secret"
    secret.write_bytes(SECRET)
    folder = HOME / "student"
    folder.mkdir()
    try:
        build(os.fsencode(folder), data)
        entry = Entry("ada", {"": folder})
        collected = collect.collect(entry, LABS)
        names = {name for lab in LABS for name in lab.submit}
        assert collect.digest(entry, names) == collect.digest(entry, names)
        inside = {hashlib.sha256(p.read_bytes()).digest() for p in regular(folder)}
    finally:
        shutil.rmtree(folder)
    assert set(os.listdir(HOME)) == {"secret"} and secret.read_bytes() == SECRET
    for lab in LABS:
        files = collected[lab.id]
        assert set(files.contents) <= set(lab.submit) and files.problem.isprintable()
        assert not (files.contents and files.problem)
        for content in files.contents.values():
            assert SECRET not in content, "a link was followed"
            assert hashlib.sha256(content).digest() in inside


def regular(folder: Path) -> Iterator[Path]:
    for here, _, files in os.walk(folder):
        for name in files:
            path = Path(here, name)
            if path.is_file() and not path.is_symlink():
                yield path
