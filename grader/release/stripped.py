"""What students could still read in an object of a solution; the gate lets no other object pass.

Such an object is to be timed and for nothing else: only the names of the functions that the timing
program calls are left, with a prefix, and no debug information, compiler's note, file name or path.
"""

import re
from collections.abc import Iterator

from grader.compile.permitted import elf
from grader.compile.permitted.elf import ObjectError, Symbol
from grader.timing.reference import PREFIX

LOCAL = "local_"  # begins the name of every other function or variable of the solution
MACHINES = {62: "x86-64", 183: "aarch64"}  # e_machine
UNWANTED = re.compile(r"\.(?:debug|zdebug|comment|gnu\.lto|gnu\.debug|stab|line|note\.nv|nv_debug)")
NUMBERED = re.compile(r"\$[xd](?:\.\d+)?|\.LC\d+")  # the compiler's own: constants, aarch64's marks
FILE_NAME = re.compile(rb"[^\0]*(?:/|\.(?:c|cu|h|cuh|cpp|ii|s)(?=\0))[^\0]*")


def problems(data: bytes) -> Iterator[str]:
    """Why students may not have this object; nothing if they may."""
    try:
        yield from _problems(data)
    except ObjectError as problem:
        yield f"an object that is damaged: {problem}"


def _problems(data: bytes) -> Iterator[str]:
    if not data.startswith(b"\x7fELF\2\1"):
        yield "not an object for a 64-bit machine"
        return
    read = elf.parsed(data)
    if read.kind != elf.RELOCATABLE or read.machine not in MACHINES:
        yield "not an object to link, for x86-64 or aarch64"
    for section in read.sections:
        if UNWANTED.match(section.name):
            yield f"the section {section.name} of an object; strip it"
        if section.kind == elf.STRTAB or section.flags & elf.STRINGS:
            for name in FILE_NAME.findall(read.content_of(section)):
                yield f"a file's name in an object: {name.decode(errors='replace')}"
    for symbol in read.symbols:
        yield from _of_name(symbol)


def _of_name(symbol: Symbol) -> Iterator[str]:
    """What is wrong with the name of a symbol that the object defines."""
    name = symbol.name
    if symbol.kind == elf.FILE:
        yield f"a file's name in an object: {name}"
    defined = symbol.is_defined() and name and symbol.kind not in (elf.SECTION, elf.FILE)
    if defined and not name.startswith((PREFIX, LOCAL)) and not NUMBERED.fullmatch(name):
        yield f"the name {name} in an object; only those that begin with {PREFIX} may stay"
