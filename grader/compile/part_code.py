"""What each part of a lab runs of a submission's objects: a hash, to tell whether that changed.

A part runs the functions that its checks call, and what those use. Two builds with the same hash
differ, for that part, only in functions that it never reaches and in where things lie. So all else
counts: every variable, what runs before main(), which functions there are, and each function that
code outside of the objects could call. The build gives each function a section of its own. Machine
code holds the line numbers of launches and shared arrays: a new line above a part changes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from grader.compile import sources
from grader.compile.permitted import elf
from grader.compile.permitted.before_main import BEFORE_MAIN
from grader.compile.permitted.elf import ObjectError, ObjectFile, Symbol
from grader.compile.permitted.object_check import OF_LIBRARY
from grader.model.lab import Lab

Place = tuple[int, int]  # an object's index and a section's
OBJECTS = {  # of a program, by the ending of the source
    ("run", ".cu"): [".o"],
    ("run", ".c"): [".o"],
    ("checked", ".cu"): [".checked.o"],
    ("checked", ".c"): [".checked.o", ".raced.o"],
}
UNWINDING = ".eh_frame"  # follows from the code
HANDLERS, CODE = ".gcc_except_table.", ".text."  # belong together where the names go on alike


def hashes(program: Path, lab: Lab) -> dict[str, bytes]:
    """The hash of what each part runs in a program of submission.mk's on the simulator, by its id.
    Raises OSError, ObjectError where that cannot be determined."""
    sources_and_ends = [(f, OBJECTS[program.name, Path(f).suffix]) for f in lab.submit]
    names = [f"{file}{end}" for file, ends in sources_and_ends for end in ends]
    code = _Code([elf.read_object(program.parent / name) for name in names])
    given = hashlib.sha256(program.name.encode())
    for file in sources.linked(lab, "sim"):
        given.update(hashlib.sha256(file.read_bytes()).digest())
    try:
        given.update(code.frame())
        return {
            part.id: hashlib.sha256(
                given.digest() + code.reached({f for p in lab.part if p != part for f in p.calls})
            ).digest()
            for part in lab.part
        }
    except (IndexError, KeyError, ValueError) as problem:
        raise ObjectError("an object that is not as compilers make it") from problem


@dataclass
class _Code:
    """The objects of a submission that are linked together."""

    objects: Sequence[ObjectFile]
    _texts: dict[Place, tuple[bytes, list[Place]]] = field(default_factory=dict)

    def frame(self) -> bytes:
        """The hash of all but functions: variables, constants with a place of their own, what runs
        before main(), and the names that an object defines for others."""
        whole = hashlib.sha256()
        for number, parts in enumerate(self.objects):
            for index, section in enumerate(parts.sections):
                if self._is_frame(parts, index):
                    text, _ = self._text((number, index))
                    whole.update(repr((section.name, section.kind, section.flags)).encode() + text)
            names = sorted((s.name, s.binding, s.kind) for s in parts.symbols if _is_offered(s))
            whole.update(repr(names).encode())
        return whole.digest()

    def reached(self, others: set[str]) -> bytes:
        """The hash of all functions that can run where nobody calls those of the others."""
        left = [place for place, symbols in self._functions.items() if _is_begun(symbols, others)]
        for number, parts in enumerate(self.objects):
            for index, section in enumerate(parts.sections):
                if BEFORE_MAIN.fullmatch(section.name) and section.kind != elf.RELA:
                    left += self._text((number, index))[1]
        seen = set(left)
        while left:
            new = set(self._text(left.pop())[1]) - seen
            seen |= new
            left += new
        return hashlib.sha256(b"".join(self._text(place)[0] for place in sorted(seen))).digest()

    @cached_property
    def _functions(self) -> dict[Place, list[Symbol]]:
        """Each section of code, with the functions in it."""
        found: dict[Place, list[Symbol]] = {}
        for number, parts in enumerate(self.objects):
            for index, section in enumerate(parts.sections):
                if section.flags & elf.EXECUTABLE and section.size:
                    found[number, index] = []
            for symbol in parts.symbols:
                if symbol.kind == elf.FUNCTION and symbol.is_defined():
                    found[number, symbol.section].append(symbol)
        return found

    @cached_property
    def _offered(self) -> dict[str, Place]:
        """Where the names are defined that other objects may use."""
        return {
            symbol.name: (number, symbol.section)
            for number, parts in enumerate(self.objects)
            for symbol in parts.symbols
            if _is_offered(symbol)
        }

    @cached_property
    def _handlers(self) -> dict[tuple[int, str], int]:
        """The section with the handlers of exceptions of each section of code, by its name."""
        return {
            (number, CODE + section.name.removeprefix(HANDLERS)): index
            for number, parts in enumerate(self.objects)
            for index, section in enumerate(parts.sections)
            if section.name.startswith(HANDLERS)
        }

    def _is_frame(self, parts: ObjectFile, index: int) -> bool:
        section = parts.sections[index]
        apart = elf.EXECUTABLE | elf.MERGED
        named = section.name.startswith((UNWINDING, HANDLERS)) or section.kind == elf.RELA
        return parts.is_loaded(index) and not section.flags & apart and not named

    def _text(self, place: Place) -> tuple[bytes, list[Place]]:
        """All that a section is, wherever it lies; and the sections that it uses."""
        if place not in self._texts:
            number, index = place
            parts = self.objects[number]
            section = parts.sections[index]
            uses: list[Place] = []
            described = [section.name, section.size, parts.content_of(section)]
            for offset, symbol, addend, kind in parts.uses_in(index):
                described.append((offset, addend, kind, self._target(number, symbol, uses)))
            handlers = self._handlers.get((number, section.name))
            uses += [(number, handlers)] if handlers else []
            self._texts[place] = hashlib.sha256(repr(described).encode()).digest(), uses
        return self._texts[place]

    def _target(self, number: int, index: int, uses: list[Place]) -> object:
        """What a use means, and adds the section that it leads to."""
        parts = self.objects[number]
        symbol = parts.symbols[index]
        if not symbol.is_defined() or symbol.section >= elf.RESERVED:
            if symbol.name in self._offered:
                uses.append(self._offered[symbol.name])
            return symbol.name
        section = parts.sections[symbol.section]
        if section.flags & elf.MERGED:  # the linker may keep one of equal constants: what it is
            content = parts.content_of(section)
            if symbol.kind == elf.SECTION:
                return content
            end = symbol.value + section.unit
            if section.flags & elf.STRINGS:
                end = content.index(b"\0" * section.unit, symbol.value)
            return content[symbol.value : end]
        uses.append((number, symbol.section))
        return section.name, symbol.value


def _is_offered(symbol: Symbol) -> bool:
    return symbol.is_defined() and symbol.binding != elf.LOCAL


def _is_begun(functions: Sequence[Symbol], others: set[str]) -> bool:
    """May code outside of the objects begin one of these functions? It calls what lab.h declares,
    and could call what has the name of a library's. Code that is no function may be anything."""
    known = [f for f in functions if f.binding != elf.LOCAL and f.name not in others]
    library = any(not f.name.startswith("_Z") or OF_LIBRARY.match(f.name) for f in known)
    return library or not functions
