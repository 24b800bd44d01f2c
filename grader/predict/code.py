"""The instructions that a warp executes, from the traced program's own machine code.

A traced program calls the simulator at each mark of its control flow and at each access, and the
simulator counts how often a warp passes each of these calls. Here the machine code between them is
read with objdump, divided into basic blocks, and its operations are counted by kind: those of an
x86-64 processor, which stand for the GPU's. What only moves data between registers and the stack,
or serves the calls, is left out.
"""

import bisect
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

from grader.execute import addr2line

_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(\S+)\s*(.*)$")
_TARGET = re.compile(r"^([0-9a-f]+) <([^>+]+)")
_MARK = re.compile(r"^\$0x([0-9a-f]{16}),%rdi$")
_MARK_LOOP = 2  # labs/sim/include/sim/marks.h, as the next line
_UNROLLED, _BY_TWO = 1, 8
_UNROLL = 4  # of nvcc, for a loop whose number of rounds it does not know

# A mnemonic's kind, without AVX's v: the first pattern that matches. What none matches is free.
_KINDS = [
    ("fma", r"fn?m(add|sub)\d+[sp]s"),
    ("fp64", r"(fn?m(add|sub)\d+|add|sub|mul|max|min|u?comi|div|sqrt|round)[sp]d$"),
    ("fma", r"(add|sub|mul)[sp]s$"),
    ("divide", r"(div|sqrt|rcp|rsqrt)[sp]s$"),
    ("alu", r"(max|min|u?comi|cmp\w*|round|and|xor|or|andn)[sp][sd]$"),
    ("convert", r"cvt"),
    ("idivide", r"i?div[bwlq]?$"),
    ("imul", r"i?mul[bwlq]?$"),
    ("move", r"cmov|set"),
    ("compare", r"(cmp|test|bt)[bwlq]?$"),
    ("lea", r"lea"),
    (
        "alu",
        r"(add|sub|and|or|xor|not|neg|sh[lr]|sa[lr]|ro[lr]|inc|dec|adc|sbb|bsr|bsf|tzcnt|lzcnt"
        r"|popcnt|bswap|sh[lr]d|andn|bextr|shlx|shrx|sarx|rorx)[bwlq]?$",
    ),
    ("alu", r"p(add|sub|and|or|xor|max|min|sll|srl|sra|cmp|mul)\w+"),
    ("branch", r"j(?!mp)"),
]
# Calls of the runtime that are an instruction or a short sequence of the GPU.
_CALLS = [
    ("shuffle", r"shfl|shuffle|ballot|vote|match|activemask|reduce"),
    ("barrier", r"sim_barrier|syncthreads"),
    ("divide", r"sqrt|rsqrt|rcp|div|exp|log|sin|cos|tan|pow|tanh|erf"),
    ("atomic", r"tsan_atomic"),
]


@dataclass
class _Block:
    """Instructions without a jump between them. passes: how often a warp runs it, once known."""

    operations: list[tuple[int, str]] = field(default_factory=list)  # addresses and kinds
    next: list[int] = field(default_factory=list)  # addresses of the blocks that may follow
    returns: list[int] = field(default_factory=list)  # of the calls that are counted
    unroll: int = 0  # the loop that begins here is unrolled so often; 0: no loop begins here
    passes: float | None = None


@dataclass(frozen=True)
class _Instruction:
    address: int
    name: str
    operands: str


@dataclass(frozen=True)
class Operation:
    """An instruction, and how often the warps of a launch execute it; in an unrolled loop nvcc
    executes steps, comparisons and branches less often."""

    address: int
    kind: str
    passes: float


def operations(binary: Path, passes: dict[int, int]) -> list[Operation]:
    """What all warps of a launch execute; passes: of the calls' return addresses. Empty where the
    machine code is not x86-64's."""
    functions = _functions(binary, passes)
    counted = _counted_calls(binary, functions, passes)
    found = []
    for start, end in functions:
        blocks = _blocks(_disassembled(binary, start, end), counted)
        _propagate(blocks, passes)
        for block in blocks.values():
            once = 1 / max(block.unroll, 1)
            for address, kind in block.operations:
                share = once if kind in ("step", "compare", "branch") else 1.0
                found.append(Operation(address, kind, share * (block.passes or 0)))
    return found


def _counted_calls(
    binary: Path, functions: list[tuple[int, int]], passes: dict[int, int]
) -> set[int]:
    """Where the calls return to that are counted: those of a function of the simulator of which one
    call is in `passes`. The others were never made."""
    returns: dict[str, set[int]] = defaultdict(set)
    for start, end in functions:
        for this, after in pairwise(_disassembled(binary, start, end)):
            target = _TARGET.match(this.operands) if this.name.startswith("call") else None
            if target:
                returns[target[2]].add(after.address)
    return {place for places in returns.values() if places & passes.keys() for place in places}


def mix(executed: list[Operation]) -> dict[str, float]:
    """Their number by kind."""
    total: Counter[str] = Counter()
    for operation in executed:
        total[operation.kind] += operation.passes  # type: ignore[assignment]
    return dict(total)


def fixed_operands(binary: Path, sites: Iterable[int]) -> set[int]:
    """Those of the accesses whose address is a constant of the program."""
    wanted = set(sites)
    fixed = set()
    for start, end in _functions(binary, wanted):
        setter = None
        code = _disassembled(binary, start, end)
        for this, after in pairwise(code):
            if this.operands.endswith(",%rdi") or this.operands.endswith(",%edi"):
                setter = this
            if this.name.startswith("call"):
                if setter is not None and after.address in wanted and _is_fixed(setter.operands):
                    fixed.add(after.address)
                setter = None
    return fixed


def _is_fixed(operands: str) -> bool:
    return "(%rip)" in operands or operands.startswith("$")


def locations(binary: Path, counters: Iterable[int]) -> dict[int, addr2line.Location]:
    """The file and line of each; asked for once, as many launches have the same."""
    known = _locations(binary)
    wanted = set(counters)
    if wanted - known.keys():
        known.update(addr2line.locations(binary, wanted - known.keys()))
    return {counter: known[counter] for counter in wanted}


@cache
def _locations(binary: Path) -> dict[int, addr2line.Location]:  # noqa: ARG001
    return {}


@cache
def _symbols(binary: Path) -> list[int]:
    """The addresses where the functions of a program begin."""
    done = subprocess.run(["nm", str(binary)], capture_output=True, text=True, check=False)
    rows = (line.split() for line in done.stdout.splitlines())
    return sorted({int(row[0], 16) for row in rows if len(row) == 3 and row[1] in "tTwW"})


def _functions(binary: Path, places: Iterable[int]) -> list[tuple[int, int]]:
    symbols = _symbols(binary)
    found = set()
    for place in places:
        after = bisect.bisect_right(symbols, place - 1)
        if 0 < after < len(symbols):
            found.add((symbols[after - 1], symbols[after]))
    return sorted(found)


@cache
def _disassembled(binary: Path, start: int, end: int) -> list[_Instruction]:
    done = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", f"--start-address={start}",
         f"--stop-address={end}", str(binary)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    matches = (_INSTRUCTION.match(line) for line in done.stdout.splitlines())
    return [_Instruction(int(m[1], 16), m[2], m[3].split("#")[0].strip()) for m in matches if m]


def _blocks(code: list[_Instruction], counted: set[int]) -> dict[int, _Block]:
    """The basic blocks of a function, by their first address."""
    starts = {code[0].address} if code else set()
    for this, after in pairwise(code):
        if this.name.startswith("j") or this.name.startswith("ret"):
            starts.add(after.address)
            target = _TARGET.match(this.operands)
            if target:
                starts.add(int(target[1], 16))
    blocks: dict[int, _Block] = {}
    block = _Block()
    for i, this in enumerate(code):
        if this.address in starts or i == 0:
            block = blocks[this.address] = _Block()
        follower = code[i + 1].address if i + 1 < len(code) else 0
        _add(block, this, follower, counted)
        if this.name.startswith("j"):
            target = _TARGET.match(this.operands)
            if target:
                block.next.append(int(target[1], 16))
        if follower in starts and this.name != "jmp" and not this.name.startswith("ret"):
            block.next.append(follower)
    return blocks


def _add(block: _Block, this: _Instruction, after: int, counted: set[int]) -> None:
    """Adds an instruction to a block; the next one is at `after`."""
    mark = _MARK.match(this.operands) if this.name == "movabs" else None
    if mark:
        _mark(block, int(mark[1], 16))
    elif this.name.startswith("call"):
        if after in counted:
            block.returns.append(after)
        target = _TARGET.match(this.operands)
        kind = next((k for k, p in _CALLS if target and re.search(p, target[2])), None)
        if kind:
            block.operations.append((this.address, kind))
    else:
        name = this.name.removeprefix("v")
        kind = _kind(name)
        if kind == "alu" and this.operands.startswith("$") and name[:3] in ("add", "sub"):
            kind = "step"  # of a pointer or a loop's counter: a constant
        if name.startswith(("xor", "pxor")) and len(set(this.operands.split(","))) == 1:
            kind = None  # sets a register to 0
        if kind and "%rsp" not in this.operands.split(",")[-1]:
            block.operations.append((this.address, kind))


@cache
def _kind(name: str) -> str | None:
    """Of a mnemonic, without AVX's v."""
    return next((kind for kind, pattern in _KINDS if re.match(pattern, name)), None)


def _mark(block: _Block, mark: int) -> None:
    kind, how = mark >> 48 & 0x7FFF, mark >> 32 & 0xFFFF
    if kind == _MARK_LOOP:
        block.unroll = 2 if how & _BY_TWO else _UNROLL if how & _UNROLLED else 1


def _known(blocks: dict[int, _Block], starts: list[int]) -> list[float]:
    passes = (blocks[start].passes for start in starts if start in blocks)
    return [known for known in passes if known is not None]


def _propagate(blocks: dict[int, _Block], passes: dict[int, int]) -> None:
    """Sets the passes of each block: counted ones, else no more than what comes before it, nor what
    follows it."""
    before: dict[int, list[int]] = defaultdict(list)
    for start, block in blocks.items():
        for follower in block.next:
            before[follower].append(start)
        if block.returns:
            block.passes = max(passes.get(place, 0) for place in block.returns)
    for _ in range(len(blocks)):
        changed = False
        for start, block in blocks.items():
            if block.passes is not None:
                continue
            sides = (_known(blocks, before[start]), _known(blocks, block.next))
            most = [sum(known) for known in sides if known]
            if most:
                block.passes = min(most)
                changed = True
        if not changed:
            break
