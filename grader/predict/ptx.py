"""nvcc's PTX of a kernel: its basic blocks, what they execute, and the lines it comes from.

PTX is not yet machine code, but loops are already unrolled and values moved out of them as nvcc
decides, and almost every operation becomes one instruction. grader/predict/flow.py finds how often
each block runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_ENTRY = re.compile(r"^(?:\.visible |\.weak )?\.entry (\S+?)\(")
_FUNCTION = re.compile(r"^(?:\.visible |\.weak )?\.func\s+(?:\([^)]*\)\s*)?([\w$]+)\s*\(?")
_CALLED = re.compile(r"^\s*(?:\([^)]*\)\s*,\s*)?([A-Za-z_$][\w$]*)\s*(?:,|$)")
_REGISTER = re.compile(r"%\w+")
_FILE = re.compile(r'^\s*\.file\s+(\d+) "([^"]*)"')
_LOCATION = re.compile(r"^\s*\.loc\s+(\d+) (\d+)")
_LOCAL = re.compile(r"^\s*\.local\s.*\[(\d+)\];")
_CALL = re.compile(r"^\s*(?:@!?%\w+\s+)?call\b")
_LABEL = re.compile(r"^(\$\w+):")
_WIDTH = re.compile(r"(?:\.v(\d))?\.[a-z]+(\d+)$")
_CODE = re.compile(r"^\s*(?:@!?(%\w+)\s+)?([a-z]\w*(?:[.:]\w+)*)\s*(.*);")

# The kind of an operation: the first pattern that matches. What none matches costs nothing.
_KINDS = [
    ("convert", r"cvt\.\S*f(16|32|64)|cvt\.\S*\.f"),
    ("extend", r"cvt"),
    ("divide", r"(div|sqrt)\S*\.f32|rcp|rsqrt|ex2|lg2|sin|cos|tanh"),
    ("divide64", r"(div|sqrt)\S*\.f64"),
    ("idivide64", r"(div|rem)\.[su]64"),
    ("idivide", r"(div|rem)\.[su](16|32)"),
    ("fp64", r"(fma|add|sub|mul|mad|max|min)\S*\.f64|setp\S*\.f64"),
    ("fma", r"(fma|add|sub|mul|mad)\S*\.(f32|f16\w*)"),
    ("wide", r"(mul|mad)\.wide"),
    ("imul64", r"(mul|mad)\S*64"),
    ("imul", r"mul|mad"),
    ("add64", r"(add|sub|neg)\.[su]64"),
    ("shift64", r"(shl|shr|and|or|xor|not)\.[bsu]64"),
    ("add", r"(add|sub|neg|abs)\.[su](16|32)"),
    ("logic", r"(and|or|xor|not|shl|shr|lop3|shf|bfe|bfi|prmt|popc|clz|brev)\S*\.[bsu](16|32)"),
    ("predicate", r"(and|or|xor|not)\.pred"),
    ("select", r"(min|max|selp|slct|set\.)"),
    ("compare", r"setp"),
    ("move", r"mov"),
    ("branch", r"bra|ret|exit"),
    ("barrier", r"bar"),
    ("shuffle", r"shfl|vote|match|activemask|redux"),
    ("atomic", r"atom|red"),
    ("dp", r"dp[24]a"),
]  # fmt: skip
_COMPILED = [(kind, re.compile(pattern)) for kind, pattern in _KINDS]
LOCAL = ("local", "local store")
KINDS = [kind for kind, _ in _KINDS] + ["special", "global", "shared", *LOCAL, "constant"]

# What is compared with the simulator's counts: a class of operations, the file and the line.
Anchor = tuple[str, str, int]
ANCHORED = ("fma", "fp64", "barrier", "shuffle")
SHARED_LOAD = "shared load"
# Loads that nvcc's code may have fewer of than the source: it reads a word once that several
# results of a thread need.
MERGED = (SHARED_LOAD, "constant")
# Products, by lines that have none of the others: those of addresses are nvcc's own.
SPARE = "imul"
# Comparisons, by lines that have none of the others and begin no loop: so a copy of a loop that
# leaves a condition of the source out is not taken for the one that runs.
REACHED = "compare"


@dataclass
class Loads:
    """How many, and the bytes that a lane reads with all of them."""

    number: float = 0.0
    loaded: float = 0.0

    def __add__(self, other: Loads) -> Loads:
        return Loads(self.number + other.number, self.loaded + other.loaded)

    def __mul__(self, times: float) -> Loads:
        return Loads(self.number * times, self.loaded * times)


@dataclass
class Block:
    """Operations without a jump between them."""

    operations: Counter[str] = field(default_factory=Counter)
    anchors: Counter[Anchor] = field(default_factory=Counter)
    loads: dict[Anchor, Loads] = field(default_factory=dict)  # of shared memory
    generic: bool = False  # there are loads that may be of any memory
    guarded: set[Anchor] = field(default_factory=set)  # under a condition: passed, not executed
    waits: Counter[str] = field(default_factory=Counter)  # by memory: loads that need one another
    next: list[int] = field(default_factory=list)  # blocks that may follow
    leaves: bool = False  # the kernel may end here
    returns: bool = False  # to where its function was called
    function: str = ""  # the called function that begins here


def local_bytes(text: str) -> dict[str, int]:
    """The bytes of local memory that a thread of each kernel has for its arrays."""
    found: dict[str, int] = {}
    name = ""
    for line in text.splitlines():
        entry, local = _ENTRY.match(line), _LOCAL.match(line)
        if entry:
            name = entry[1]
        elif local:
            found[name] = found.get(name, 0) + int(local[1])
    return found


def entries(text: str) -> dict[str, list[Block]]:
    """The kernels of a PTX file by their mangled names; the first block is where each begins."""
    lines = text.splitlines()
    files = {m[1]: Path(m[2]).name for line in lines if (m := _FILE.match(line))}
    kernels: list[str] = []
    bodies: dict[str, list[str]] = {}
    start: tuple[str, int] | None = None
    for number, line in enumerate(lines):
        entry, function = _ENTRY.match(line), _FUNCTION.match(line)
        if entry:
            kernels.append(entry[1])
        if entry or function:
            start = (entry or function)[1], number  # type: ignore[index]
        elif line.startswith("}") and start is not None:
            bodies[start[0]] = lines[start[1] : number]
            start = None
    return {name: _blocks(name, bodies, files) for name in kernels if name in bodies}


class _Reader:
    """Divides the lines of a kernel into blocks."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.blocks = [Block()]
        self.labels: dict[str, int] = {}
        self.jumps: list[tuple[int, str]] = []
        self.at = ("", 0)
        self.ended = False  # the block cannot be left at its end
        self.calls: list[tuple[int, str]] = []  # the block that ends with it, and the function
        self.loads: dict[str, Counter[str]] = {}  # by register: loads in a row that it depends on

    def line(self, line: str) -> None:
        location, label = _LOCATION.match(line), _LABEL.match(line)
        if location:
            if location[2] != "0":
                self.at = self.files.get(location[1], ""), int(location[2])
        elif label:
            self._begin()
            self.labels[label[1]] = len(self.blocks) - 1
        elif (code := _CODE.match(line)) and not line.lstrip().startswith("."):
            self._operation(code[1] is not None, code[2], code[3])

    def _begin(self) -> None:
        self.loads = {}
        block = self.blocks[-1]
        if not block.operations and not block.anchors and not self.ended:
            return
        if not self.ended:
            block.next.append(len(self.blocks))
        self.blocks.append(Block())
        self.ended = False

    def _operation(self, guarded: bool, name: str, operands: str) -> None:
        if self.ended:
            self._begin()
        block = self.blocks[-1]
        kind = _kind(name, operands)
        if kind:
            # A warp's access of local memory is of 4 bytes a lane: 8 bytes are two.
            block.operations[kind] += 2 if kind in LOCAL and name.endswith("64") else 1
        anchor = _anchor(name, kind)
        if anchor:
            block.anchors[(anchor, *self.at)] += 1
            if anchor == SHARED_LOAD:
                known = block.loads.get((anchor, *self.at), Loads())
                block.loads[(anchor, *self.at)] = known + Loads(1, _bytes(name))
            if guarded:
                block.guarded.add((anchor, *self.at))
        block.generic |= name.startswith("ld") and kind == "global" and ".global" not in name
        self._follow(name, operands, kind)
        if name.startswith("call"):
            called = _CALLED.match(operands)
            self.calls.append((len(self.blocks) - 1, called[1] if called else ""))
            block.next.append(len(self.blocks))
            self.blocks.append(Block())
            self.loads = {}
        elif name.startswith("bra"):
            self.jumps.append((len(self.blocks) - 1, operands.strip()))
            self.ended = not guarded
            if guarded:
                block.next.append(len(self.blocks))
                self.blocks.append(Block())
                self.loads = {}
        elif name.startswith(("ret", "exit")):
            block.leaves = True
            self.ended = not guarded

    def _follow(self, name: str, operands: str, kind: str | None) -> None:
        """Which loads a result waits for: those of its operands, and itself, if it is a load."""
        head, _, tail = operands.partition("}" if operands.startswith("{") else ",")
        stores = name.startswith(("st", "bra", "ret", "bar"))
        waits: Counter[str] = Counter()
        for register in _REGISTER.findall(operands if stores else tail):
            waits |= self.loads.get(register, Counter())
        if kind in ("global", "shared") and not stores:
            waits[kind] += 1
            self.blocks[-1].waits |= waits
        if not stores and waits:
            for register in _REGISTER.findall(head):
                self.loads[register] = waits
        elif not stores:
            for register in _REGISTER.findall(head):
                self.loads.pop(register, None)


def _blocks(name: str, bodies: dict[str, list[str]], files: dict[str, str]) -> list[Block]:
    """The blocks of a kernel and of the functions that it calls, each of them once."""
    all_blocks: list[Block] = []
    first: dict[str, int] = {}
    calls: list[tuple[int, str]] = []
    waiting = [name]
    while waiting:
        function = waiting.pop(0)
        if function in first:
            continue
        reader = _Reader(files)
        for line in _joined(bodies[function]):
            reader.line(line)
        offset = first[function] = len(all_blocks)
        for number, label in reader.jumps:
            if label in reader.labels:
                reader.blocks[number].next.append(reader.labels[label])
        for block in reader.blocks:
            block.next = [number + offset for number in block.next]
        for number, called in reader.calls:
            if called in bodies:
                calls.append((number + offset, called))
                waiting.append(called)
        if function != name:
            reader.blocks[0].function = function
        all_blocks += reader.blocks
    _connect(all_blocks, first, calls, name)
    return all_blocks


def _joined(lines: list[str]) -> Iterator[str]:
    """The lines, a call in one, which nvcc writes in several."""
    call = ""
    for line in lines:
        if call or _CALL.match(line):
            call += line
            if not line.rstrip().endswith(";"):
                continue
            line, call = call.replace("\n", " "), ""
        yield line


def _connect(
    blocks: list[Block], first: dict[str, int], calls: list[tuple[int, str]], kernel: str
) -> None:
    """A call goes on in the function, which returns to what follows each of its calls."""
    starts = sorted(first.values())
    ends = dict(zip(starts, [*starts[1:], len(blocks)], strict=True))
    after: dict[str, list[int]] = {}
    for number, called in calls:
        after.setdefault(called, []).extend(blocks[number].next)
        blocks[number].next = [first[called]]
    for function, start in first.items():
        for block in blocks[start : ends[start]]:
            if block.leaves and function != kernel:
                block.leaves, block.returns = False, True
                block.next += after.get(function, [])


def _kind(name: str, operands: str) -> str | None:
    if name.startswith(("ld", "st")):
        return _space(name, operands)
    if name.startswith("mov") and re.search(r"%(n?tid|n?ctaid|laneid|warpid|clock)", operands):
        return "special" if "%tid" in operands or "%ctaid" in operands else None
    return next((kind for kind, pattern in _COMPILED if pattern.match(name)), None)


def _space(name: str, operands: str) -> str | None:
    for space in ("shared", "local", "param"):
        if f".{space}" in name:
            if space == "local" and name.startswith("st"):
                return "local store"
            return None if space == "param" else space
    if ".const" in name:  # with a fixed address it is an operand of what uses it
        return "constant" if re.search(r"\[%", operands) else None
    return "global"


def _bytes(name: str) -> int:
    """That a lane reads with a load such as ld.shared.v4.f32."""
    width = _WIDTH.search(name)
    return int(width[1] or 1) * int(width[2]) // 8 if width else 4


def _anchor(name: str, kind: str | None) -> str | None:
    """The class by which a count of the simulator may be compared."""
    if name.startswith(("ld", "st")):
        if ".const" in name:
            return "constant"
        if kind in ("global", "shared"):
            return f"{kind} {'store' if name.startswith('st') else 'load'}"
        return None
    return kind if kind in (*ANCHORED, SPARE, REACHED) else None
