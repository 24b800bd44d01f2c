"""Names of submissions and of files (student_id.py, discover.py): what becomes of them.

An input is a list of names, a newline after each; each is a folder, a file or a link.
"""

import os
import shutil
from collections.abc import Iterator

from grader.classroom.bulk.intake import discover
from grader.classroom.course import student_id
from grader.model import plain_text
from grader.tests.fuzz import scratch

HOME = scratch.folder()
MOST = 12  # names


def seeds() -> Iterator[bytes]:
    yield b"ada\nbob.zip\ncy.tar.gz\nada.zip"
    yield b"ada_1_2_x.c\nbob_LATE_3_4_y.cu\nada_1_9_x-1.c"
    yield b"=1+1\n-rf\n~root\n .x\n..\n%41\n$(x)\n\x1b[31m\n\xff\xfe\na\rb"
    yield "＝1+1\nпример\n\u202egpj.exe\n\u00e9\ne\u0301".encode()
    yield b"gradebook.csv\nexport\nGradebook.CSV\n.run"
    yield b"x" * 250 + b"\n" + b"x" * 251 + b"\n" + "é".encode() * 127
    yield os.fsencode(student_id.of_name("x" * 250)) + b"\n" + b"x" * 250


def is_name(name: bytes) -> bool:
    """Can a file have it?"""
    return (
        0 < len(name) <= 255
        and b"/" not in name
        and b"\0" not in name
        and name not in (b".", b"..")
    )


def check_ids(names: list[str]) -> None:
    ids = {name: student_id.of_name(name) for name in names}
    ids |= {i: student_id.of_name(i) for i in ids.values()}  # an id is a name, too
    assert len(set(ids.values())) == len(ids), f"two names have one id: {ids}"
    for name, identity in ids.items():
        assert identity.isprintable() and len(os.fsencode(identity)) <= student_id.MOST_BYTES
        assert not set(identity) & set('/\\"<>') and identity not in student_id.RESERVED
        assert not identity.startswith((".", "-", "~", " "))
        assert plain_text.name(name).isprintable() and not set(plain_text.name(name)) & set('"\\')


def check(data: bytes) -> None:
    names = list(dict.fromkeys(n for n in data.split(b"\n") if is_name(n)))[:MOST]
    if not names:
        return
    check_ids([os.fsdecode(n) for n in names])
    folder = HOME / "class"
    folder.mkdir()
    try:
        for number, name in enumerate(names):
            path = folder / os.fsdecode(name)
            if number % 5 == 3:
                path.symlink_to("/etc")
            elif number % 5 == 4:
                path.mkdir()
            else:
                path.touch()
        entries = discover.download(folder).entries
    finally:
        shutil.rmtree(folder)
    assert len({e.student for e in entries}) == len(entries)
    for entry in entries:
        assert student_id.of_name(entry.student) and entry.student.isprintable()
        assert "/" not in entry.student and entry.problem.isprintable()
        for path in entry.paths.values():
            assert path.parent == folder, "a path outside of the folder"
            assert entry.problem or not path.is_symlink()
