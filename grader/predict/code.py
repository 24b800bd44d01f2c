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
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from grader.execute import addr2line

_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(?:addr32 )?(\S+)\s*(.*)$")  # the linker's, of a call
_TARGET = re.compile(r"^([0-9a-f]+) <([^>+]+)")
_MARK = re.compile(r"^\$0x([0-9a-f]{16}),%rdi$")
_INDIRECT = -1  # in place of the address of a function that is called through a pointer
_REPORTED = re.compile(r"<(?:sim_mark|__tsan_)")  # calls of which each is counted
FLOATS = ("fma", "fp64")  # kinds of operations: additions and multiplications
_MARK_LOOP = 2  # labs/sim/include/sim/marks.h, as the next line
_UNROLLED, _BY_TWO = 1, 8
_UNROLL = 4  # of nvcc, for a loop whose number of rounds it does not know
# A function that calls itself stores the registers that it must not change, and loads them again:
# R16 to R31, as nvcc's functions call each other.
_FRAME = 2 * 16

# A mnemonic's kind, without AVX's v: the first pattern that matches. What none matches is free.
_KINDS = [
    ("fma", r"fn?m(add|sub)\d+[sp]s"),
    ("fp64", r"(fn?m(add|sub)\d+|add|sub|mul|max|min|u?comi|round)[sp]d$"),
    ("divide64", r"(div|sqrt)[sp]d$"),
    ("fma", r"(add|sub|mul)[sp]s$"),
    ("fp64", r"f(add|sub|subr|mul)[spl]*$"),  # of x87: long double
    ("divide", r"(div|sqrt|rcp|rsqrt)[sp]s$"),
    ("alu", r"(max|min|u?comi|cmp\w*|round|and|xor|or|andn)[sp][sd]$"),
    ("convert", r"cvt"),
    ("idivide", r"i?div[bwlq]?$"),
    ("imul", r"(i?mul[bwlq]?|mulx[lq]?)$"),
    ("vmul", r"p(mul|madd)\w+"),
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
_NAMES = {"step", *(kind for kind, _ in _KINDS)}
# Calls of the runtime that are an instruction or a short sequence of the GPU.
_CALLS = [
    ("shuffle", r"sim_(warp|tile)_(shuffle|collect|exchange)"),
    ("barrier", r"sim_barrier"),
    ("atomic", r"tsan_atomic"),
    ("clock", r"sim_clock|sim_sleep|sim_spin"),
]
# What nvcc makes of a function of the C library, and of a division in double: about so many
# instructions of float or double arithmetic, of integers, and of the unit for special functions,
# for arguments that need no exact reduction. Estimates: labs/studies/predict/h200/foreign.csv has
# the instructions of kernels that call them.
_FLOATS = {
    "rsqrt": (2, 1, 1), "exp": (6, 2, 1), "exp2": (2, 2, 1), "exp10": (8, 3, 1),
    "expm1": (14, 6, 1),
    "log": (13, 6, 1), "log2": (2, 4, 1), "log10": (14, 6, 1), "log1p": (14, 8, 1),
    "sin": (12, 10, 2), "cos": (12, 10, 2), "sincos": (18, 14, 2), "tan": (18, 12, 3),
    "asin": (12, 6, 1), "acos": (12, 6, 1), "atan": (10, 4, 1), "atan2": (18, 12, 1),
    "sinh": (14, 6, 2), "cosh": (8, 4, 2), "tanh": (10, 4, 2), "pow": (34, 20, 2),
    "erf": (14, 4, 1), "erfc": (22, 6, 2), "cbrt": (6, 4, 3), "hypot": (8, 8, 1),
    "fmod": (8, 24, 2), "tgamma": (50, 20, 4), "lgamma": (40, 20, 4), "round": (2, 2, 0),
}  # fmt: skip
_DOUBLES = {
    "divide64": (9, 6, 1), "exp": (17, 14, 0), "exp2": (16, 14, 0), "exp10": (20, 14, 0),
    "expm1": (22, 16, 0), "log": (22, 20, 1), "log2": (24, 20, 1), "log10": (24, 20, 1),
    "rsqrt": (7, 6, 1), "log1p": (24, 22, 1), "sin": (20, 24, 1), "cos": (20, 24, 1),
    "sincos": (32, 28, 1),
    "tan": (34, 26, 2), "asin": (26, 20, 1), "acos": (26, 20, 1), "atan": (26, 14, 1),
    "atan2": (42, 34, 1), "sinh": (34, 20, 1), "cosh": (28, 16, 1), "tanh": (30, 20, 1),
    "pow": (72, 70, 1), "erf": (30, 12, 0), "erfc": (46, 24, 1), "cbrt": (14, 12, 2),
    "hypot": (16, 16, 1), "fmod": (20, 60, 1), "tgamma": (80, 40, 2), "lgamma": (80, 40, 2),
    "round": (2, 6, 0),
}  # fmt: skip
# An operation on 64 bits is so many on 32; addresses, which are added, need no more than one.
_WIDE = {"imul": 4, "idivide": 6, "logic": 2}
_PACKED = re.compile(r"(?:(?:fn?m(?:add|sub)\d+|add|sub|mul)p[sd]|p(?:mul|madd)\w+)$")
# Their only operand is read, also where it is on the stack.
_READS = re.compile(r"i?(?:mul|div)[bwlq]?$|f(?:add|subr?|mul|divr?)[sl]?$")
_VECTOR = re.compile(r"%([xyz])mm\d+$")
_MEMORY = re.compile(r"\([^)]*\)")
_WIDE_REGISTER = re.compile(r"%r([a-d]x|[sd]i|bp|\d+)\b")
_PRODUCT = re.compile(r"mul|madd|msub|div")
_LOGIC = re.compile(r"and|or|xor|not|sh[rx]|sa[rx]|ro[lr]|sarx|shrx|rorx|bextr")


@dataclass
class _Block:
    """Instructions without a jump between them. passes: how often a warp runs it, once known."""

    operations: list[tuple[int, str]] = field(default_factory=list)  # addresses and kinds
    next: list[int] = field(default_factory=list)  # addresses of the blocks that may follow
    returns: list[int] = field(default_factory=list)  # of the calls that are counted
    calls: list[int] = field(default_factory=list)  # of other functions of the program: addresses
    outside: int = 0  # calls of functions whose work is not known
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
    executes steps, comparisons and branches less often. is_product: or a quotient."""

    address: int
    kind: str
    passes: float
    is_product: bool = False


@dataclass(frozen=True)
class Executed:
    """What all warps of a launch execute. waits: how often a warp waits for loads; the loads of a
    round of a loop, or of all rounds that nvcc makes one of, wait together. outside: how often it
    calls what is not known, through a pointer or of a library."""

    operations: list[Operation]
    waits: float
    outside: float


def executed(binary: Path, passes: dict[int, int], loads: set[int], stores: set[int]) -> Executed:
    """passes: of the calls' return addresses; loads, stores: those of global memory. Empty where
    the machine code is not x86-64's."""
    functions = _functions(binary, passes)
    counted = _counted_calls(binary, functions, passes)
    waiting: list[tuple[tuple[int, int], float | None]] = [(found, None) for found in functions]
    seen = set(functions)
    operations = []
    waits = outside = 0.0
    while waiting:
        called: Counter[int] = Counter()
        for function, entered in waiting:
            code = _disassembled(binary, *function)
            products = {this.address for this in code if _PRODUCT.search(this.name)}
            blocks = _blocks(code, counted)
            loops = _propagate(blocks, passes, entered)
            waits += _waits(blocks, loops, loads, stores)
            for block in blocks.values():
                outside += block.outside * (block.passes or 0)
                once = 1 / max(block.unroll, 1)
                for address, kind in block.operations:
                    share = once if kind in ("step", "compare", "branch") else 1.0
                    passed = share * (block.passes or 0)
                    operations.append(Operation(address, kind, passed, address in products))
                for target in block.calls:
                    called[target] += block.passes or 0  # type: ignore[assignment]
            start = function[0]
            if any(start in block.calls for block in blocks.values()):
                operations.append(Operation(start, "frame", _FRAME * (blocks[start].passes or 0)))
        if called[_INDIRECT]:
            target = _costliest(binary, seen)
            called[target] += called[_INDIRECT]
        # Functions in which nothing is counted run as often as they are called.
        waiting = [
            (function, float(number))
            for target, number in called.items()
            for function in _functions(binary, [target + 1])
            if number and function not in seen
        ]
        seen.update(function for function, _ in waiting)
    return Executed(operations, waits, outside)


def _costliest(binary: Path, seen: set[tuple[int, int]]) -> int:
    """Where the function begins that a call through a pointer reaches, in which nothing is counted:
    of those whose address the program takes, the one with most arithmetic; 0 if there is none."""
    costs = {0: 0}
    for function in _functions(binary, [start + 1 for start in _pointed_to(binary)]):
        code = _disassembled(binary, *function)
        if function in seen or any(_REPORTED.search(this.operands) for this in code):
            continue
        operations = [o for b in _blocks(code, set()).values() for o in b.operations]
        costs[function[0]] = sum(kind in FLOATS for _, kind in operations)
    return max(costs, key=lambda start: costs[start])


@cache
def _pointed_to(binary: Path) -> list[int]:
    """The addresses that the program may call through a pointer (labs/runtime/course.ld)."""
    names = re.findall(
        r"^(\w+) . __(start|stop)_sim_call_targets$", _output("nm", str(binary)), re.M
    )
    ends = {end: int(address, 16) for address, end in names}
    rows = (line.split() for line in _output("readelf", "-rW", str(binary)).splitlines())
    moved = [(int(r[0], 16), int(r[3], 16)) for r in rows if r[2:3] == ["R_X86_64_RELATIVE"]]
    return [to for place, to in moved if ends.get("start", 0) <= place < ends.get("stop", 0)]


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


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


def mix(operations: list[Operation]) -> dict[str, float]:
    """Their number by kind."""
    total: Counter[str] = Counter()
    for operation in operations:
        total[operation.kind] += operation.passes  # type: ignore[assignment]
    return dict(total)


def products(executed: Executed) -> float:
    """How many of arithmetic() are products; and quotients, which can stand for them."""
    operations = [o for o in executed.operations if o.is_product]
    quotients = (o.passes for o in operations if o.kind in ("divide", "divide64"))
    return arithmetic(replace(executed, operations=operations)) + sum(quotients)


def arithmetic(executed: Executed) -> float:
    """How many additions and multiplications of floats, and multiplications of whole numbers, by
    which a program may compute those of floats: each counts once, however wide it is. A call of
    what is not known may be a multiply-add of complex numbers: two."""
    operations = executed.operations
    products = {o.address: o.passes for o in operations if o.kind == "imul"}
    others = (o.passes for o in operations if o.kind in (*FLOATS, "vmul"))
    return sum(others) + sum(products.values()) + 2 * executed.outside


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
    return sorted({start for start, _ in addr2line.functions(binary)})


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
    roots = _inverse_roots(code)
    for i, this in enumerate(code):
        if this.address in starts or i == 0:
            block = blocks[this.address] = _Block()
        follower = code[i + 1].address if i + 1 < len(code) else 0
        _add(block, roots.get(this.address, this), follower, counted)
        if this.name.startswith("j"):
            target = _TARGET.match(this.operands)
            if target:
                block.next.append(int(target[1], 16))
        if follower in starts and this.name != "jmp" and not this.name.startswith("ret"):
            block.next.append(follower)
    return blocks


def _inverse_roots(code: list[_Instruction]) -> dict[int, _Instruction]:
    """A division by a square root is one function for a GPU, and the root alone is free."""
    found = {}
    root: _Instruction | None = None
    for this in code:
        name, *operands = this.name.removeprefix("v"), *this.operands.split(",")
        if name in ("sqrtss", "sqrtsd"):
            root = this
        elif root and name in ("divss", "divsd") and operands[0] == root.operands.split(",")[-1]:
            found[root.address] = _Instruction(root.address, "", "")
            function = "rsqrtf" if name == "divss" else "rsqrt"
            found[this.address] = _Instruction(this.address, function, "")
            root = None
    return found


def _add(block: _Block, this: _Instruction, after: int, counted: set[int]) -> None:
    """Adds an instruction to a block; the next one is at `after`."""
    mark = _MARK.match(this.operands) if this.name == "movabs" else None
    if mark:
        _mark(block, int(mark[1], 16))
    elif this.name.startswith("call"):
        if after in counted:
            block.returns.append(after)
        target = _TARGET.match(this.operands)
        if target:
            _add_call(block, this.address, int(target[1], 16), target[2])
    else:
        name = this.name.removeprefix("v")
        kind = _kind(name)
        if kind == "alu" and this.operands.startswith("$") and name[:3] in ("add", "sub"):
            kind = "step"  # of a pointer or a loop's counter: a constant
        if name.startswith(("xor", "pxor")) and len(set(this.operands.split(","))) == 1:
            kind = None  # sets a register to 0
        # A table of the thread, at an index that is data; nvcc keeps most sums in registers.
        if "(%rsp,%" in this.operands and name != "lea" and name[-2:] not in ("ss", "sd", "ps"):
            changed = this.operands.endswith(")") and not name.startswith("mov")
            block.operations += [(this.address, "local")] * (2 if changed else 1)
        if this.name.startswith("rsqrt"):
            kind = this.name
        if kind and not _changes_the_stack(name, this.operands):
            wide = _WIDE_REGISTER.search(_MEMORY.sub("", this.operands))
            times = _WIDE.get("logic" if _LOGIC.match(name) else kind, 1) if wide else 1
            times *= _packed(name, this.operands)
            block.operations += _as_instructions(this.address, kind) * times


def _changes_the_stack(name: str, operands: str) -> bool:
    """Is its target on the stack, or the stack's end? The only operand of some is read."""
    return "%rsp" in operands.split(",")[-1] and not _READS.match(name)


def _packed(name: str, operands: str) -> int:
    """Of how many numbers an instruction computes the sum, difference or product."""
    register = _VECTOR.search(operands)
    if register is None or not _PACKED.match(name):
        return 1
    width = {"s": 4, "d": 8}[name[-1]] if name[0] != "p" else 8 if name.endswith("dq") else 4
    return {"x": 16, "y": 32, "z": 64}[register[1]] // width


def _add_call(block: _Block, address: int, target: int, name: str) -> None:
    kind = next((kind for kind, pattern in _CALLS if re.search(pattern, name)), None)
    if kind:
        block.operations.append((address, kind))
    elif name.endswith("@plt"):
        known = _as_instructions(address, name.removesuffix("@plt"))
        block.operations += known
        block.outside += not known
    elif name.startswith("__x86_indirect_thunk"):
        block.calls.append(_INDIRECT)
        block.outside += 1
    elif not name.startswith(("sim_", "__tsan")):
        block.calls.append(target)
        block.outside += name.startswith(("__mul", "__div"))  # gcc's own, of complex numbers


def _as_instructions(address: int, name: str) -> list[tuple[int, str]]:
    """The operations of a kind, or of a function of the C library; of others, none."""
    if name in _DOUBLES:
        arithmetic, integers, special = _DOUBLES[name]
        kinds = ["double"] * arithmetic
    elif name.endswith("f") and name[:-1] in _FLOATS:
        arithmetic, integers, special = _FLOATS[name[:-1]]
        kinds = ["float"] * arithmetic
    else:
        return [(address, name)] if name in _NAMES else []
    return [(address, kind) for kind in kinds + ["integer"] * integers + ["special"] * special]


@cache
def _kind(name: str) -> str | None:
    """Of a mnemonic, without AVX's v."""
    return next((kind for kind, pattern in _KINDS if re.match(pattern, name)), None)


def _mark(block: _Block, mark: int) -> None:
    kind, how = mark >> 48 & 0x7FFF, mark >> 32 & 0xFFFF
    if kind == _MARK_LOOP:
        block.unroll = 2 if how & _BY_TWO else _UNROLL if how & _UNROLLED else 1


def _propagate(
    blocks: dict[int, _Block], passes: dict[int, int], entered: float | None
) -> dict[int, frozenset[int]]:
    """Sets the passes of each block: counted ones, else as many as come to it from other blocks,
    but no more than pass the block before it that is in the same loops and that all come from.
    entered: how often the function is called, if that is known. Returns the loops of each."""
    for block in blocks.values():
        if block.returns:
            block.passes = max(passes.get(place, 0) for place in block.returns)
    order = _order(blocks)
    if not order:
        return {}
    position = {start: i for i, start in enumerate(order)}
    before: dict[int, list[int]] = defaultdict(list)
    for start in order:
        for follower in blocks[start].next:
            if follower in position:
                before[follower].append(start)
    above = _dominators(order, position, before)
    loops = _loops(order, above, before)
    rounds: dict[frozenset[int], float] = defaultdict(float)
    for start in order:
        rounds[loops[start]] = max(rounds[loops[start]], blocks[start].passes or 0)
    for start in order:
        block = blocks[start]
        if block.passes is not None:
            continue
        earlier = [p for p in before[start] if position[p] < position[start]]
        block.passes = sum(blocks[p].passes or 0 for p in earlier)
        if not earlier:
            block.passes = rounds[loops[start]] if entered is None else entered
        elif start in loops[start]:
            block.passes = max(block.passes, rounds[loops[start]])
        if (alike := _alike(start, above, loops)) is not None:
            block.passes = min(block.passes, blocks[alike].passes or 0)
        after = [blocks[follower] for follower in block.next if follower in position]
        if after and all(b.returns for b in after):
            block.passes = min(block.passes, sum(b.passes or 0 for b in after))
    return loops


def _waits(
    blocks: dict[int, _Block],
    loops: dict[int, frozenset[int]],
    loads: set[int],
    stores: set[int],
) -> float:
    """How often warps wait for loads. A load of the next round does not pass a store, which may be
    to the same address."""
    storing = {loops[start] for start in loops if stores.intersection(blocks[start].returns)}
    waits: dict[frozenset[int], float] = {}
    for start, inside in loops.items():
        if loads.intersection(blocks[start].returns):
            first = (blocks[h].unroll for h in inside if loops[h] == inside)
            unroll = 1 if inside in storing else max([1, *first])
            waits[inside] = max(waits.get(inside, 0.0), (blocks[start].passes or 0) / unroll)
    return sum(waits.values())


def _alike(start: int, above: dict[int, int], loops: dict[int, frozenset[int]]) -> int | None:
    """The nearest block in the same loops through which all come to this one."""
    at = start
    while above[at] != at:
        at = above[at]
        if loops[at] == loops[start]:
            return at
    return None


def _order(blocks: dict[int, _Block]) -> list[int]:
    """The blocks that the first one leads to, each after those before it but for loops. The arms of
    a switch, to which only a table leads, follow the first block, too."""
    done: dict[int, None] = {}
    for root in sorted(blocks, key=lambda at: (at != min(blocks), not blocks[at].returns, at)):
        if root in done or (done and not blocks[root].returns):
            continue
        open_blocks = [(root, iter(blocks[root].next))]
        seen = {root}
        found = []
        while open_blocks:
            at, followers = open_blocks[-1]
            follower = next((f for f in followers if f in blocks and f not in seen), None)
            if follower is None or follower in done:
                if follower is None:
                    found.append(at)
                    open_blocks.pop()
                continue
            seen.add(follower)
            open_blocks.append((follower, iter(blocks[follower].next)))
        done.update(dict.fromkeys(reversed(found)))
    return list(done)


def _dominators(
    order: list[int], position: dict[int, int], before: dict[int, list[int]]
) -> dict[int, int]:
    """Of each block the nearest other one through which all come to it; of the first, itself."""
    above = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for start in order[1:]:
            known = [p for p in before[start] if p in above]
            nearest = known[0] if known else start
            for other in known[1:]:
                nearest = _common(nearest, other, above, position)
            if above.get(start) != nearest:
                above[start] = nearest
                changed = True
    return above


def _common(a: int, b: int, above: dict[int, int], position: dict[int, int]) -> int:
    while a != b:
        if position[a] < position[b]:
            a, b = b, a
        if above[a] == a:  # nothing leads there: an arm of a switch
            return b
        a = above[a]
    return a


def _loops(
    order: list[int], above: dict[int, int], before: dict[int, list[int]]
) -> dict[int, frozenset[int]]:
    """The loops that each block is in, by the block with which a loop begins."""
    inside: dict[int, set[int]] = {start: set() for start in order}
    for start in order:
        for last in before[start]:
            if not _is_below(last, start, above):
                continue
            body = [last]
            inside[start].add(start)
            while body:
                at = body.pop()
                if start not in inside[at]:
                    inside[at].add(start)
                    body += before[at]
    return {start: frozenset(found) for start, found in inside.items()}


def _is_below(at: int, dominator: int, above: dict[int, int]) -> bool:
    while at != dominator and above[at] != at:
        at = above[at]
    return at == dominator
