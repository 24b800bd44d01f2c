"""The scores of a lab as a table for the terminal."""

import textwrap
from collections.abc import Sequence

from grader.checks.speed_points import time_of
from grader.model.leaderboard import Leaderboard, Scored

HEADINGS = ("part", "time", "floor", "limited by", "score", "range")
TITLE = "leaderboard: score = floor / time; the floor is the least time that this machine allows"


def table(lab: str, board: Leaderboard, width: int) -> str:
    """The table, and below it what has no score, and why. One line where nothing can be timed."""
    left_out = [each for each in board.checks if each.left_out]
    if len(left_out) == len(board.checks):
        reasons = "; ".join(dict.fromkeys(each.why for each in left_out)) or "it times nothing"
        return "\n".join(_wrapped(f"{lab} has no score here: {reasons}", width))
    rows = [HEADINGS, *(_row(each) for each in board.checks if each.score is not None)]
    if board.score is not None:
        rows.append(("lab", "", "", "", _score(board.score), _range(board.low, board.high)))
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = _wrapped(TITLE, width)
    if len(rows) > 1:
        lines += [f"  {_line(row, widths)}" for row in rows]
    for each in board.checks:
        if each.score is None and not each.left_out:
            lines += _wrapped(f"{each.part} has no score: {each.why}", width)
    if board.score is None:
        lines += _wrapped(
            "the lab has no score: every part that can be timed here needs one", width
        )
    else:
        lines += _wrapped("lab: the geometric mean of these scores", width)
    for each in left_out:
        lines += _wrapped(f"{each.part} is left out: {each.why}", width)
    return "\n".join(lines)


def _row(each: Scored) -> tuple[str, ...]:
    time, floor = time_of(each.time_ns or 0), time_of(each.floor_ns or 0)
    return each.part, time, floor, each.bound, _score(each.score), _range(each.low, each.high)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Texts to the left, figures to the right."""
    words = (0, 3, 5)
    cells = [
        cell.ljust(width) if column in words else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None else f"{_score(low)} to {_score(high)}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(40, width), initial_indent="  ", subsequent_indent="    ")
