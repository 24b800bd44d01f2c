"""Machine code is followed as an H200 runs it: counts, borders, and what is not known."""

import numpy as np
import pytest

from grader.sass import arithmetic, operands
from grader.sass.follow import Blocks, LostError, follow
from grader.sass.listing import Function, Instruction

# Threads beyond n (0x210) end; the others go k times (0x214) through a loop of two instructions.
LOOP = """
S2R R0, SR_CTAID.X
S2R R3, SR_TID.X
IMAD R0, R0, c[0x0][0x0], R3
ISETP.GE.AND P0, PT, R0, c[0x0][0x210], PT
@P0 EXIT
MOV R2, RZ
VIADD R2, R2, 0x1
ISETP.LT.AND P1, PT, R2, c[0x0][0x214], PT
@P1 BRA `(.L_6)
EXIT
"""
LOADED = """
LDG.E R0, desc[UR4][R2.64]
ISETP.NE.AND P0, PT, R0, RZ, PT
@P0 BRA `(.L_{to})
FADD R4, R4, R4
EXIT
"""


def function(text: str, *labels: int) -> Function:
    """labels: the lines that `(.L_NUMBER) names, from 0."""
    code = []
    for number, line in enumerate(text.strip().splitlines()):
        guard, _, rest = line[1:].partition(" ") if line[0] == "@" else ("", "", line)
        op, _, names = rest.partition(" ")
        code.append(Instruction(16 * number, guard, op, names, ()))
    return Function("k", True, code, {f".L_{line}": 16 * line for line in labels})


def words(*numbers: int) -> bytes:
    return np.array(numbers, np.int32).tobytes()


@pytest.mark.parametrize(
    ("threads", "n", "k", "warps"), [(64, 64 * 9, 5, 18), (96, 96 * 9 + 40, 1, 29), (32, 1, 3, 1)]
)
def test_a_loop_behind_a_border(threads: int, n: int, k: int, warps: int) -> None:
    launch = Blocks((10, 1, 1), (threads, 1, 1), words(n, k))
    found = follow(function(LOOP, 6), launch)
    counts = [found.counts[16 * line] for line in range(10)]
    assert counts[0] == counts[4] == 10 * threads / 32
    assert counts[5] == counts[9] == warps
    assert counts[6:9] == [k * warps] * 3 and found.guessed == 0 and found.whole


def test_a_branch_on_what_was_loaded_is_a_guess_and_a_loop_is_not_followed() -> None:
    launch = Blocks((2, 1, 1), (32, 1, 1), b"")
    found = follow(function(LOADED.replace("{to}", "4"), 4), launch)
    assert found.counts[48] == 2 and 0 < found.guessed < 1
    with pytest.raises(LostError):
        follow(function(LOADED.replace("{to}", "0"), 0), launch)
    with pytest.raises(LostError):
        follow(function(LOOP, 6), Blocks((1, 1, 1), (1 << 40, 1, 1), words(1, 1)))


@pytest.mark.parametrize(
    ("op", "values", "expected"),
    [
        ("IMAD", (7, -3, 100), [79]),
        ("IMAD.WIDE", (-2, 3, 10, 0), [4, 0]),
        ("IMAD.HI.U32", (1 << 31, 6, 0, 5), [8]),
        ("IADD3", (0xFFFFFFFF, 1, 5), [5, 1, 0]),
        ("LEA.HI.SX32", (-8, 100, 31), [96, 1]),
        ("LOP3.LUT", (0b1100, 0b1010, 0, 0xC0, 0), [0b1000, 1]),
        ("ISETP.LT.AND", (-1, 0, 1), [1, 0]),
        ("ISETP.LT.U32.AND", (-1, 0, 1), [0, 1]),
        ("ISETP.GE.U32.AND.EX", (5, 5, 1, 0), [0, 1]),
        ("ISETP.NE.AND.EX", (5, 5, 1, 1), [1, 0]),
        ("SHF.R.S32.HI", (0, 31, -5), [-1]),
        ("SHF.L.U64.HI", (1 << 31, 1, 3), [7]),
        ("VIADDMNMX.RELU", (5, -9, 7, 1), [0]),
        ("PRMT", (0x80, 0x8880, 0), [-128 & 0xFFFFFFFF]),
        ("PLOP3.LUT", (1, 1, 1, 0x80, 0x7F), [1, 0]),
    ],
)
def test_what_an_instruction_gives(op: str, values: tuple[int, ...], expected: list[int]) -> None:
    base, *parts = op.split(".")
    given = [np.array([value & arithmetic.MASK], np.int64) for value in values]
    registers, tests = arithmetic.FUNCTIONS[base](parts, *given)
    assert [int(v[0]) for v in registers + tests] == [n & arithmetic.MASK for n in expected]


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("ISETP.GE.AND P2, PT, R7, -0x60, PT", ["P2", "PT"]),
        ("LOP3.LUT P2, R4, R3, 0x3, RZ, 0xc0, !PT", ["P2", "R4"]),
        ("LEA R14, P3, R14, R5, 0x5", ["R14", "P3"]),
        ("IADD3.X R9, R4, UR5, RZ, P0, !PT", ["R9"]),
        ("LDC.64 R8, c[0x0][0x220]", ["R8", "R9"]),
        ("STG.E desc[UR4][R2.64], R5", []),
        ("STL.64 [R1+0x8], R4", []),
    ],
)
def test_what_an_instruction_sets(text: str, results: list[str]) -> None:
    op, _, names = text.partition(" ")
    assert operands.results(Instruction(0, "", op, names, ())) == results
