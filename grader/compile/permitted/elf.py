"""Reads an object file in ELF, of a 64-bit little-endian machine: sections, symbols, relocations.

The file may be damaged, or made to deceive: whatever does not fit raises ObjectError, and nothing
outside the file is ever read. numpy reads the tables, because the traced object of lab 4 has
megabytes of relocations.
"""

import os
import stat
import struct
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

MAX_BYTES = 1 << 28  # the limit on a compiler's files (grader/compile/make.py)
RELOCATABLE, SHARED = 1, 3  # types of a file
SYMTAB, STRTAB, RELA, NOBITS, DYNSYM = 2, 3, 4, 8, 11  # types of sections
WRITE, ALLOC, EXECUTABLE, MERGED, STRINGS, GROUPED = 1, 2, 4, 0x10, 0x20, 0x200  # of sections
LOCAL, GLOBAL, WEAK, UNIQUE = 0, 1, 2, 10  # bindings of symbols
OBJECT, FUNCTION, SECTION, FILE, IFUNC = 1, 2, 3, 4, 10  # kinds of symbols
UNDEFINED, RESERVED, ABSOLUTE, COMMON = 0, 0xFF00, 0xFFF1, 0xFFF2  # in place of a section's index

_HEADER = struct.Struct("<4sBBBB8xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"),
     ("value", "<u8"), ("size", "<u8")]
)  # fmt: skip
_RELOCATION = np.dtype([("offset", "<u8"), ("info", "<u8"), ("addend", "<i8")])


class ObjectError(ValueError):
    """The file is no object file that a compiler of this machine writes."""


@dataclass(frozen=True)
class Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    unit: int  # bytes of an entry, where all have as many


@dataclass(frozen=True)
class Symbol:
    """section: the index of the section that defines it, UNDEFINED, ABSOLUTE or COMMON."""

    name: str
    binding: int
    kind: int
    section: int
    value: int
    size: int

    def is_defined(self) -> bool:
        return self.section != UNDEFINED


@dataclass(frozen=True)
class Relocation:
    """A use of a symbol at `offset` of the section with the index `section`."""

    section: int
    offset: int
    symbol: int
    addend: int
    kind: int


@dataclass
class ObjectFile:
    """An object file, or the dynamic symbols of a shared library. kind: RELOCATABLE, SHARED or
    another type of a file; machine: its number in the header."""

    kind: int
    machine: int
    sections: list[Section]
    symbols: list[Symbol]
    _data: bytes
    _tables: dict[int, np.ndarray] = field(default_factory=dict)

    def relocations_of(self, symbol: int) -> list[Relocation]:
        """The uses of the symbol with that index, in the order of the file."""
        found = []
        for index, section in enumerate(self.sections):
            if section.kind == RELA and self.is_loaded(section.info):
                table = self._table(index)
                rows = table[(table["info"] >> 32) == symbol][:64]
                found += [_relocation(section.info, row) for row in rows]
        return found

    def relocations_in(self, section: int) -> list[Relocation]:
        """All uses of symbols in the section with that index, by offset."""
        found = []
        for index, table in enumerate(self.sections):
            if table.kind == RELA and table.info == section:
                found += [_relocation(section, row) for row in self._table(index)[:4096]]
        return sorted(found, key=lambda r: r.offset)

    def uses_in(self, section: int) -> list[tuple[int, int, int, int]]:
        """The same as plain numbers, which are many: offset, symbol, addend, kind."""
        found: list[tuple[int, int, int, int]] = []
        for index in self._tables_of.get(section, ()):
            table = self._table(index)
            info = table["info"]
            columns = table["offset"], info >> 32, table["addend"], info & 0xFFFFFFFF
            found += zip(*(column.tolist() for column in columns), strict=True)
        return sorted(found)

    @cached_property
    def _tables_of(self) -> dict[int, list[int]]:
        """The tables of relocations of each section."""
        found: dict[int, list[int]] = {}
        for index, table in enumerate(self.sections):
            if table.kind == RELA:
                found.setdefault(table.info, []).append(index)
        return found

    def content_of(self, section: Section) -> bytes:
        """The bytes of a section; b"" where it has none in the file. Raises ObjectError."""
        return b"" if section.kind == NOBITS else _bytes(self._data, section.offset, section.size)

    def is_loaded(self, section: int) -> bool:
        """Is the section part of the program, and not of what describes it?"""
        return section < len(self.sections) and bool(self.sections[section].flags & ALLOC)

    def function_at(self, section: int, offset: int) -> Symbol | None:
        """The function of a section that holds a byte."""
        for symbol in self.symbols:
            inside = symbol.value <= offset < symbol.value + max(symbol.size, 1)
            if symbol.kind == FUNCTION and symbol.section == section and inside:
                return symbol
        return None

    def _table(self, index: int) -> np.ndarray:
        if index not in self._tables:
            self._tables[index] = _array(self._data, self.sections[index], _RELOCATION)
        return self._tables[index]


def read_object(file: Path) -> ObjectFile:
    """Reads an object file. A link is not followed. Raises OSError, ObjectError."""
    data = content(file)
    return parsed(data)


def content(file: Path) -> bytes:
    """What is in a regular file, which is not a link. Raises OSError, ObjectError."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as opened:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_size > MAX_BYTES:
            raise ObjectError("not a file of a plausible size")
        return opened.read(MAX_BYTES)


def parsed(data: bytes) -> ObjectFile:
    """Reads an object file, or a shared library, from memory. Raises ObjectError."""
    try:
        magic, width, order, _, _, kind, machine, *rest = _HEADER.unpack_from(data)
        *_, at, _, _, _, _, size, count, names = rest
        if (magic, width, order, size) != (b"\x7fELF", 2, 1, _SECTION.size) or not count:
            raise ObjectError("not an object file of this machine")
        headers = [_SECTION.unpack_from(data, at + i * size) for i in range(count)]
        texts = _bytes(data, headers[names][4], headers[names][5])
        sections = [
            Section(_text(texts, name), type_, flags, offset, length, link, info, unit)
            for name, type_, flags, _, offset, length, link, info, _, unit in headers
        ]
        return ObjectFile(kind, machine, sections, _symbols(data, sections), data)
    except (struct.error, IndexError, OverflowError, UnicodeDecodeError) as problem:
        raise ObjectError("not a whole object file") from problem


def _symbols(data: bytes, sections: list[Section]) -> list[Symbol]:
    tables = [s for s in sections if s.kind == SYMTAB] or [s for s in sections if s.kind == DYNSYM]
    if len(tables) != 1:
        raise ObjectError("not one table of symbols")
    texts = sections[tables[0].link]
    names = _bytes(data, texts.offset, texts.size)
    rows = _array(data, tables[0], _SYMBOL)
    fields = zip(*(rows[name].tolist() for name in _SYMBOL.names or ()), strict=True)
    return [
        Symbol(_text(names, name), info >> 4, info & 15, section, value, size)
        for name, info, _, section, value, size in fields
    ]


def _bytes(data: bytes, offset: int, size: int) -> bytes:
    if offset + size > len(data):
        raise ObjectError("not a whole object file")
    return data[offset : offset + size]


def _array(data: bytes, section: Section, dtype: np.dtype) -> np.ndarray:
    if section.kind == NOBITS or section.size % dtype.itemsize:
        raise ObjectError("a table of an odd size")
    return np.frombuffer(_bytes(data, section.offset, section.size), dtype)


def _text(texts: bytes, start: int) -> str:
    end = texts.find(b"\0", start)
    if end < 0 or end - start > 1 << 16:
        raise ObjectError("a name without an end")
    return texts[start:end].decode("utf-8", "backslashreplace")


def _relocation(section: int, row: np.void) -> Relocation:
    info = int(row["info"])
    return Relocation(
        section, int(row["offset"]), info >> 32, int(row["addend"]), info & 0xFFFFFFFF
    )
