"""First inputs for the readers in C: arrays, pictures, and steps files with their data."""

import io
import struct
import zlib
from collections.abc import Iterator

import numpy as np


def npy() -> Iterator[bytes]:
    for dtype, shape in (
        ("<f4", (2, 3)),
        ("<f8", (1,)),
        ("|u1", ()),
        ("<i4", (0, 9)),
        ("<f4", (1, 1, 2, 1)),
    ):
        buffer = io.BytesIO()
        np.save(buffer, np.zeros(shape, dtype))
        yield buffer.getvalue()
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n"
    yield b"\x93NUMPY\2\0" + struct.pack("<I", len(head)) + head + bytes(4)
    yield b"\x93NUMPY\3\0" + struct.pack("<I", 2**32 - 1) + head
    for wrong in (b"True", b"(1, 1, 1, 1, 1)", b"(99999999999,)", b"(-1,)", b"(3)"):
        line = head.replace(b"False" if wrong == b"True" else b"(1,)", wrong)
        yield b"\x93NUMPY\1\0" + struct.pack("<H", len(line)) + line + bytes(4)


def png(kind: int, depth: int, row: bytes, rows: int = 2, extra: bytes = b"") -> bytes:
    """A picture 4 pixels wide. extra: chunks before the pixels."""
    header = struct.pack(">IIBBBBB", 4, rows, depth, kind, 0, 0, 0)
    pixels = zlib.compress(b"".join(bytes([i % 5]) + row for i in range(rows)))
    chunks = chunk(b"IHDR", header) + extra + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def image() -> Iterator[bytes]:
    yield png(0, 8, bytes(range(4)))
    yield png(0, 1, b"\xa0", rows=5)
    yield png(2, 8, bytes(range(12)))
    yield png(2, 16, bytes(range(24)))
    yield png(3, 4, b"\x01\x23", extra=chunk(b"PLTE", bytes(range(12))) + chunk(b"tRNS", b"\1\2"))
    yield png(6, 8, bytes(range(16)))
    yield png(4, 16, bytes(range(16)), extra=chunk(b"tEXt", b"a\0b"))
    yield png(0, 8, bytes(range(4)), extra=chunk(b"IDAT", b""))
    yield b"P5 3 2 255\n" + bytes(6)
    yield b"P6\n# a comment\n2 1\n255\n" + bytes(6)
    yield b"P6 32768 8192 255\n"


def steps() -> Iterator[bytes]:
    data = bytes(range(64))
    for lines in (
        b"step A\nset border zero\nin image f4 2x3 0\nout out f4 2x3 0\n",
        b"step A\nplace start start\nalign 64\nread-only\nin image u1 9 1\nout out f8 1 64\n",
        b"step A\nhold\nin i f4 4 0\nout o f4 4 0\nstep B\nin i f4 4 8\nfail 2 3\nshared 9\n",
        b"step A\nalign 0\nin image f4 4 0\n",
        b"step A\nalign 18446744073709551615\nin image f4 4 0\nout o f4 4 0\n",
        b"step A\nalign 8192\nin image f4 4 0\n",
        b"step A\nout o f4 4294967297 0\n",
        b"step A\nin a f48 1 0\nout o f4 1 18446744073709551615\n",
    ):
        yield struct.pack("<H", len(lines)) + lines + data


SEEDS = {"npy": npy, "image": image, "steps": steps}
