"""The loops of a function, and what follows one another in them."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from grader.sass.listing import Function, Instruction

_TARGET = re.compile(r"`\((\.L_\w+)\)")
_ENDS = ("BRA", "EXIT", "RET", "BRX", "JMP", "KILL")
Region = tuple[int, int]  # the first and the last address of a loop; of what is in none: WHOLE
WHOLE: Region = (-1, -1)


def _is_branch(one: Instruction) -> bool:
    return one.op.split(".")[0] == "BRA"


@dataclass
class Flow:
    """The flow of control in a function. targets: of its branches, by their addresses. after: the
    addresses behind what never goes on. calls: it jumps where its text does not say."""

    function: Function
    targets: dict[int, int] = field(init=False)
    after: set[int] = field(init=False)
    loops: list[Region] = field(init=False)
    calls: bool = field(init=False)
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        labels = self.function.labels
        code = self.function.code
        named = ((i.address, _TARGET.search(i.operands)) for i in code if _is_branch(i))
        self.targets = {at: labels[m[1]] for at, m in named if m and m[1] in labels}
        ends = [i for i in code if not i.guard and i.op.split(".")[0] in _ENDS]
        self.after = {i.address + 16 for i in ends if not re.search(r"U?P\d", i.operands)}
        self.calls = any(i.op.split(".")[0] in ("CALL", "BRX", "JMP") for i in code)
        heads: dict[int, int] = {}
        for at, target in self.targets.items():
            if target < at:
                heads[target] = max(at, heads.get(target, 0))
        self.loops = sorted(heads.items(), key=lambda loop: loop[1] - loop[0])
        begun = {0, *self.targets.values(), *(at + 16 for at in self.targets), *self.after}
        self.starts = sorted(begun)

    def loop_of(self, address: int) -> Region:
        """The innermost loop around an instruction."""
        return next((loop for loop in self.loops if loop[0] <= address <= loop[1]), WHOLE)

    def in_a_row(self, addresses: list[int], region: Region) -> int:
        """The most of these instructions that one way through the region, forwards, meets."""
        number: dict[int, int] = {}
        for address in addresses:
            start = self._block(address)
            number[start] = number.get(start, 0) + 1
        best: dict[int, int] = {}
        most = 0
        for index, start in enumerate(self.starts):
            if region != WHOLE and not region[0] <= start <= region[1]:
                continue
            here = best.get(start, 0) + number.get(start, 0)
            most = max(most, here)
            end = self.starts[index + 1] if index + 1 < len(self.starts) else start
            following = [*([] if end in self.after else [end]), self.targets.get(end - 16, -1)]
            for then in following:
                if then > start:
                    best[then] = max(here, best.get(then, 0))
        return most

    def _block(self, address: int) -> int:
        return self.starts[bisect_right(self.starts, address) - 1]
