"""Follows nvcc's machine code of an sm_90 through the threads of some blocks: how often warps execute
each instruction.

Only what decides where threads go is computed: integers and predicates that follow from the
kernel's arguments and a thread's place. What is loaded, and what an instruction gives that is not
known here, is unknown; where a branch depends on it, all threads go on, and that is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from grader.sass.flow import Flow
from grader.sass.listing import Function, Instruction

WARP = 32
ARGUMENTS = 0x210  # of a kernel, in constant bank 0
MOST_STEPS = 150_000  # instructions that are computed
MOST_LANES = 1 << 14
_M = 0xFFFFFFFF
_CONSTANT = re.compile(r"c\[0x0\]\[(?:RZ|(?:RZ\+)?0x([0-9a-f]+))\]$")
_REGISTER = re.compile(r"U?R(\d+|Z)$")
_PREDICATE = re.compile(r"U?P[\dT]$")
_LOCAL = re.compile(r"\[R1(?:\+0x([0-9a-f]+))?\]$")
_NO_RESULT = re.compile(
    r"BRA|BRX|EXIT|RET|CALL|JMP|BAR|B(SSY|SYNC|REAK|MOV)|ST[GS]?$|RED|NOP|MEMBAR|WARPSYNC|KILL"
    r"|DEPBAR|LDGDEPBAR|ERRBAR|CCTL|YIELD|LDGSTS|UTMA|SYNCS|NANOSLEEP"
)
_TESTS = re.compile(r"U?[IFDH]\w*SETP|U?PLOP3|FCHK|VOTEU?")

Values = NDArray[np.int64]
Known = NDArray[np.bool_] | None  # None: in all lanes
State = dict[str, tuple[Values, Known]]


class LostError(Exception):
    """Where threads go is not known, or it takes too long to find out."""


@dataclass(frozen=True)
class Blocks:
    """Blocks of a launch, and how many each stands for. arguments: their bytes, as the host has
    them."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: bytes

    @cached_property
    def chosen(self) -> list[tuple[tuple[int, int, int], int]]:
        """The first, the middle and the last of each axis: others are like the middle one."""
        threads = self.block[0] * self.block[1] * self.block[2]
        axes = [_of_axis(extent) for extent in self.grid]
        if threads * len(axes[0]) * len(axes[1]) * len(axes[2]) > MOST_LANES:
            axes[2] = [(self.grid[2] // 2, self.grid[2])]
        found = []
        for (x, nx), (y, ny), (z, nz) in product(*axes):
            found.append(((x, y, z), nx * ny * nz))
        return found


def _of_axis(extent: int) -> list[tuple[int, int]]:
    if extent <= 2:
        return [(i, 1) for i in range(extent)]
    return [(0, 1), (extent // 2, extent - 2), (extent - 1, 1)]


@dataclass
class Followed:
    """counts: of warps, by the address of each instruction of the launch. doubtful: the share of
    the instructions that depends on what is not known. whole: the threads were followed to their
    ends, not only for MOST_STEPS."""

    counts: dict[int, float]
    doubtful: float
    whole: bool


def follow(function: Function, launch: Blocks) -> Followed:
    """Raises LostError."""
    return _Follower(function, launch).run()


class _Follower:
    def __init__(self, function: Function, launch: Blocks) -> None:
        self.launch = launch
        self.flow = Flow(function)
        self.addresses = {one.address for one in function.code}
        wanted = _slice(function)
        last = function.code[-1].address
        starts = [s for s in self.flow.starts if s <= last]
        ends = [*starts[1:], last + 16]
        self.next = dict(zip(starts, ends, strict=True))
        self.code: dict[int, list[Instruction]] = {start: [] for start in starts}
        for one in function.code:
            self.code[self.flow.block(one.address)].append(one)
        self.steps = {
            start: [_step(one) for one in code if one.address in wanted or _moves(one)]
            for start, code in self.code.items()
        }
        self._place_threads()
        self.state: State = {}
        self.left = MOST_STEPS

    def _place_threads(self) -> None:
        x, y, z = self.launch.block
        threads = x * y * z
        padded = -(-threads // WARP) * WARP
        number = np.arange(padded)
        chosen = self.launch.chosen
        self.weights = np.repeat([weight for _, weight in chosen], padded // WARP).astype(float)
        tids = [number % x, number // x % y, number // (x * y)]
        self.special = {f"SR_TID.{axis}": np.tile(v, len(chosen)) for axis, v in zip("XYZ", tids, strict=True)}
        for axis in range(3):
            places = np.repeat([place[axis] for place, _ in chosen], padded)
            self.special[f"SR_CTAID.{'XYZ'[axis]}"] = places
        self.special["SR_LANEID"] = np.tile(number % WARP, len(chosen))
        for name in ("SRZ", "SR_CgaCtaId"):
            self.special[name] = np.zeros(padded * len(chosen), np.int64)
        self.lanes = padded * len(chosen)
        self.at = np.where(np.tile(number < threads, len(chosen)), 0, -1)  # -1: it has ended
        self.zero = np.zeros(self.lanes, np.int64)
        sizes = [*self.launch.block, *self.launch.grid]
        head = b"".join(n.to_bytes(4, "little") for n in sizes)
        self.bank = head.ljust(ARGUMENTS, b"\0") + self.launch.arguments

    def run(self) -> Followed:
        counts = dict.fromkeys(self.code, 0.0)
        doubts = dict.fromkeys(self.code, 0.0)
        self.doubt = np.zeros(self.lanes, np.int64)  # until this address, its being there is a guess
        far = np.int64(1 << 40)
        while (start := int(np.where(self.at < 0, far, self.at).min())) < far and self.left > 0:
            lanes = self.at == start
            warps = lanes.reshape(-1, WARP).any(axis=1)
            counts[start] += float(self.weights[warps].sum())
            unsure = (lanes & (self.doubt > start)).reshape(-1, WARP).any(axis=1)
            doubts[start] += float(self.weights[unsure].sum())
            self._run_block(start, lanes)
        whole = sum(n * len(self.code[start]) for start, n in counts.items())
        unsure_whole = sum(n * len(self.code[start]) for start, n in doubts.items())
        by_address = {one.address: counts[s] for s, code in self.code.items() for one in code}
        return Followed(by_address, unsure_whole / max(whole, 1.0), self.left > 0)

    def _run_block(self, start: int, lanes: NDArray[np.bool_]) -> None:
        self.left -= len(self.steps[start]) + 1
        active = lanes
        for step in self.steps[start]:
            active = step(self, active)
            if active is None:
                return
        self.at[active] = self.next[start]
        if self.next[start] not in self.code:
            self.at[active] = -1

    # ---- values

    def get(self, name: str) -> tuple[Values, Known]:
        found = self.state.get(name)
        return found if found is not None else (self.zero, np.zeros(self.lanes, bool))

    def put(self, name: str, value: Values, known: Known, active: NDArray[np.bool_]) -> None:
        if name in ("RZ", "URZ", "PT", "UPT"):
            return
        if active.all():
            self.state[name] = value, known
            return
        old, was = self.get(name)
        if known is not None or was is not None:
            full = np.ones(self.lanes, bool)
            known = np.where(active, full if known is None else known, full if was is None else was)
            known = None if known.all() else known
        self.state[name] = np.where(active, value, old), known


Step = Callable[[_Follower, NDArray[np.bool_]], "NDArray[np.bool_] | None"]


def _both(*known: Known) -> Known:
    found: Known = None
    for one in known:
        if one is not None:
            found = one if found is None else found & one
    return found


# ---------------------------------------------------------------- operands


def _operands(one: Instruction) -> list[str]:
    return [part.strip().replace(".reuse", "") for part in one.operands.split(",")] if one.operands else []


def _predicate(text: str) -> Callable[[_Follower], tuple[NDArray[np.bool_], Known]]:
    negated = text.startswith("!")
    name = text.lstrip("!")
    if name in ("PT", "UPT"):
        return lambda f: (np.full(f.lanes, not negated), None)

    def value(f: _Follower) -> tuple[NDArray[np.bool_], Known]:
        found, known = f.get(name)
        return (found == 0) if negated else (found != 0), known

    return value


def _next_register(name: str, by: int) -> str:
    """R5 for R4; RZ stays."""
    found = re.match(r"(U?R)(\d+)$", name)
    return f"{found[1]}{int(found[2]) + by}" if found else name


Operand = Callable[[_Follower], tuple[Values, Known]]


def _operand(text: str, part: int = 0, carry: bool = False) -> Operand:
    """The value of 32 bits; part: the next register, or word. carry: a negated value is its
    complement and one, whose sum with others has the processor's carry."""
    sign, name = "", text
    if text[:1] in "-~" and not re.match(r"-(0x)?\d", text):
        sign, name = text[0], text[1:]
    name = name.removesuffix(".64")
    inner = _plain_operand(name, part)
    if not sign:
        return inner

    def value(f: _Follower) -> tuple[Values, Known]:
        found, known = inner(f)
        if sign == "~":
            return found ^ _M, known
        return (found ^ _M) + 1 if carry else -found & _M, known

    return value


def _plain_operand(name: str, part: int) -> Operand:
    if name in ("RZ", "URZ", "SRZ"):
        return lambda f: (f.zero, None)
    if _REGISTER.match(name):
        register = _next_register(name, part)
        return lambda f: f.get(register)
    if found := _CONSTANT.match(name):
        return _of_bank(int(found[1] or "0", 16) + 4 * part)
    if name.startswith("SR_"):
        return lambda f: (f.special[name], None) if name in f.special else f.get("?")
    try:
        number = int(name, 0)
    except ValueError:
        return lambda f: f.get("?")
    bits = (number if part == 0 else -(number < 0)) & _M
    return lambda f: (np.full(f.lanes, bits, np.int64), None)


def _of_bank(at: int, size: int = 4, signed: bool = False) -> Operand:
    def value(f: _Follower) -> tuple[Values, Known]:
        if not (at < 24 or ARGUMENTS <= at <= len(f.bank) - size):
            return f.get("?")
        number = int.from_bytes(f.bank[at : at + size], "little", signed=signed) & _M
        return np.full(f.lanes, number, np.int64), None

    return value


def _results(one: Instruction) -> list[str]:
    """What an instruction may set: registers, predicates, and words of local memory by R1."""
    base, *parts = one.op.split(".")
    names = _operands(one)
    if base == "STL" and (local := _LOCAL.match(names[0])):
        return [f"L{int(local[1] or '0', 16) + 4 * i}" for i in range(_words(one))]
    if _NO_RESULT.match(base) or not names:
        return []
    if base == "R2P":
        return [f"P{i}" for i in range(7)]
    found: list[str] = []
    for name in names[: _leading(one, names)]:
        words = _words(one) if _REGISTER.match(name) else 1
        found += [_next_register(name, i) for i in range(words)]
    return found


def _words(one: Instruction) -> int:
    """Registers of a result."""
    base, *parts = one.op.split(".")
    if "128" in parts:
        return 4
    if base == "CS2R":
        return 1 if "32" in parts else 2
    wide = "WIDE" in parts or "64" in parts or base in ("DADD", "DMUL", "DFMA", "DMNMX")
    wide = wide or (base[:3] in ("F2F", "I2F") and parts[:1] == ["F64"]) or "U64" in parts[:2] and base == "F2I"
    return 2 if wide else 1


def _reads(one: Instruction) -> list[str]:
    """The registers and predicates that decide its results."""
    text = f"{one.guard} {one.operands}"
    found = re.findall(r"\bU?[RP]\d+\b", text)
    base = one.op.split(".")[0]
    if base == "LDL" and (local := _LOCAL.match(_operands(one)[-1])):
        found += [f"L{int(local[1] or '0', 16) + 4 * i}" for i in range(_words(one))]
    if re.search(r"WIDE|64|HI", one.op):
        found += [_next_register(name, 1) for name in found if "R" in name]
    if base == "P2R":
        found += [f"P{i}" for i in range(7)]
    return found


def _moves(one: Instruction) -> bool:
    return one.op.split(".")[0] in ("BRA", "EXIT", "RET", "CALL", "BRX", "JMP", "KILL")


def _slice(function: Function) -> set[int]:
    """The addresses of what decides where threads go."""
    setters: dict[str, list[Instruction]] = {}
    waiting = []
    for one in function.code:
        for name in _results(one):
            setters.setdefault(name, []).append(one)
        if _moves(one):
            waiting += _reads(one)
    found: set[int] = set()
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for one in setters.get(name, []):
            if one.address not in found:
                found.add(one.address)
                waiting += _reads(one)
    return found


# ---------------------------------------------------------------- steps


def _step(one: Instruction) -> Step:
    if _moves(one):
        return _jump(one)
    results = _results(one)
    compute = _compute(one)
    guard = _predicate(one.guard) if one.guard else None

    def step(f: _Follower, active: NDArray[np.bool_]) -> NDArray[np.bool_]:
        able, sure = active, None
        if guard is not None:
            holds, sure = guard(f)
            able = active & holds if sure is None else active & (holds | ~sure)
        values = compute(f) if compute is not None else []
        for name, (value, known) in zip(results, values, strict=False):
            f.put(name, value, _both(known, sure), able)
        for name in results[len(values) :]:
            f.put(name, f.zero, np.zeros(f.lanes, bool), able)
        return active

    return step


def _jump(one: Instruction) -> Step:
    """A branch, a return or an end; a call falls through: what it calls is rare or not here."""
    base, *parts = one.op.split(".")
    guard = _predicate(one.guard) if one.guard else None
    names = _operands(one)
    second = _predicate(names[0]) if names and _PREDICATE.match(names[0].lstrip("!")) else None
    if base == "BRA" and ("DIV" in parts or "CONV" in parts):
        return lambda _, active: active

    def step(f: _Follower, active: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        goes, sure = active, None
        for test in (guard, second):
            if test is not None:
                holds, known = test(f)
                goes, sure = goes & holds, _both(sure, known)
        target = f.flow.targets.get(one.address, -1)
        if sure is not None and (unsure := active & ~sure).any():
            if base == "BRA" and 0 <= target <= one.address:
                raise LostError
            goes = goes & sure
            until = target if target > one.address else 1 << 40
            f.doubt[unsure] = np.maximum(f.doubt[unsure], until)
        if base == "CALL":
            return active
        if base in ("BRX", "JMP", "RET") or (base == "BRA" and target < 0):
            raise LostError
        f.at[goes] = target if base == "BRA" else -1
        left = active & ~goes
        return left if left.any() else None

    return step


Compute = Callable[[_Follower], list[tuple[Values, Known]]]


def _compute(one: Instruction) -> Compute | None:
    """What gives the results; None where they are unknown."""
    base, *parts = one.op.split(".")
    make = _MAKERS.get(base.removeprefix("U"))
    if make is None:
        return None
    names = _operands(one)
    results = _leading(one, names)
    try:
        return make(parts, names[results:], results)
    except (IndexError, ValueError):
        return None


def _leading(one: Instruction, names: list[str]) -> int:
    """How many operands are results."""
    base = one.op.split(".")[0]
    if _TESTS.match(base):
        return 1 if base == "FCHK" or base.startswith("VOTE") else 2
    register = False
    for index, name in enumerate(names):
        if _REGISTER.match(name) and not register:
            register = True
        elif not _PREDICATE.match(name):
            return index
    return len(names)


def _signed(value: Values) -> Values:
    return (value ^ 0x80000000) - 0x80000000


def _simple(function: Callable[..., Values], *needed: str) -> Callable[..., Compute]:
    """Of operands of 32 bits; needed: parts of the instruction's name."""

    def make(parts: list[str], names: list[str], _: int) -> Compute:
        if not set(needed) <= set(parts):
            raise ValueError(parts)
        operands = [_operand(name) for name in names]

        def compute(f: _Follower) -> list[tuple[Values, Known]]:
            found = [operand(f) for operand in operands]
            return [(function(parts, *(v for v, _ in found)) & _M, _both(*(k for _, k in found)))]

        return compute

    return make


def _move(parts: list[str], names: list[str], _: int) -> Compute:
    operand = _operand(names[0])
    return lambda f: [operand(f)]


def _local(parts: list[str], names: list[str], results: int) -> Compute:
    """A word that is kept in local memory, stored or loaded."""
    local = _LOCAL.match(names[0])
    if local is None:
        raise ValueError(names[0])
    at = int(local[1] or "0", 16)
    words = 4 if "128" in parts else 2 if "64" in parts else 1
    kept = [_operand(names[1], i) for i in range(words)] if len(names) > 1 else None
    names = [f"L{at + 4 * i}" for i in range(words)]
    return lambda f: [one(f) for one in kept] if kept else [f.get(name) for name in names]


def _load_constant(parts: list[str], names: list[str], _: int) -> Compute:
    found = _CONSTANT.match(names[0])
    if not found:
        raise ValueError(names[0])
    at = int(found[1] or "0", 16)
    size = {"U8": 1, "S8": 1, "U16": 2, "S16": 2}.get(parts[0] if parts else "", 4)
    words = 4 if "128" in parts else 2 if "64" in parts else 1
    operands = [_of_bank(at + 4 * i, size, bool(parts) and parts[0][0] == "S") for i in range(words)]
    return lambda f: [operand(f) for operand in operands]


def _zeros(parts: list[str], names: list[str], _: int) -> Compute:
    if names[0] != "SRZ":
        raise ValueError(names[0])
    return lambda f: [(f.zero, None)] * 2


def _multiply(parts: list[str], names: list[str], results: int) -> Compute:
    a, b, c = (_operand(name) for name in names[:3])
    high = _operand(names[2], 1)
    carry = _predicate(names[3]) if len(names) > 3 else None
    unsigned = "U32" in parts
    double = "WIDE" in parts or "HI" in parts

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        (x, kx), (y, ky), (z, kz) = a(f), b(f), c(f)
        known = _both(kx, ky, kz)
        if carry is not None:
            extra, sure = carry(f)
            z, known = z + extra, _both(known, sure)
        if not double:
            return [((x * y + z) & _M, known)]
        w, kw = high(f)
        factors = (x, y) if unsigned else (_signed(x), _signed(y))
        whole = factors[0] * factors[1] + (w << 32) + z
        known = _both(known, kw)
        upper = (whole >> 32) & _M, known
        return [upper] if "HI" in parts else [(whole & _M, known), upper]

    return compute


def _add(parts: list[str], names: list[str], results: int) -> Compute:
    operands = [_operand(name, carry=True) for name in names if not _is_predicate(name)]
    carries = [_predicate(name) for name in names if _is_predicate(name)]

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        found = [operand(f) for operand in operands] + [carry(f) for carry in carries]
        whole = sum((value.astype(np.int64) for value, _ in found), f.zero)
        known = _both(*(k for _, k in found))
        over = whole >> 32
        return [(whole & _M, known), ((over >= 1).astype(np.int64), known), ((over >= 2).astype(np.int64), known)]

    return compute


def _is_predicate(name: str) -> bool:
    return bool(_PREDICATE.match(name.lstrip("!")))


def _shift_add(parts: list[str], names: list[str], _: int) -> Compute:
    high, extended = "HI" in parts, "SX32" in parts
    carries = [_predicate(name) for name in names if _is_predicate(name)]
    names = [name for name in names if not _is_predicate(name)]
    shift = int(names[-1], 0)
    a, b = _operand(names[0], carry=not high), _operand(names[1], carry=True)
    c = _operand(names[2]) if high and not extended else None

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        (x, kx), (y, ky) = a(f), b(f)
        known = _both(kx, ky)
        if high:
            upper, ku = c(f) if c is not None else (_signed(x) >> 32, None)
            x = ((upper << 32 | x & _M) >> (32 - shift) if shift else upper) & _M
            known = _both(known, ku)
        else:
            x = x << shift & _M
        whole = x + y
        for carry in carries:
            extra, sure = carry(f)
            whole, known = whole + extra, _both(known, sure)
        return [(whole & _M, known), ((whole >> 32 & 1), known)]

    return compute


def _table(table: int, a: Values, b: Values, c: Values) -> Values:
    """Of three bits, as LOP3's table gives it for each."""
    found = a & 0
    for index in range(8):
        if table >> index & 1:
            found |= (a if index & 4 else ~a) & (b if index & 2 else ~b) & (c if index & 1 else ~c)
    return found & _M


def _logic(parts: list[str], names: list[str], results: int) -> Compute:
    a, b, c = (_operand(name) for name in names[:3])
    table = int(names[3], 0)

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        (x, kx), (y, ky), (z, kz) = a(f), b(f), c(f)
        value, known = _table(table, x, y, z), _both(kx, ky, kz)
        test = (value != 0).astype(np.int64), known
        return [(value, known)] if results == 1 else [test, (value, known)]

    return compute


def _predicates(parts: list[str], names: list[str], _: int) -> Compute:
    a, b, c = (_predicate(name) for name in names[:3])
    tables = [int(name, 0) for name in names[3:5]]

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        found = [operand(f) for operand in (a, b, c)]
        bits = [-(value.astype(np.int64)) for value, _ in found]
        known = _both(*(k for _, k in found))
        return [((_table(table, *bits) != 0).astype(np.int64), known) for table in tables]

    return compute


_COMPARE: dict[str, Callable[[Values, Values], NDArray[np.bool_]]] = {
    "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal,
    "EQ": np.equal, "NE": np.not_equal,
}  # fmt: skip
_STRICT = {"LE": "LT", "GE": "GT"}


def _compare(parts: list[str], names: list[str], _: int) -> Compute:
    a, b = _operand(names[0]), _operand(names[1])
    with_, low = _predicate(names[2]), _predicate(names[3]) if "EX" in parts else None
    how, unsigned = parts[0], "U32" in parts
    if how not in _COMPARE:
        raise ValueError(how)
    join = np.logical_or if "OR" in parts else np.logical_xor if "XOR" in parts else np.logical_and

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        (x, kx), (y, ky), (p, kp) = a(f), b(f), with_(f)
        x, y = (x, y) if unsigned else (_signed(x), _signed(y))
        known = _both(kx, ky, kp)
        if low is None:
            holds = _COMPARE[how](x, y)
        else:
            q, kq = low(f)
            known = _both(known, kq)
            if how == "NE":
                holds = (x != y) | q
            else:
                strict = _COMPARE[_STRICT.get(how, how)](x, y) if how != "EQ" else False
                holds = strict | ((x == y) & q)
        return [(join(h, p).astype(np.int64), known) for h in (holds, ~holds)]

    return compute


def _shift(parts: list[str], names: list[str], _: int) -> Compute:
    a, s, c = (_operand(name) for name in names[:3])
    signed = "S32" in parts or "S64" in parts
    wide, high, left = "U64" in parts or "S64" in parts, "HI" in parts, parts[0] == "L"

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        (x, kx), (by, ks), (y, ky) = a(f), s(f), c(f)
        by = np.minimum(by, 63 if wide else 32)
        if left:
            value = (y << by) | (x >> np.maximum(32 - by, 0)) if high else x << by
        elif high:
            value = (_signed(y) if signed else y) >> by
        else:
            value = ((_signed(y) if signed else y) << 32 | x) >> by if wide else x >> by
        return [(value & _M, _both(kx, ks, ky))]

    return compute


def _select(parts: list[str], names: list[str], _: int) -> Compute:
    a, b, p = _operand(names[0]), _operand(names[1]), _predicate(names[2])

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        (x, kx), (y, ky), (which, kp) = a(f), b(f), p(f)
        return [(np.where(which, x, y), _both(kx, ky, kp))]

    return compute


def _extreme(parts: list[str], names: list[str], _: int) -> Compute:
    """VIMNMX and VIADDMNMX: of two values, the first of which may be a sum."""
    operands = [_operand(name) for name in names[:-1]]
    least = _predicate(names[-1])
    unsigned, positive = "U32" in parts, "RELU" in parts

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        *first, last = (operand(f) for operand in operands)
        which, kp = least(f)
        x = sum((value for value, _ in first), f.zero) & _M
        x, y = (x, last[0]) if unsigned else (_signed(x), _signed(last[0]))
        value = np.where(which, np.minimum(x, y), np.maximum(x, y))
        value = np.maximum(value, 0) if positive else value
        return [(value & _M, _both(kp, last[1], *(k for _, k in first)))]

    return compute


def _bytes(parts: list[str], names: list[str], _: int) -> Compute:
    a, b, chosen = _operand(names[0]), _operand(names[2]), int(names[1], 0)

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        (x, kx), (y, ky) = a(f), b(f)
        whole, value = y << 32 | x, f.zero
        for index in range(4):
            selector = chosen >> 4 * index & 15
            byte = whole >> 8 * (selector & 7) & 0xFF
            value = value | (np.where(byte & 0x80, 0xFF, 0) if selector & 8 else byte) << 8 * index
        return [(value, _both(kx, ky))]

    return compute


def _pack(parts: list[str], names: list[str], _: int) -> Compute:
    mask = int(names[-1], 0)

    def compute(f: _Follower) -> list[tuple[Values, Known]]:
        found = [(i, f.get(f"P{i}")) for i in range(7) if mask >> i & 1]
        value = sum(((v != 0).astype(np.int64) << i for i, (v, _) in found), f.zero)
        return [(value, _both(*(k for _, (_, k) in found)))]

    return compute


def _half_constants(parts: list[str], names: list[str], _: int) -> Compute:
    """HFMA2.MMA R, -RZ, RZ, a, b: two floats of 16 bits."""
    if names[:2] != ["-RZ", "RZ"]:
        raise ValueError(names[0])
    upper, lower = (int(np.float16(float(text)).view(np.uint16)) for text in names[2:4])
    return lambda f: [(np.full(f.lanes, upper << 16 | lower, np.int64), None)]


def _floats(value: Values) -> NDArray[np.float32]:
    return value.astype(np.uint32).view(np.float32)


def _to_float(parts: list[str], value: Values) -> Values:
    """As for a division of integers: rounded up."""
    exact = value if "U32" in parts else _signed(value)
    found = exact.astype(np.float32)
    found = np.where(found.astype(np.float64) < exact, np.nextafter(found, np.float32(np.inf)), found)
    return np.asarray(found, np.float32).view(np.uint32).astype(np.int64)


def _inverse(parts: list[str], value: Values) -> Values:
    with np.errstate(all="ignore"):
        return (np.float32(1) / _floats(value)).view(np.uint32).astype(np.int64)


def _to_integer(parts: list[str], value: Values) -> Values:
    with np.errstate(all="ignore"):
        found = np.nan_to_num(_floats(value).astype(np.float64), nan=0, posinf=_M, neginf=0)
    return np.clip(found, 0, _M).astype(np.int64)


_MAKERS: Mapping[str, Callable[[list[str], list[str], int], Compute]] = {
    "MOV": _move, "S2R": _move, "S2UR": _move, "R2UR": _move, "LDC": _load_constant, "CS2R": _zeros,
    "IMAD": _multiply, "IADD3": _add, "VIADD": _add, "LEA": _shift_add, "LOP3": _logic,
    "PLOP3": _predicates, "ISETP": _compare, "SHF": _shift, "SEL": _select,
    "VIMNMX": _extreme, "VIADDMNMX": _extreme, "PRMT": _bytes, "P2R": _pack,
    "HFMA2": _half_constants,
    "IABS": _simple(lambda _, a: np.abs(_signed(a))),
    "I2F": _simple(_to_float, "RP"), "MUFU": _simple(_inverse, "RCP"),
    "F2I": _simple(_to_integer, "U32", "TRUNC"), "STL": _local, "LDL": _local,
}  # fmt: skip
