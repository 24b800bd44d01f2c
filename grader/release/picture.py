"""Is a PNG a plain picture, with nothing but pixels in it?

A PNG can hold text, other files and bytes after its end. The gate lets one pass that consists of a
header, a palette and the pixels alone, and searches the unpacked pixels as it searches every file.
"""

import struct
import zlib
from collections.abc import Iterator

START = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS = 1 << 20
PALETTE = 3  # colour type
MOST_COLOURS = 64  # a byte below that is no letter
KINDS = (b"IHDR", b"PLTE", b"IDAT", b"IEND")  # the chunks, in this order; IDAT more than once


class NotPlainError(ValueError):
    """What a picture has that a plain one has not."""


def pixels(data: bytes) -> bytes:
    """The unpacked rows of a plain picture, each with the number of its filter, 0, first. Raises
    NotPlainError."""
    chunks = list(_chunks(data))
    kinds = [kind for kind, _ in chunks]
    middle = len(chunks) - 3
    if middle < 1 or kinds != [*KINDS[:2], *[KINDS[2]] * middle, KINDS[3]]:
        raise NotPlainError("it has parts other than a header, a palette and pixels")
    header, palette, *packed, end = (content for _, content in chunks)
    if len(header) != 13 or end or len(palette) % 3 or not 3 <= len(palette) <= 3 * MOST_COLOURS:
        raise NotPlainError("its header, palette or end is not as it must be")
    width, height, depth, *rest = struct.unpack(">IIBBBBB", header)
    if [depth, *rest] != [8, PALETTE, 0, 0, 0] or not 0 < width * height <= MOST_PIXELS:
        raise NotPlainError("it is not a small picture of one byte a pixel, with a palette")
    size = (width + 1) * height
    unpack = zlib.decompressobj()
    try:
        rows = unpack.decompress(b"".join(packed), size + 1)
    except zlib.error as problem:
        raise NotPlainError(f"its pixels cannot be unpacked: {problem}") from problem
    if len(rows) != size or not unpack.eof or unpack.unused_data:
        raise NotPlainError("it has more or fewer bytes than pixels")
    if any(rows[:: width + 1]):
        raise NotPlainError("its rows are filtered")
    if max(rows) >= len(palette) // 3:
        raise NotPlainError("a pixel has no colour in the palette")
    return rows


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each part of a PNG. Raises NotPlainError."""
    if not data.startswith(START):
        raise NotPlainError("it is not a PNG")
    at = len(START)
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8]) if at + 12 <= len(data) else (0, b"")
        content = data[at + 8 : at + 8 + size]
        check = data[at + 8 + size : at + 12 + size]
        if not kind or check != struct.pack(">I", zlib.crc32(kind + content)):
            raise NotPlainError("one of its parts is damaged, or something follows its end")
        yield kind, content
        at += 12 + size
