"""Object files made of a submission (grader/compile/permitted): their tables, and what is refused.

An input is an object file, or changes of a small one: 0, then an offset of 2 bytes and a value of
8 for each.
"""

import struct
import time
from collections.abc import Iterator

from grader.compile.permitted import before_main, elf, object_check, refusal
from grader.tests.fuzz.cursor import Cursor

SECONDS = 2.0  # of processor time


def small() -> bytes:
    """A function that calls another, a variable, and a pointer to a function in .init_array."""
    names = b"\0.text\0.data\0.init_array\0.rela.text\0.rela.init_array\0.symtab\0.strtab\0"
    strings = b"\0f\0g\0_GLOBAL__sub_I\0v\0"
    symbol = struct.Struct("<IBBHQQ").pack
    symbols = symbol(0, 0, 0, 0, 0, 0) + symbol(5, 2, 0, 1, 8, 8)
    symbols += (
        symbol(1, 0x12, 0, 1, 0, 8) + symbol(3, 0x10, 0, 0, 0, 0) + symbol(20, 0x21, 0, 2, 0, 4)
    )
    contents = [
        ("", 0, 0, b"", 0, 0),
        (".text", 1, 6, bytes(16), 0, 0),
        (".data", 1, 3, bytes(8), 0, 0),
        (".init_array", 14, 3, bytes(8), 0, 0),
        (".rela.text", elf.RELA, 0, struct.pack("<QQq", 2, 3 << 32 | 4, -4), 6, 1),
        (".rela.init_array", elf.RELA, 0, struct.pack("<QQq", 0, 1 << 32 | 1, 0), 6, 3),
        (".symtab", elf.SYMTAB, 0, symbols, 7, 2),
        (".strtab", 3, 0, strings, 0, 0),
        (".shstrtab", 3, 0, names, 0, 0),
    ]
    at, data, headers = 64, b"", b""
    for name, kind, flags, content, link, info in contents:
        start = names.find(name.encode() + b"\0") if name in names.decode() else 0
        header = (start, kind, flags, 0, at + len(data), len(content), link, info, 1, 0)
        headers += struct.pack("<IIQQQQIIQQ", *header)
        data += content
    head = struct.pack(
        "<4sBBBB8xHHIQQQIHHHHHH",
        *(b"\x7fELF", 2, 1, 1, 0, 1, 62, 1, 0, 0, at + len(data), 0, 64, 0, 0, 64),
        *(len(contents), len(contents) - 1),
    )
    return head + data + headers


SMALL = small()


def seeds() -> Iterator[bytes]:
    yield SMALL
    yield SMALL[:-1]
    yield b"\0"
    for at in (40, 58, 60, 62, 64 + 16, 64 + 200):
        yield b"\0" + struct.pack("<HQ", at, 2**64 - 1)
    for section in range(9):
        header = len(SMALL) - 9 * 64 + section * 64
        for offset in (4, 24, 32, 40):
            yield b"\0" + struct.pack("<HQ", header + offset, 2**40 + 1)


def changed(data: bytes) -> bytes:
    if data[:1] != b"\0":
        return data
    script, made = Cursor(data[1:]), bytearray(SMALL)
    while script.has_more():
        at = int.from_bytes(script.take(2), "little") % len(made)
        value = script.take(8)
        made[at : at + len(value)] = value
    return bytes(made[: len(SMALL)])


def check(data: bytes) -> None:
    start = time.process_time()
    try:
        parts = elf.parsed(changed(data))
        for section in range(len(parts.sections)):
            uses = parts.relocations_in(section)
            assert uses == sorted(uses, key=lambda use: use.offset)
        for number, symbol in enumerate(parts.symbols[:50]):
            for use in parts.relocations_of(number):
                assert use.symbol == number and parts.is_loaded(use.section)
            refusal.place(parts, symbol)
            assert refusal.shown(symbol.name).isprintable()
        for refused in [
            *object_check._sections(parts),
            *before_main.check_before_main(parts, "plain"),
        ]:
            assert refused.text.isprintable() and len(refused.text) < 400
    except (elf.ObjectError, IndexError):
        return  # object_check.check_object() refuses the object
    finally:
        assert time.process_time() - start < SECONDS, "too slow"
