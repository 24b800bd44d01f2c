"""Hostile archives and folders, and what the intake of a bulk run makes of them.

Those that must give nothing are hostile.archives() and REJECTED; of those in ACCEPTED only the
lab's own file may be read.
"""

import io
import os
import stat
import struct
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from grader.classroom.bulk.intake.collect import collect
from grader.classroom.bulk.intake.discover import download
from grader.classroom.course.student_id import of_name
from grader.model import spec
from grader.tests.attacks import host_state
from grader.tests.attacks.judge import Outcome
from grader.tests.attacks.material import Target
from grader.tests.classroom.bulk import hostile

GROUP = "archive"
SECONDS = 5.0
LAB = "lab1"
FILE = "cpu_loop.c"
ODD = (
    "two\nlines",
    "\x1b[31mred",
    "-rf",
    "$(touch pwned)",
    "`touch pwned`",
    "\u202ednuor",
    "n" * 255,
)
OWN = ("grade", "Makefile", "sitecustomize.py", "conftest.py", ".git/hooks/post-checkout",
       "labs/lab1_cpu_loop/lab.toml", "build/pwned", "usercustomize.pth")  # fmt: skip


@cache
def good() -> bytes:
    return hostile.solution(spec.load(LAB)).encode()


def _sized(data: bytes, size: int) -> bytes:
    """A zip file whose headers say that its first member has `size` bytes."""
    changed = bytearray(data)
    struct.pack_into("<I", changed, 22, size)
    struct.pack_into("<I", changed, changed.index(b"PK\x01\x02") + 24, size)
    return bytes(changed)


def _moded(mode: int) -> bytes:
    member = zipfile.ZipInfo(FILE)
    member.external_attr = mode << 16
    return hostile._zip([(member, good())])


def _raw_name(name: bytes) -> bytes:
    """A zip file with a member whose name is no UTF-8, beside the lab's file."""
    placeholder = "x" * len(name)
    data = hostile._zip([(placeholder, b"1"), (FILE, good())])
    return data.replace(placeholder.encode(), name)


def _sparse() -> bytes:
    """A tar file whose only member says that it has a terabyte."""
    member = tarfile.TarInfo(FILE)
    member.size = 1 << 40
    return member.tobuf(tarfile.GNU_FORMAT) + bytes(1024)


def _overlapping() -> bytes:
    """A zip file in which a thousand members are the same bytes."""
    data = hostile._zip([(FILE, bytes(100_000))])
    at = data.index(b"PK\x01\x02")
    entry, end = data[at : data.index(b"PK\x05\x06")], data.index(b"PK\x05\x06")
    directory = entry * 1000
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1000, 1000, len(directory), at, 0)
    assert end > at
    return data[:at] + directory + tail


REJECTED: dict[str, Callable[[], tuple[str, bytes]]] = {
    "sizes that lie: less than there is": lambda: (
        ".zip",
        _sized(hostile._zip([(FILE, bytes(5000))]), 5),
    ),
    "sizes that lie: 4 GB": lambda: (".zip", _sized(hostile._zip([(FILE, good())]), 0xFFFFFFF0)),
    "a terabyte, says the header": lambda: (".tar", _sparse()),
    "a thousand members in the same bytes": lambda: (".zip", _overlapping()),
    "a directory with the name of the file, tar": lambda: (
        ".tar",
        hostile._tar([(hostile._special(FILE, tarfile.DIRTYPE), b"")], "w"),
    ),
    "a format that nobody knows": lambda: (".zip", b"7z\xbc\xaf\x27\x1c" + bytes(200)),
    "a socket, says the mode": lambda: (".zip", _moded(stat.S_IFSOCK | 0o777)),
    "a device, says the mode": lambda: (".zip", _moded(stat.S_IFBLK | 0o777)),
    "gzip of random bytes": lambda: (".tar.gz", b"\x1f\x8b\x08" + bytes(range(256)) * 4),
    "a bomb of gzip in gzip": lambda: (".tar.gz", _twice()),
    "another path in a pax header": lambda: (".tar", _renamed()),
    "folders whose names are equal to a reader": lambda: (
        ".zip",
        hostile._zip([(f"e\u0301/{FILE}", good()), (f"\u00e9/{FILE}", b"int x;")]),
    ),
    "two spellings of a path": lambda: (
        ".zip",
        hostile._zip([(f"./{FILE}", b"int x;"), (FILE, good())]),
    ),
    "slashes and backslashes": lambda: (
        ".zip",
        hostile._zip([(f"a\\{FILE}", b"int x;"), (f"a/{FILE}", good())]),
    ),
    "a path of Windows that leads out": lambda: (
        ".zip",
        hostile._zip([(f"..\\{FILE}", good())]),
    ),
}
ACCEPTED: dict[str, Callable[[], tuple[str, bytes]]] = {
    "odd names": lambda: (".zip", hostile._zip([*((n, b"1") for n in ODD), (FILE, good())])),
    "a name that is no UTF-8": lambda: (".zip", _raw_name(b"caf\xe9\xff\xfe")),
    "setuid and setgid": lambda: (".zip", _moded(stat.S_IFREG | 0o6777)),
    "its own grader, Makefile and hooks": lambda: (
        ".zip",
        hostile._zip([*((n, b"touch pwned") for n in OWN), (FILE, good())]),
    ),
    "names that differ in case": lambda: (
        ".zip",
        hostile._zip([("CPU_LOOP.C", b"int x;"), ("Cpu_Loop.c", b"int y;"), (FILE, good())]),
    ),
    "a prebuilt object beside the source": lambda: (
        ".zip",
        hostile._zip([("cpu_loop.o", b"\x7fELF"), ("librunner.a", b"!<arch>\n"), (FILE, good())]),
    ),
    "names that end in a space or a dot": lambda: (
        ".zip",
        hostile._zip([(f"{FILE} ", b"int x;"), (f"{FILE}.", b"int x;"), (FILE, good())]),
    ),
    "names of Windows": lambda: (
        ".zip",
        hostile._zip([(f"C:{FILE}", b"int x;"), (f"a\\{FILE}", b"int x;"), (FILE, good())]),
    ),
    "nothing but paths with backslashes": lambda: (
        ".zip",
        hostile._zip([("a\\", b""), (f"a\\b\\{FILE}", good())]),
    ),
    "two spellings of a path, one text": lambda: (
        ".tar",
        hostile._tar(
            [(tarfile.TarInfo(f"./{FILE}"), good()), (tarfile.TarInfo(FILE), good())], "w"
        ),
    ),
    "a folder that is a link": lambda: (".tar", _linked()),
    "a comment that looks like an archive": lambda: (".zip", _commented()),
}


def _renamed() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("notes.txt")
        member.size, member.pax_headers = len(good()), {"path": f"../../{FILE}"}
        archive.addfile(member, io.BytesIO(good()))
    return data.getvalue()


def _linked() -> bytes:
    folder = tarfile.TarInfo("work")
    folder.type, folder.linkname = tarfile.SYMTYPE, "/etc"
    return hostile._tar([(folder, b""), (tarfile.TarInfo(f"work/{FILE}"), good())], "w")


def _twice() -> bytes:
    inner = hostile._tar([(tarfile.TarInfo("zeros"), bytes(50 << 20))])
    return hostile._tar([(tarfile.TarInfo("inner.tar.gz"), inner)] * 8)


def _commented() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(FILE, good())
        archive.comment = b"PK\x01\x02" * 100
    return data.getvalue()


def names() -> list[str]:
    return [*hostile.archives(spec.load(LAB)), *REJECTED, *ACCEPTED]


def attempt(name: str, place: Target, patience: float = 1) -> Outcome:
    """Hands the archive in, and collects what would be graded.

    patience: how many times SECONDS it may take.
    """
    accepted = name in ACCEPTED
    suffix, content = (hostile.archives(spec.load(LAB)) | ACCEPTED | REJECTED)[name]()
    before = host_state.look(place)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"ann{suffix}").write_bytes(content)
        began = time.monotonic()
        (entry,) = download(Path(folder)).entries
        files = collect(entry, [spec.load(LAB)])[LAB]
        seconds = time.monotonic() - began
        survived = list(_against(accepted, files.contents, files.problem))
        if os.listdir(folder) != [f"ann{suffix}"]:
            survived.append("it left files beside the archive")
    if not of_name(f"ann{suffix}").isprintable():
        survived.append("the student's name cannot be printed")
    survived += host_state.changes(before, host_state.look(place))
    if seconds > (bound := patience * SECONDS):
        survived.append(f"it took {seconds:.0f} s; it must be over in {bound:.0f} s")
    wall = f"intake: {files.problem}" if files.problem else "intake: reads the lab's file alone"
    verdict = "rejected" if files.problem else "nothing handed in"
    return Outcome(name, GROUP, wall, "accepted" if files.contents else verdict, seconds, survived)


def _against(accepted: bool, contents: dict[str, bytes], problem: str) -> Iterator[str]:
    if accepted and contents != {FILE: good()}:
        yield f"it must be accepted, and is not: {problem or sorted(contents)}"
    if not accepted and contents:
        yield "it was accepted"
    if not problem.isprintable():
        yield "the reason cannot be printed"
