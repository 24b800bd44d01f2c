"""The opcodes of x86-64 as objdump reads them: an instruction for each opcode, prefix, length of a
vector, and form of operand."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from labs.sim import x86

SLOT = 16  # bytes for each instruction, the rest of which are nops
MEMORY, REGISTER, VECTOR_INDEX = b"\x47\x08", b"\xc1", b"\x4c\x9f\x08"
GROUPS = {0x71, 0x72, 0x73, 0xAE, 0xC6, 0xC7, 0xF3}  # of VEX and EVEX: the operand's field decides
# What objdump makes of opcodes that are none: names without a last letter, a prefix alone.
_BROKEN = re.compile(r"(?!vpdp|vmov\w+dup)v\w*([^ps]s|p)|v(cmp|rcp|getexp|fpclass)s|vmov|rex")
_LINE = re.compile(r"(?m)^ *([0-9a-f]+):\t[0-9a-f ]+\t(.*)$")


def encodings() -> Iterator[bytes]:
    yield from _legacy()
    for form in (MEMORY, REGISTER, VECTOR_INDEX):
        yield from _vex(form)
        yield from _evex(form)


def _legacy() -> Iterator[bytes]:
    maps = (b"", b"\x0f", b"\x0f\x38", b"\x0f\x3a")
    prefixes = (b"", b"\x66", b"\xf2", b"\xf3", b"\x48", b"\x66\x48", b"\xf3\x48")
    fields = [
        *(bytes([0x47 | field << 3, 8]) for field in range(8)),
        *(bytes([0xC0 | f << 3]) for f in range(8)),
    ]
    for prefix, opcodes, opcode, field in product(prefixes, maps, range(256), fields):
        yield prefix + opcodes + bytes([opcode]) + field
    whole = [bytes([byte]) for byte in range(0xD8, 0xE0)] + [b"\x0f\x01", b"\x0f\xae", b"\x0f\xc7"]
    for prefix, opcode, operand in product(prefixes[:4], whole, range(0xC0, 0x100)):
        yield prefix + opcode + bytes([operand])


def _fields(form: bytes, opcode: int) -> Iterator[bytes]:
    """The operand, with each number that the field of a group may have."""
    for field in range(8) if opcode in GROUPS else (0, 1):
        yield bytes([form[0] & 0xC7 | field << 3]) + form[1:]


def _vex(form: bytes) -> Iterator[bytes]:
    space = product((1, 2, 3), range(4), range(2), range(2), range(256), (0x78, 0x68))
    for opcodes, prefix, wide, long, opcode, second in space:
        for operand in _fields(form, opcode):
            head = bytes([0xC4, 0xE0 | opcodes, wide << 7 | second | long << 2 | prefix, opcode])
            yield head + operand


def _evex(form: bytes) -> Iterator[bytes]:
    space = product((1, 2, 3, 5, 6), range(4), range(2), range(3), (0, 1), range(256))
    for opcodes, prefix, wide, long, mask, opcode in space:
        for second, operand in product((0x7C, 0x6C), _fields(form, opcode)):
            third = bytes([wide << 7 | second | prefix, long << 5 | 8 | mask])
            yield bytes([0x62, 0xF0 | opcodes]) + third + bytes([opcode]) + operand


def disassembled(folder: Path) -> dict[bytes, str]:
    """All encodings that objdump takes for an instruction, with what it prints."""
    each = list(encodings())
    code = folder / "code.bin"
    code.write_bytes(b"".join(encoding.ljust(SLOT, b"\x90") for encoding in each))
    argv = ["objdump", "-D", "-w", "-b", "binary", "-m", "i386:x86-64", str(code)]
    output = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    texts = {int(at, 16): " ".join(text.split()) for at, text in _LINE.findall(output)}
    found = {encoding: texts.get(i * SLOT, "") for i, encoding in enumerate(each)}
    return {encoding: text for encoding, text in found.items() if text and "(bad)" not in text}


def names(texts: Iterable[str]) -> set[str]:
    """The names of instructions among what objdump prints."""
    words = (x86.INSTRUCTION.match(text) for text in texts)
    return {found["word"] for found in words if found and not _BROKEN.fullmatch(found["word"])}
