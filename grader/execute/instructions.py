"""Which instructions a function in C executed, by line: those newer than SSSE3, those of AVX,
and multiplications. labs/runtime/runner/instructions.h writes the record of addresses, objdump says
what is there, and labs/sim/x86.toml what it does."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import msgspec

from grader.execute import addr2line, records
from grader.execute.addr2line import Location
from grader.model.lab import Technique
from grader.sandbox import launcher
from labs.sim import x86

LONGEST = 15  # bytes of an instruction
NOT_NEWER = -1
_INSTRUCTION = re.compile(r"(?m)^ *([0-9a-f]+):\t(.+)$")
# What each counter counts: instructions whose registers have so many bits, or more; see _bits().
LEAST_BITS = {
    "newer_instructions": 0,
    "avx_instructions": 1,
    "wide_instructions": 256,
    "wide_multiplications": 256,
}

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]


class Site(msgspec.Struct, frozen=True):
    """One instruction of the program."""

    pc: Count
    executed: Count


class Record(msgspec.Struct, frozen=True):
    """What a run left. stepped: instructions of the program that were seen, of any kind. gave_up:
    most were not, because libraries executed too many."""

    stepped: Count
    gave_up: bool
    sites: list[Site]


class Instructions(msgspec.Struct, frozen=True):
    """The instructions that one counter counts, among the `stepped` ones that were seen: how many
    were executed, in all and at the line with most, and one of that line. multiplications: of any
    kind. unknown: one that the table does not have, at `location`; then nothing counts."""

    stepped: int
    executed: int
    location: Location = addr2line.UNKNOWN
    at_location: int = 0
    text: str = ""  # such as "vpshufb %ymm3,%ymm0,%ymm0"; "" when it is not known
    multiplications: int = 0
    unknown: str = ""

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
    texts = disassembled(binary, [site.pc for site in record.sites])
    if "" in texts.values():
        return None
    for site in record.sites:
        if not x86.find(_word(texts[site.pc])):
            where = addr2line.locations(binary, [site.pc])[site.pc]
            return Instructions(record.stepped, 0, where, unknown=texts[site.pc])
    products = [s for s in record.sites if x86.multiplies(_word(texts[s.pc]))]
    multiplications = sum(s.executed for s in products)
    among = products if counter == "wide_multiplications" else record.sites
    bits = {site.pc: _bits(texts[site.pc]) for site in among}
    sites = [s for s in among if bits[s.pc] >= LEAST_BITS[counter]]
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
    widest = max((s for s in sites if locations[s.pc] == worst), key=lambda s: (bits[s.pc], -s.pc))
    executed = sum(site.executed for site in sites)
    text = texts[widest.pc]
    return Instructions(record.stepped, executed, worst, by_line[worst], text, multiplications)


def _word(text: str) -> str:
    """An instruction's name, without its prefixes."""
    found = x86.INSTRUCTION.match(text)
    return found["word"] if found else text


def _bits(text: str) -> int:
    """Of the registers that it uses, if it is one of AVX; else 0, or -1 if it is not newer than
    SSSE3."""
    word = _word(text)
    if not x86.is_newer(word):
        return NOT_NEWER
    for bits, register, suffix in ((512, "%zmm", "z"), (256, "%ymm", "y")):
        if register in text or ((row := x86.find(word)) and row.size == suffix):
            return bits
    return 128 if word.startswith(("v", "k")) else 0


def disassembled(binary: Path, counters: Iterable[int]) -> dict[int, str]:
    """The instruction at each address of a program, such as "vpshufb %ymm3,%ymm0,%ymm0"; "" where
    objdump cannot say."""
    known = _known(addr2line.identity(binary))
    wanted = set(counters)
    if missing := wanted - known.keys():
        known |= _asked(binary, min(missing), max(missing))
    for pc in wanted - known.keys():  # in the middle of what objdump took for another instruction
        known |= {pc: "", **_asked(binary, pc, pc)}
    return {pc: known[pc] for pc in wanted}


@lru_cache(maxsize=8)
def _known(_: tuple[str, int, int]) -> dict[int, str]:
    """What is known of a binary: the checks of a grading ask for much the same."""
    return {}


def _asked(binary: Path, first: int, last: int) -> dict[int, str]:
    """What objdump says of all instructions from one address to another."""
    argv = ["objdump", "-d", "--no-show-raw-insn", f"--start-address={first}"]
    argv += [f"--stop-address={last + LONGEST}", str(binary)]
    found = _INSTRUCTION.findall(launcher.tool_output(argv, binary))
    texts = {int(pc, 16): " ".join(text.split("#")[0].split()) for pc, text in found}
    return {pc: "" if "(bad)" in text else text for pc, text in texts.items() if pc <= last}
