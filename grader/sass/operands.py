"""What an instruction of an sm_90 sets and reads: registers and predicates."""

from __future__ import annotations

import re
from functools import lru_cache

from grader.sass.listing import Instruction

REGISTER = re.compile(r"U?R(\d+|Z)$")
PREDICATE = re.compile(r"!?U?P[\dT]$")
_NO_RESULT = re.compile(
    r"BRA|BRX|EXIT|RET|CALL|JMP|BAR|B(SSY|SYNC|REAK|MOV)|ST[GSL]?$|RED|NOP|MEMBAR|WARPSYNC|KILL"
    r"|DEPBAR|LDGDEPBAR|ERRBAR|CCTL|YIELD|LDGSTS|UTMA|SYNCS|NANOSLEEP"
)
_TEST = re.compile(r"U?[IFDH]\w*SETP|U?PLOP3")
_ONE_TEST = re.compile(r"FCHK|VOTE")
_DOUBLE = re.compile(r"D(ADD|MUL|FMA|MNMX)|[FI]2F\.F64|F2I\.\w*\.?[US]64|CS2R(?!\.32)")


@lru_cache(maxsize=1 << 16)
def split(one: Instruction) -> list[str]:
    """The operands."""
    names = one.operands.split(",") if one.operands else []
    return [name.strip().replace(".reuse", "") for name in names]


def moves(one: Instruction) -> bool:
    """Does it decide where a thread goes?"""
    return one.op.split(".")[0] in ("BRA", "EXIT", "RET", "CALL", "BRX", "JMP", "KILL")


def words(one: Instruction) -> int:
    """Registers of a result."""
    parts = one.op.split(".")
    wide = "64" in parts or "WIDE" in parts or _DOUBLE.match(one.op)
    return 4 if "128" in parts else 2 if wide else 1


def following(name: str, by: int) -> str:
    """R5 for R4; RZ stays."""
    found = re.match(r"(U?R)(\d+)$", name)
    return f"{found[1]}{int(found[2]) + by}" if found else name


@lru_cache(maxsize=1 << 16)
def leading(one: Instruction) -> int:
    """How many operands are results."""
    base = one.op.split(".")[0]
    if _NO_RESULT.match(base):
        return 0
    if _TEST.match(base):
        return 2
    if _ONE_TEST.match(base):
        return 1
    register = False
    names = split(one)
    for index, name in enumerate(names):
        if REGISTER.match(name) and not register:
            register = True
        elif not PREDICATE.match(name):
            return index
    return len(names)


@lru_cache(maxsize=1 << 16)
def results(one: Instruction) -> list[str]:
    """What it may set."""
    names = split(one)
    if one.op.startswith("R2P"):
        return [f"P{i}" for i in range(7)]
    found: list[str] = []
    for name in names[: leading(one)]:
        number = words(one) if REGISTER.match(name) else 1
        found += [following(name, i) for i in range(number)]
    return found


def reads(one: Instruction) -> list[str]:
    """What decides its results; some more, where it reads pairs of registers."""
    found = re.findall(r"\bU?[RP]\d+\b", f"{one.guard} {one.operands}")
    if re.search(r"WIDE|64|128|HI", one.op):
        found += [following(name, i) for name in found if "R" in name for i in (1, 2, 3)]
    return found
