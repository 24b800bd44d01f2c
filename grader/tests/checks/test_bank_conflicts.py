"""The distance between lanes is named where it is why they meet in a bank, and else nothing."""

import pytest

from grader.checks import bank_conflicts
from grader.execute.accesses import WarpAccess


def cause(apart: list[int], cost: int, width: int = 4) -> str:
    lanes = dict(enumerate(apart))
    warp = WarpAccess(
        0, 0, "a.cu", 7, "shared", False, width, (0, 0, 0), 0, 9999, 0, "s_tile", lanes, cost
    )
    return bank_conflicts.cause([warp], "a.cu", 7)


@pytest.mark.parametrize("words, meeting", [(10, 2), (8, 8), (32, 32), (-50, 2)])
def test_an_even_distance_is_named(words: int, meeting: int) -> None:
    said = cause([4 * words * lane + 4 * 2000 for lane in range(32)], meeting)
    assert f"{abs(words)} words apart, and {meeting} divides both" in said


@pytest.mark.parametrize(
    "apart, cost, width",
    [
        ([36 * lane for lane in range(32)], 1, 4),  # odd
        ([0] * 32, 1, 4),  # all at one word
        ([40 * (lane // 2) for lane in range(32)], 2, 4),  # pairs
        ([16 * lane for lane in range(32)], 4, 16),  # vectors
        ([40 * lane for lane in range(31)], 2, 4),  # not all lanes
        ([40 * lane for lane in range(32)], 5, 4),  # something else costs more
    ],
)
def test_other_accesses_have_no_such_cause(apart: list[int], cost: int, width: int) -> None:
    assert cause(apart, cost, width) == ""


def test_another_line_says_nothing() -> None:
    assert bank_conflicts.cause([], "a.cu", 7) == ""
