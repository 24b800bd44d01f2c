"""A student's .git (grader/classroom/bulk/intake/git_time.py): no time, or one with a zone.

An input is HEAD, packed-refs, an index, a pack and a loose object, each behind its length.
"""

import shutil
import struct
import zlib
from collections.abc import Iterator

from grader.classroom.bulk.intake import git_time
from grader.tests.fuzz import scratch

HOME = scratch.folder()
SHA = "ab" * 20
NAMES = (
    "HEAD",
    "packed-refs",
    "objects/pack/p.idx",
    "objects/pack/p.pack",
    f"objects/ab/{'ab' * 19}",
)
TEXT = b"tree 0\nauthor A <a> 1 +0000\ncommitter A <a> 1770000000 +0900\n\nwork\n"


def joined(*files: bytes) -> bytes:
    return b"".join(struct.pack("!H", len(file)) + file for file in files)


def index() -> bytes:
    fan = b"".join(struct.pack("!I", int(first >= 0xAB)) for first in range(256))
    return b"\xfftOc\0\0\0\2" + fan + bytes.fromhex(SHA) + bytes(4) + struct.pack("!I", 12)


def pack(kind: int) -> bytes:
    head = bytes([0x80 | kind << 4 | len(TEXT) & 15, len(TEXT) >> 4])
    return b"PACK" + bytes(8) + head + zlib.compress(TEXT)


def seeds() -> Iterator[bytes]:
    branch, refs = b"ref: refs/heads/main\n", f"# pack\n{SHA} refs/heads/main\n".encode()
    yield joined(branch, refs, index(), pack(git_time.COMMIT))
    yield joined(SHA.encode(), b"", index(), pack(6))
    loose = zlib.compress(b"commit %d\0%s" % (len(TEXT), TEXT))
    yield joined(SHA.encode(), b"", b"", b"", loose)
    yield joined(branch, refs, index()[:600], pack(1)[:14])
    yield joined(b"ref: refs/../../x", refs, index(), b"PACK" + b"\xff" * 40)
    yield joined(SHA.encode(), b"", b"", b"", zlib.compress(b"commit 9\0" + bytes(3 << 20)))


def check(data: bytes) -> None:
    top = HOME / ".git"
    (top / "objects/pack").mkdir(parents=True)
    (top / "objects/ab").mkdir()
    try:
        for name in NAMES:
            if len(data) < 2:
                break
            (size,) = struct.unpack("!H", data[:2])
            if content := data[2 : 2 + size]:
                (top / name).write_bytes(content)
            data = data[2 + size :]
        time = git_time.last_commit(top)
    finally:
        shutil.rmtree(top)
    assert time is None or (time.tzinfo is not None and time.isoformat())
