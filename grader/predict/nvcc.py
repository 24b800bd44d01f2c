"""What a launch asks of a GPU by nvcc's machine code: in place of the counts of g++'s."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from grader.execute.profile import Launch
from grader.predict.counts import Counts
from grader.sandbox import launcher
from grader.sass import follow, kinds
from grader.sass.follow import Blocks, Followed, LostError
from grader.sass.listing import Function, Instruction
from grader.sass.resources import Resources

NEAR = 1.5  # accesses of memory may differ so much from those that the simulator counts
# The pipe of an H200 that an instruction goes to, by its name: labs/studies/predict/README.md.
_PIPES = [
    ("fma", r"FFMA|FADD|FMUL|HFMA2|HADD2|HMUL2|VIADD$"),
    ("imul", r"IMAD"),
    ("fp64", r"D(FMA|ADD|MUL|MNMX|SETP)"),
    ("convert", r"MUFU|F2F|F2I|I2F$|FRND|POPC|FLO|BREV"),
    ("barrier", r"BAR"),
    ("shuffle", r"SHFL|REDUX|MATCH"),
    ("branch", r"BRA|EXIT|BSSY|BSYNC|NOP|CALL|RET|WARPSYNC|YIELD|BREAK|VOTE|S2U?R|R2UR|MEMBAR"),
    ("uniform", r"U[A-Z]"),
]
_PATTERNS = [(kind, re.compile(pattern)) for kind, pattern in _PIPES]
_REGISTER = re.compile(r"\bR(\d+)\b")


@lru_cache(maxsize=4096)
def kind(op: str, operands: str) -> str:
    """What unit of a multiprocessor executes an instruction."""
    if access := kinds.access(op, operands):
        if access.name != kinds.OPERAND:
            return {"local": "frame", "constant": "constant"}.get(access.space, "memory")
    base = op.split(".")[0]
    if base in ("LDC", "ULDC"):
        return "parameter"
    return next((name for name, pattern in _PATTERNS if pattern.match(base)), "alu")


@dataclass(frozen=True)
class Program:
    """The kernels of a program as nvcc makes them, by the names that the linker knows, and where
    g++'s are in the program of the simulator."""

    functions: Mapping[str, Function]
    resources: Mapping[str, Resources]
    names: Mapping[int, str]

    def kernel(self, launch: Launch) -> Function | None:
        name = _plain(self.names.get(launch.function, ""))
        return next((f for n, f in self.functions.items() if _plain(n) == name), None)


def _plain(name: str) -> str:
    """Without what gcc adds to a clone, and what each compiler calls an unnamed namespace."""
    return re.sub(r"\d+_GLOBAL__N_(1|_[0-9a-f]{8}_\d+_\w+?_[0-9a-f]{8})(?=\d)", "0_", name.split(".")[0])


def names(binary: Path) -> dict[int, str]:
    """The functions of a program, by their addresses."""
    rows = (row.split() for row in launcher.tool_output(["nm", str(binary)], binary).splitlines())
    return {int(row[0], 16): row[2] for row in rows if len(row) == 3 and row[1] in "tTwW"}


def refined(counts: Counts, launch: Launch, program: Program) -> Counts:
    """The counts of a launch with those of nvcc's instructions; as they are where the kernel's code
    cannot be followed."""
    function = program.kernel(launch)
    if function is None or not launch.arguments:
        return counts
    blocks = Blocks(launch.grid, launch.block, bytes.fromhex(launch.arguments))
    try:
        followed = follow.follow(function, blocks)
    except LostError:
        return counts
    return of_followed(counts, launch, function, program.resources.get(function.name), followed)


def of_followed(
    counts: Counts,
    launch: Launch,
    function: Function,
    resources: Resources | None,
    followed: Followed,
) -> Counts:
    accesses = sum(s.requests for s in launch.sites if s.space in ("global", "shared"))
    ran = [(one, followed.counts[one.address]) for one in function.code]
    own = sum(n for one, n in ran if kind(one.op, one.operands) == "memory")
    scale = 1.0 if followed.whole else accesses / max(own, 1.0)
    if followed.whole and not accesses / NEAR - counts.warps <= own <= accesses * NEAR + counts.warps:
        return counts
    operations: Counter[str] = Counter()
    for one, n in ran:
        operations[kind(one.op, one.operands)] += n * scale  # type: ignore[assignment]
    return replace(
        counts,
        operations=dict(operations),
        code=sum(n > 0 for _, n in ran),
        waits=_waits(function, followed) * scale,
        registers=resources.registers if resources else counts.registers,
        by_nvcc=True,
    )


def _waits(function: Function, followed: Followed) -> float:
    """How often warps wait for loads of global memory: at the first use of one of those that a
    warp has under way; at the end of a straight piece of code for what is left."""
    waits, pending, before = 0.0, set[str](), 0.0
    for one in function.code:
        now = followed.counts[one.address]
        access = kinds.access(one.op, one.operands)
        if pending and (now != before or pending & _registers(one)):
            waits += before
            pending = set()
        if access and access.space in ("global", "generic") and access.way == "load":
            pending |= set(_registers(one, 1))
        before = now
    return waits


def _registers(one: Instruction, first: int | None = None) -> set[str]:
    return set(_REGISTER.findall(one.operands)[:first])
