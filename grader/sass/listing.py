"""Reads nvdisasm's listing: functions, instructions, and the source line of each."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from grader.execute.addr2line import Location, shortened

MOST = 400_000  # instructions
_FUNCTION = re.compile(r"\s+\.section\s+\.text\.([^,\s]+)")
_ENTRY = re.compile(r'\s+\.other\s+(\S+),@"STO_CUDA_ENTRY')
_LABEL = re.compile(r"(\.L_\w+):")
_PLACE = re.compile(r'(?:File|at) "([^"]+)", line (\d{1,9})\b')
_CODE = re.compile(r"\s+/\*([0-9a-f]{4,8})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z]\w*(?:\.\w+)*)\s*([^;]*);")


class Instruction(NamedTuple):
    """chain: the line that it was made for, then those of the calls that were inlined."""

    address: int
    guard: str
    op: str
    operands: str
    chain: tuple[Location, ...]

    def text(self) -> str:
        return " ".join(filter(None, [self.guard and f"@{self.guard}", self.op, self.operands]))


@dataclass
class Function:
    """name: as the linker knows it. labels: the addresses that branches name."""

    name: str
    is_kernel: bool = False
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)


def read(lines: Iterable[str]) -> list[Function]:
    """The functions that have instructions; what is neither of these lines is skipped."""
    reader = _Reader()
    for line in lines:
        if len(line) < 10_000:
            reader.take(line)
    return [function for function in reader.functions if function.code]


@dataclass
class _Reader:
    functions: list[Function] = field(default_factory=list)
    chain: tuple[Location, ...] = ()
    is_chain: bool = False  # the last line was of one, which may go on
    count: int = 0

    def take(self, line: str) -> None:
        if found := _FUNCTION.match(line):
            self.functions.append(Function(found[1]))  # a line is named where another one begins
        elif self.functions and "//##" in line:
            self.chain = (*(self.chain if self.is_chain else ()), *_places(line))
            self.is_chain = True
        elif self.functions:
            self.is_chain = False
            self._inside(self.functions[-1], line)

    def _inside(self, function: Function, line: str) -> None:
        if (found := _CODE.match(line)) and self.count < MOST:
            self.count += 1
            at = int(found[1], 16)
            chain = tuple(dict.fromkeys(self.chain))
            function.code.append(Instruction(at, found[2] or "", found[3], found[4].strip(), chain))
        elif found := _LABEL.match(line):
            function.labels[found[1]] = function.code[-1].address + 16 if function.code else 0
        elif found := _ENTRY.match(line):
            function.is_kernel = function.is_kernel or found[1] == function.name


def shown(file: str) -> str:
    """The file's name, without a `.` in its path."""
    return shortened(str(Path(file)))


@lru_cache(maxsize=4096)
def _places(line: str) -> tuple[Location, ...]:
    return tuple((shown(file), int(number)) for file, number in _PLACE.findall(line))
