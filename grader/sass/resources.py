"""What ptxas -v says of each kernel: registers, spills and memory."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_KERNEL = re.compile(r"ptxas info\s*: Compiling entry function '(\S+)' for")
_OF = re.compile(r"ptxas info\s*: Function properties for (\S+)")
_FRAME = re.compile(
    r"\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
)
_USED = re.compile(r"ptxas info\s*: Used (\d+) registers")
_SHARED = re.compile(r"\b(\d{1,9}) bytes smem")


@dataclass
class Resources:
    """Bytes of local memory, of those the spills, and of static shared memory."""

    registers: int = 0
    local: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    shared: int = 0

    def only_spills(self) -> bool:
        """Is all local memory for registers? A frame is a multiple of 8 bytes."""
        return 0 < self.local <= -(-self.spill_stores // 8) * 8


def read(messages: Iterable[str]) -> dict[str, Resources]:
    """By the kernels' names."""
    found: dict[str, Resources] = {}
    kernel = of = ""
    for line in messages:
        if match := _KERNEL.match(line):
            kernel = match[1]
        elif match := _OF.match(line):
            of = match[1]
        elif (match := _FRAME.match(line)) and of == kernel:
            one = found.setdefault(kernel, Resources())
            one.local, one.spill_stores, one.spill_loads = map(int, match.groups())
        elif match := _USED.match(line):
            one = found.setdefault(kernel, Resources())
            one.registers = int(match[1])
            one.shared = int(shared[1]) if (shared := _SHARED.search(line)) else 0
    return found
