"""Follows nvcc's machine code of an sm_90 through the threads of some blocks: how often warps
execute each instruction.

Only what decides where threads go is computed: whole numbers and predicates that follow from the
kernel's arguments and a thread's place. What is loaded is unknown, and so is what an instruction
gives that grader/sass/arithmetic.py has not. Where a branch depends on it, all threads take the way
that the text has next, and the result says how much of it is such a guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from grader.sass import operands
from grader.sass.arithmetic import FUNCTIONS, MASK, Values
from grader.sass.flow import Flow
from grader.sass.listing import Function, Instruction

WARP = 32
ARGUMENTS = 0x210  # their place in constant bank 0
MOST_STEPS = 60_000  # instructions that are computed, each for all lanes
MOST_LANES = 1 << 14
MOST_THREADS = 1024  # of a block
_FAR = 1 << 40
_CONSTANT = re.compile(r"c\[0x0\]\[(?:RZ|(?:RZ\+)?0x([0-9a-f]+))\]$")
_CARRIES = ("IADD3", "VIADD", "LEA")  # which add as grader/sass/arithmetic.py says
_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2}

Lanes = NDArray[np.bool_]
Known = Lanes | None  # None: in all lanes


class LostError(Exception):
    """Where threads go is not known."""


@dataclass(frozen=True)
class Blocks:
    """A launch. arguments: their bytes, as the host has them."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: bytes

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    def chosen(self) -> list[tuple[tuple[int, int, int], int]]:
        """Blocks, and how many each stands for: of each axis the first, the middle one and the
        last, as images have their borders there."""
        axes = [_of_axis(extent) for extent in self.grid]
        for axis in (2, 1, 0):
            if self.threads * np.prod([len(each) for each in axes]) > MOST_LANES:
                axes[axis] = [(self.grid[axis] // 2, self.grid[axis])]
        picked = (tuple(zip(*each, strict=True)) for each in product(*axes))
        return [((at[0], at[1], at[2]), n[0] * n[1] * n[2]) for at, n in picked]


def _of_axis(extent: int) -> list[tuple[int, int]]:
    if extent <= 2:
        return [(i, 1) for i in range(extent)]
    return [(0, 1), (extent // 2, extent - 2), (extent - 1, 1)]


@dataclass(frozen=True)
class Followed:
    """counts: of warps, by the address of each instruction, for the whole launch. guessed: the
    share of the instructions whose count is inferred. whole: the threads were followed to their
    ends, not only for MOST_STEPS."""

    counts: dict[int, float]
    guessed: float
    whole: bool


def follow(function: Function, launch: Blocks) -> Followed:
    """Raises LostError."""
    if launch.threads > MOST_THREADS:  # what a program wrote itself into its counters
        raise LostError
    return _Follower(function, launch).run()


class _Follower:
    """Runs the threads whose next instruction is first in the text, one basic block at a time, so
    that they meet again where the text has their ways join."""

    def __init__(self, function: Function, launch: Blocks) -> None:
        self.flow = Flow(function)
        end = function.code[-1].address + 16
        behind = {one.address + 16 for one in function.code if operands.moves(one)}
        starts = sorted(start for start in behind.union(self.flow.starts) if start < end)
        self.next = dict(zip(starts, [*starts[1:], end], strict=True))
        self.code: dict[int, list[Instruction]] = {start: [] for start in starts}
        here: list[Instruction] = []
        for one in function.code:
            here = self.code.get(one.address, here)
            here.append(one)
        deciding = _deciding(function)
        self.steps = {
            start: [one for one in code if one.address in deciding or operands.moves(one)]
            for start, code in self.code.items()
        }
        self._place(launch)
        self.state: dict[str, tuple[Values, Known]] = {}
        self.guesses = np.zeros(self.lanes, np.int64)  # up to this address, to be there is one

    def _place(self, launch: Blocks) -> None:
        """One lane for each thread of the chosen blocks; those of whole warps that are none have
        ended."""
        x, y, _ = launch.block
        padded = -(-launch.threads // WARP) * WARP
        chosen = launch.chosen()
        number = np.tile(np.arange(padded, dtype=np.int64), len(chosen))
        self.lanes = len(number)
        self.zero = np.zeros(self.lanes, np.int64)
        self.weights = np.repeat([float(weight) for _, weight in chosen], padded // WARP)
        self.at = np.where(number < launch.threads, 0, -1)
        self.special = {"SRZ": self.zero, "SR_CgaCtaId": self.zero, "SR_LANEID": number % WARP}
        for axis, place in enumerate((number % x, number // x % y, number // (x * y))):
            self.special[f"SR_TID.{'XYZ'[axis]}"] = place
            block = np.array([at[axis] for at, _ in chosen], np.int64)
            self.special[f"SR_CTAID.{'XYZ'[axis]}"] = np.repeat(block, padded)
        head = b"".join(n.to_bytes(4, "little") for n in (*launch.block, *launch.grid))
        self.bank = head.ljust(ARGUMENTS, b"\0") + launch.arguments

    def run(self) -> Followed:
        counts, guesses = dict.fromkeys(self.code, 0.0), dict.fromkeys(self.code, 0.0)
        left = MOST_STEPS
        while left > 0 and (start := int(np.where(self.at < 0, _FAR, self.at).min())) < _FAR:
            active = self.at == start
            counts[start] += self._warps(active)
            guesses[start] += self._warps(active & (self.guesses > start))
            for one in self.steps[start]:
                active = (_jump if operands.moves(one) else _step)(self, one, active)
            follower = self.next[start]
            self.at[active] = follower if follower in self.code else -1
            left -= len(self.steps[start]) + 1
        sizes = {start: len(code) for start, code in self.code.items()}
        all_, guessed = (sum(sizes[s] * n for s, n in c.items()) for c in (counts, guesses))
        by_address = {one.address: counts[s] for s, code in self.code.items() for one in code}
        return Followed(by_address, guessed / max(all_, 1.0), left > 0)

    def _warps(self, active: Lanes) -> float:
        return float(self.weights[active.reshape(-1, WARP).any(axis=1)].sum())

    def get(self, name: str) -> tuple[Values, Known]:
        return self.state.get(name) or (self.zero, np.zeros(self.lanes, bool))

    def put(self, name: str, value: Values, known: Known, active: Lanes) -> None:
        if not active.all():
            old, was = self.get(name)
            value = np.where(active, value, old)
            if known is not None or was is not None:
                known = np.where(
                    active, True if known is None else known, True if was is None else was
                )
                known = None if known.all() else known
        self.state[name] = value, known

    def value(self, text: str, part: int = 0, carries: bool = False) -> tuple[Values, Known]:
        """Of an operand. part: the word of one of several; carries: as grader/sass/arithmetic.py
        has negated ones."""
        if operands.PREDICATE.match(text):
            name = text.lstrip("!")
            found, known = (self.zero + 1, None) if name[-1] == "T" else self.get(name)
            return ((found == 0) if text[0] == "!" else (found != 0)).astype(np.int64), known
        sign = text[0] if text[0] in "-~" and not re.match(r"-(0x)?\d", text) else ""
        value, known = self._plain(text.removeprefix(sign).removesuffix(".64"), part)
        if sign == "-" and not carries:
            return -value & MASK, known
        return (value ^ MASK) + (sign == "-") if sign else value, known

    def _plain(self, name: str, part: int) -> tuple[Values, Known]:
        if operands.REGISTER.match(name):
            return (
                (self.zero, None) if name[-1] == "Z" else self.get(operands.following(name, part))
            )
        if found := _CONSTANT.match(name):
            return self.constant(int(found[1] or "0", 16) + 4 * part)
        if name in self.special:
            return self.special[name], None
        try:
            number = int(name, 0)
        except ValueError:
            return self.get("?")
        return self.zero + ((number if part == 0 else -(number < 0)) & MASK), None

    def constant(self, at: int, size: int = 4, is_signed: bool = False) -> tuple[Values, Known]:
        """A word of constant bank 0: the launch's size, or an argument."""
        if not (at < 24 or ARGUMENTS <= at <= len(self.bank) - size):
            return self.get("?")
        word = int.from_bytes(self.bank[at : at + size], "little", signed=is_signed)
        return self.zero + (word & MASK), None


def _both(*known: Known) -> Known:
    some = [one for one in known if one is not None]
    return np.logical_and.reduce(some) if some else None


def _deciding(function: Function) -> set[int]:
    """The addresses of the instructions that decide where threads go."""
    setters: dict[str, list[Instruction]] = {}
    for one in function.code:
        for name in operands.results(one):
            setters.setdefault(name, []).append(one)
    waiting = [name for one in function.code if operands.moves(one) for name in operands.reads(one)]
    found, seen = set[int](), set[str]()
    while waiting:
        if (name := waiting.pop()) not in seen:
            seen.add(name)
            for one in setters.get(name, []):
                found.add(one.address)
                waiting += operands.reads(one)
    return found


# ---------------------------------------------------------------- steps


def _reads(f: _Follower, one: Instruction) -> list[tuple[Values, Known]]:
    """Its operands; of an instruction that moves several words, each of them. Raises ValueError."""
    base, *parts = one.op.removeprefix("U").split(".")
    names = operands.split(one)[operands.leading(one) :]
    if base == "HFMA2":  # -RZ, RZ, and two floats of 16 bits
        if names[:2] != ["-RZ", "RZ"]:
            raise ValueError
        upper, lower = (int(np.float16(float(text)).view(np.uint16)) for text in names[2:4])
        return [f.value(str(upper << 16 | lower))]
    if base in ("LDC", "CS2R"):
        place, size = _CONSTANT.match(names[0]), _BYTES.get(parts[0] if parts else "", 4)
        if place and size < 4:
            return [f.constant(int(place[1] or "0", 16), size, parts[0][0] == "S")]
        return [f.value(names[0], word) for word in range(operands.words(one))]
    found = [f.value(name, 0, base in _CARRIES) for name in names]
    if base == "IMAD" and ("WIDE" in parts or "HI" in parts):
        found.append(f.value(names[2], 1))
    return found


def _step(f: _Follower, one: Instruction, active: Lanes) -> Lanes:
    """Computes what it gives; what is not known of it, its results are not."""
    base, *parts = one.op.split(".")
    function = FUNCTIONS.get(base if base in ("R2UR", "S2UR") else base.removeprefix("U"))
    names = operands.results(one)
    able, sure = active, None
    if one.guard:
        holds, sure = f.value(one.guard)
        able = active & (holds != 0) if sure is None else active & ((holds != 0) | ~sure)
    values: dict[str, Values] = {}
    known: Known = None
    if function is not None:
        try:
            found = _reads(f, one)
            known = _both(sure, *(k for _, k in found))
            registers, tests = function(parts, *(v for v, _ in found))
            given = iter(registers), iter(tests)
            for name in names:
                values[name] = next(given[bool(operands.PREDICATE.match(name))])
        except (ValueError, TypeError, IndexError, StopIteration):
            values = {}  # a form of it that is not known
    for name in names:
        nothing = np.zeros(f.lanes, bool)
        f.put(name, values.get(name, f.zero), known if name in values else nothing, able)
    return active


def _jump(f: _Follower, one: Instruction, active: Lanes) -> Lanes:
    """Sends lanes elsewhere, or ends them; returns those that go on. What is called is not
    followed: mostly the rare case of a division."""
    base, *parts = one.op.split(".")
    goes, sure = active, None
    for name in (one.guard, *operands.split(one)[:1]):
        if operands.PREDICATE.match(name):
            holds, known = f.value(name)
            goes, sure = goes & (holds != 0), _both(sure, known)
    target = f.flow.targets.get(one.address, -1)
    if base == "CALL" or "DIV" in parts or not active.any():
        return active
    if sure is not None and (unsure := active & ~sure).any():
        if base == "BRA" and 0 <= target <= one.address:
            raise LostError
        goes = goes & sure
        f.guesses[unsure] = np.maximum(f.guesses[unsure], target if base == "BRA" else _FAR)
    if base in ("BRX", "JMP", "RET") or (base == "BRA" and target < 0):
        raise LostError
    f.at[goes] = target if base == "BRA" else -1
    return active & ~goes
