"""What a launch asks of a GPU by nvcc's machine code: in place of the counts of g++'s."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from grader.execute import addr2line
from grader.execute.addr2line import Location
from grader.execute.profile import Launch
from grader.model.prediction import LineShare
from grader.predict.counts import Counts
from grader.predict.counts import of_launches as of_simulator
from grader.sass import follow, kinds
from grader.sass.compiled import Code
from grader.sass.follow import Blocks, LostError
from grader.sass.listing import Function, Instruction

NEAR = 5.0  # accesses of memory may differ so much from those that the simulator counts
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
    if (access := kinds.access(op, operands)) and access.name != kinds.OPERAND:
        return {"local": "frame", "constant": "constant"}.get(access.space, "memory")
    base = op.split(".")[0]
    if base in ("LDC", "ULDC"):
        return "parameter"
    return next((name for name, pattern in _PATTERNS if pattern.match(base)), "alu")


def _plain(name: str) -> str:
    """Without what gcc adds to a clone, and what each compiler calls an unnamed namespace."""
    name = name.split(".")[0]
    while found := re.search(r"(\d+)_GLOBAL__N_", name):
        name = name[: found.start()] + name[found.end(1) + int(found[1]) :]
    return name


def of_launches(binary: Path, launches: list[Launch], code: Code | None) -> list[Counts]:
    """As counts.of_launches() of the simulator's program, but with nvcc's instructions where they
    can be followed. code: None where it is not known."""
    if code is None:
        return of_simulator(binary, launches)
    names = {start: _plain(name) for start, name in addr2line.functions(binary)}
    kernels = {_plain(function.name): function for function in code.kernels}
    found: dict[int, Counts] = {}  # of launches that are alike, as counts.of_launches() has them
    result = []
    for launch, counts in zip(launches, of_simulator(binary, launches), strict=True):
        function = kernels.get(names.get(launch.function, ""))
        if function is not None and id(counts) not in found:
            registers = code.resources[function.name].registers
            found[id(counts)] = replace(refined(counts, launch, function), registers=registers)
        result.append(found.get(id(counts), counts))
    return result


def refined(counts: Counts, launch: Launch, function: Function) -> Counts:
    """The counts of a launch with nvcc's instructions; as they are where the kernel's code cannot
    be followed, or would access memory much less or more often than the simulator has seen."""
    blocks = Blocks(launch.grid, launch.block, bytes.fromhex(launch.arguments))
    try:
        followed = follow.follow(function, blocks)
    except LostError:
        return counts
    accesses = sum(s.requests for s in launch.sites if s.space in ("global", "shared"))
    ran = [(one, followed.counts[one.address]) for one in function.code]
    own = sum(n for one, n in ran if kind(one.op, one.operands) == "memory")
    # Of threads that were not followed to the end, the rest is as what they did so far.
    scale = 1.0 if followed.whole else accesses / max(own, 1.0)
    least, most = accesses / NEAR - counts.warps, accesses * NEAR + counts.warps
    if not least <= own * scale <= most:
        return counts
    operations: defaultdict[str, float] = defaultdict(float)
    operations["clock"] = counts.operations.get("clock", 0.0)  # of which no time can be told
    lines: defaultdict[Location, float] = defaultdict(float)
    for one, n in ran:
        operations[kind(one.op, one.operands)] += n * scale
        if one.chain:
            lines[next((p for p in one.chain if p[0] == launch.file), one.chain[0])] += n
    file, line = most_of = max(lines, key=lambda place: lines[place], default=("", 0))
    issue = LineShare(file, line, lines[most_of] / max(sum(lines.values()), 1.0))
    return replace(
        counts,
        operations=dict(operations),
        code=sum(n > 0 for _, n in ran),
        waits=waits(function, followed.counts) * scale,
        by_nvcc=True,
        sources=counts.sources | {"issue": issue},
    )


def waits(function: Function, counts: Mapping[int, float]) -> float:
    """How often warps wait for loads of global memory: once for those that are under way where one
    is first used, or where the code goes on more or less often."""
    found, pending, before = 0.0, set[str](), 0.0
    for one in function.code:
        now = counts[one.address]
        if pending and (now != before or pending & _registers(one)):
            found += before
            pending = set()
        access = kinds.access(one.op, one.operands)
        if access and access.space in ("global", "generic") and access.way == "load":
            pending |= _registers(one, 1)
        before = now
    return found


def _registers(one: Instruction, first: int | None = None) -> set[str]:
    return set(_REGISTER.findall(one.operands)[:first])
