"""What students could still read in an object of a solution; the gate lets no other object pass.

Such an object is to be timed and for nothing else: only the names of the functions that the timing
program calls are left, with a prefix, and no debug information, compiler's note, file name or path.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from grader.timing.reference import PREFIX

LOCAL = "local_"  # begins the name of every other function or variable of the solution
MACHINES = {62: "x86-64", 183: "aarch64"}  # e_machine
RELOCATABLE, SYMBOLS, STRINGS = 1, 2, 3  # e_type; sh_type
OF_STRINGS = 0x20  # in sh_flags
SECTION, FILE = 3, 4  # the type of a symbol
UNWANTED = re.compile(r"\.(?:debug|zdebug|comment|gnu\.lto|gnu\.debug|stab|line|note\.nv|nv_debug)")
NUMBERED = re.compile(r"\$[xd](?:\.\d+)?|\.LC\d+")  # the compiler's own: constants, aarch64's marks
FILE_NAME = re.compile(rb"[^\0]*(?:/|\.(?:c|cu|h|cuh|cpp|ii|s)(?=\0))[^\0]*")


@dataclass(frozen=True)
class Section:
    """A section of an ELF file."""

    name: str
    kind: int
    flags: int
    content: bytes
    link: int


def problems(data: bytes) -> Iterator[str]:
    """Why students may not have this object; nothing if they may."""
    try:
        yield from _problems(data)
    except (struct.error, IndexError, ValueError):
        yield "an object that is damaged"


def _problems(data: bytes) -> Iterator[str]:
    if data[:6] != b"\x7fELF\2\1":
        yield "not an object for a 64-bit machine"
        return
    kind, machine = struct.unpack_from("<HH", data, 16)
    if kind != RELOCATABLE or machine not in MACHINES:
        yield "not an object to link, for x86-64 or aarch64"
    sections = _sections(data)
    for section in sections:
        if UNWANTED.match(section.name):
            yield f"the section {section.name} of an object; strip it"
        if section.kind == STRINGS or section.flags & OF_STRINGS:
            for name in FILE_NAME.findall(section.content):
                yield f"a file's name in an object: {name.decode(errors='replace')}"
        if section.kind == SYMBOLS:
            yield from _names(section.content, sections[section.link].content)


def _names(symbols: bytes, strings: bytes) -> Iterator[str]:
    """The names of what the object defines, other than those that it may have."""
    for at in range(0, len(symbols), 24):
        name_at, info, _, section = struct.unpack_from("<IBBH", symbols, at)
        name = _text(strings, name_at)
        if info & 15 == FILE:
            yield f"a file's name in an object: {name}"
        defined = section != 0 and name and info & 15 not in (SECTION, FILE)
        if defined and not name.startswith((PREFIX, LOCAL)) and not NUMBERED.fullmatch(name):
            yield f"the name {name} in an object; only those that begin with {PREFIX} may stay"


def _sections(data: bytes) -> list[Section]:
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQII", data, start + i * size) for i in range(count)]
    at, length = headers[names][4:6]
    strings = data[at : at + length]
    return [
        # A section of type 8 has a size, but no bytes in the file.
        Section(
            _text(strings, h[0]), h[1], h[2], b"" if h[1] == 8 else data[h[4] : h[4] + h[5]], h[6]
        )
        for h in headers
    ]


def _text(strings: bytes, at: int) -> str:
    return strings[at : strings.index(b"\0", at)].decode()
