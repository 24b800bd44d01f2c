"""Which instructions newer than SSSE3 a function in C executed, and which multiplications, by
source line. The record is written by labs/runtime/runner/instructions.h."""

import re
from pathlib import Path
from typing import Annotated

import msgspec

from grader.execute import addr2line, records
from grader.execute.addr2line import Location
from grader.model.spec import Technique
from grader.sandbox import launcher

LONGEST = 15  # bytes of an instruction
# What each counter counts: instructions whose registers have so many bits, or more.
LEAST_BITS = {
    "newer_instructions": 0,
    "avx_instructions": 1,
    "wide_instructions": 256,
    "wide_multiplications": 256,
}

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]


class Site(msgspec.Struct, frozen=True):
    """One instruction of the program that is newer than SSSE3, or multiplies. bits: of the
    registers that it uses, if it is one of AVX; else 0, and -1 if it is not newer."""

    pc: Count
    bits: Annotated[int, msgspec.Meta(ge=-1, lt=1 << 62)]
    executed: Count
    multiplies: bool


class Record(msgspec.Struct, frozen=True):
    """What a run left. stepped: instructions of the program that were seen, of any kind. gave_up:
    most were not, because libraries executed too many."""

    stepped: Count
    gave_up: bool
    sites: list[Site]


class Instructions(msgspec.Struct, frozen=True):
    """The instructions that one counter counts, among the `stepped` ones that were seen: how many
    were executed, in all and at the line with most, and one of that line. multiplications: of any
    kind."""

    stepped: int
    executed: int
    location: Location = addr2line.UNKNOWN
    at_location: int = 0
    text: str = ""  # such as "vpshufb %ymm3,%ymm0,%ymm0"; "" when it is not known
    multiplications: int = 0

    def value(self, technique: Technique) -> float:
        """What a check's limit is for: their number, or their share of all."""
        return self.executed / (self.among(technique) or 1)

    def among(self, technique: Technique) -> int:
        """How many there are of those that a share is a share of."""
        if technique.per == "multiplication":
            return self.multiplications
        return self.stepped if technique.per else 1


def read_instructions(raw: bytes) -> Record | None:
    """The record of a run; None when there is none, or nothing was stepped on this machine."""
    record = records.readable(raw, Record)
    return record if record and record.stepped else None


def counted(record: Record, counter: str, binary: Path) -> Instructions | None:
    """The value of a counter of LEAST_BITS in a run of the program `binary`; None where it may only
    not have been seen."""
    products = [s for s in record.sites if s.multiplies]
    multiplications = sum(s.executed for s in products)
    among = products if counter == "wide_multiplications" else record.sites
    sites = [s for s in among if s.bits >= LEAST_BITS[counter]]
    if not sites and record.gave_up:
        return None
    if not sites:
        return Instructions(record.stepped, 0, multiplications=multiplications)
    locations = addr2line.locations(binary, (site.pc for site in sites))
    by_line: dict[Location, int] = {}
    for site in sites:
        where = locations[site.pc]
        by_line[where] = by_line.get(where, 0) + site.executed
    worst = max(by_line, key=lambda where: (where != addr2line.UNKNOWN, by_line[where]))
    widest = max((s for s in sites if locations[s.pc] == worst), key=lambda s: (s.bits, -s.pc))
    executed = sum(site.executed for site in sites)
    text = disassembled(binary, widest.pc)
    return Instructions(record.stepped, executed, worst, by_line[worst], text, multiplications)


def disassembled(binary: Path, pc: int) -> str:
    """The instruction at an address of a program, or "" where objdump cannot say."""
    argv = ["objdump", "-d", "--no-show-raw-insn", f"--start-address={pc}"]
    argv += [f"--stop-address={pc + LONGEST}", str(binary)]
    output = launcher.tool_output(argv, binary)
    found = re.search(rf"^ *{pc:x}:\t(.+)$", output, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""
