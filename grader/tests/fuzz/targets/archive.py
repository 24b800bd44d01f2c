"""Archives that students hand in (classroom/bulk/intake/unpack.py), and what reads its output.

The sandbox around unpack.py is not part of this: it runs here in the fuzzer's process.
"""

import gzip
import io
import os
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from unittest import mock

from grader.classroom.bulk.intake import archive, unpack
from grader.model import plain_text
from grader.tests.fuzz import scratch

HOME = scratch.folder()
FILE = HOME / "archive"
NAMES = {"a.c", "b.cu"}


def zipped(names: list[str], method: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name in names:
            target.writestr(zipfile.ZipInfo(name), b"int x;\n" * 9, method)
    return buffer.getvalue()


def tarred(
    names: list[str], kind: bytes = tarfile.REGTYPE, form: int = tarfile.USTAR_FORMAT
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form, errors="surrogateescape") as target:
        for name in names:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd" if kind != tarfile.REGTYPE else ""
            member.size = 7 if kind == tarfile.REGTYPE else 0
            target.addfile(member, io.BytesIO(b"int x;\n"))
    # Without most of the zeros at the end: small inputs are fuzzed better.
    return buffer.getvalue()[: (1 + len(names) * 2) * 512 + 1024]


def seeds() -> Iterator[bytes]:
    yield zipped(["lab1/a.c", "b.cu", "c.txt"])
    yield zipped(["a.c"], zipfile.ZIP_DEFLATED)
    yield zipped(["a.c"], zipfile.ZIP_BZIP2)
    yield zipped(["a.c"], zipfile.ZIP_LZMA)
    yield zipped(["é/a.c", "../b.cu"])
    yield zipped([])
    yield zipped(["a (1).c", "x/b-2.cu", "A.C", "a.c.txt"])
    yield tarred(["lab1/a.c", "b.cu"])
    yield tarred([b"\xff/a.c".decode(errors="surrogateescape")])
    yield tarred(["é/a.c"], form=tarfile.PAX_FORMAT)
    yield tarred(["x" * 120 + "/a.c"], form=tarfile.GNU_FORMAT)
    for kind in (
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.FIFOTYPE,
        tarfile.CHRTYPE,
        tarfile.DIRTYPE,
    ):
        yield tarred(["a.c"], kind)
    yield gzip.compress(tarred(["a.c"]), mtime=0)


def unpacked(data: bytes) -> bytes:
    """What unpack.py prints."""
    FILE.write_bytes(data)
    stdout = mock.Mock(buffer=io.BytesIO())
    with mock.patch.object(sys, "stdout", stdout):
        unpack.main(str(FILE), sorted(NAMES))
    printed: bytes = stdout.buffer.getvalue()
    return printed


def check(data: bytes) -> None:
    opened = archive._parsed(unpacked(data))
    assert not (opened.files and opened.refused) and opened.refused.isprintable()
    assert len(opened.files) <= unpack.MOST_FILES and len(opened.others) <= unpack.MOST_OTHERS
    for file in opened.files:
        assert len(file.content) <= unpack.MOST_BYTES and not (file.content and file.problem)
        parts = file.path.replace("\\", "/").split("/")
        assert unpack.copied(parts[-1]) in NAMES or file.problem, file.path
        assert ".." not in parts and not file.path.startswith("/"), file.path
        assert plain_text.name(file.path).isprintable()
    assert os.listdir(HOME) == ["archive"], "something was extracted"
