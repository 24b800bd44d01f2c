"""The pictures that students get hold pixels and nothing else."""

import struct
import zlib
from collections.abc import Sequence

import pytest

from grader import paths
from grader.release import picture
from grader.release.picture import NotPlainError

Chunk = tuple[bytes, bytes]
HEADER = struct.pack(">IIBBBBB", 3, 2, 8, 3, 0, 0, 0)
PALETTE = bytes(range(12))
ROWS = b"\0\1\2\3\0\0\1\2"
CHUNKS: list[Chunk] = [
    (b"IHDR", HEADER),
    (b"PLTE", PALETTE),
    (b"IDAT", zlib.compress(ROWS)),
    (b"IEND", b""),
]


def _png(chunks: Sequence[Chunk]) -> bytes:
    parts = [
        struct.pack(">I4s", len(content), kind)
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    ]
    return picture.START + b"".join(parts)


def _with(number: int, content: bytes) -> bytes:
    chunks = list(CHUNKS)
    chunks[number] = (chunks[number][0], content)
    return _png(chunks)


def test_a_plain_picture_and_its_pixels() -> None:
    assert picture.pixels(_png(CHUNKS)) == ROWS
    packed = CHUNKS[2][1]
    halves = [(b"IDAT", packed[:4]), (b"IDAT", packed[4:])]
    assert picture.pixels(_png([*CHUNKS[:2], *halves, CHUNKS[3]])) == ROWS
    assert picture.pixels(_with(2, zlib.compress(ROWS, 0))) == ROWS


def test_mistake_pictures_hold_only_pixels() -> None:
    files = sorted((paths.ROOT / "handouts" / "figures" / "mistakes").iterdir())
    assert len(files) > 40
    for file in files:
        picture.pixels(file.read_bytes())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG",
        b"a text\n",
        _png([*CHUNKS[:2], (b"tEXt", b"Comment\0the answer"), *CHUNKS[2:]]),
        _png([CHUNKS[0], *CHUNKS[2:]]),
        _png([*CHUNKS[:2], CHUNKS[3]]),
        _png(CHUNKS) + b"the answer",
        _png(CHUNKS[:3]),
        _png(CHUNKS).replace(b"IEND", b"IENd"),
        _png([*CHUNKS[:3], (b"IEND", b"the answer")]),
        _with(0, struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0)),
        _with(0, struct.pack(">IIBBBBB", 0, 2, 8, 3, 0, 0, 0)),
        _with(0, struct.pack(">IIBBBBB", 1 << 30, 1 << 30, 8, 3, 0, 0, 0)),
        _with(0, HEADER + b"x"),
        _with(1, bytes(768)),
        _with(1, b""),
        _with(2, zlib.compress(ROWS + b"the answer")),
        _with(2, zlib.compress(ROWS) + b"the answer"),
        _with(2, zlib.compress(ROWS)[:-5]),
        _with(2, b"the answer"),
        _with(2, zlib.compress(b"\1" + ROWS[1:])),
        _with(2, zlib.compress(ROWS[:-1] + b"a")),
        _with(2, zlib.compress(b"\0" * 100_000_000)),
    ],
)
def test_a_picture_with_anything_else_is_not(data: bytes) -> None:
    with pytest.raises(NotPlainError):
        picture.pixels(data)
