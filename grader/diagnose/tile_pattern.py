"""Where wrong pixels repeat with the tiles of a kernel: in which rows and columns of how many."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]

ALL_BUT = 0.9  # of a row or column; a larger share of wrong pixels counts as all of them
PERIODS = (4, 8, 16, 32, 64, 128)


def plane(wrong: Mask) -> Mask:
    """The pixels (height x width) that are wrong in any channel; `wrong`: ... x height x width."""
    return np.asarray(wrong.any(axis=tuple(range(wrong.ndim - 2))))


def words(wrong: Mask) -> str:
    """Such as "in columns 0..5 of every 32", or "" when nothing repeats."""
    parts = []
    for name, axis, period in _repeating(wrong):
        hit = np.unique(np.flatnonzero(wrong.any(axis=1 - axis)) % period)
        parts.append(f"{name}{'s' * (len(hit) > 1)} {_ranges(hit)} of every {period}")
    return f"in {' and '.join(parts)}" if parts else ""


def lines(wrong: Mask) -> Mask | None:
    """All pixels of the rows and columns on which errors repeat; None when nothing repeats."""
    concerned = np.ones(wrong.shape, dtype=np.bool_)
    for _, axis, period in _repeating(wrong):
        hit = np.unique(np.flatnonzero(wrong.any(axis=1 - axis)) % period)
        among = np.isin(np.arange(wrong.shape[axis]) % period, hit)
        concerned &= among[:, None] if axis == 0 else among[None, :]
    return None if concerned.all() else concerned


def position(wrong: Mask, y: int, x: int) -> str:
    """Where a pixel lies in its tile, such as "column 5 of every 32"; "" when nothing repeats."""
    parts = [
        f"{name} {(y, x)[axis] % period} of every {period}"
        for name, axis, period in _repeating(wrong)
    ]
    return " and ".join(parts)


def _repeating(wrong: Mask) -> Iterator[tuple[str, int, int]]:
    """The axes along which errors repeat: name, axis, period in pixels."""
    for axis, name in ((1, "column"), (0, "row")):
        hit = np.flatnonzero(wrong.any(axis=1 - axis))
        periods = [p for p in PERIODS if len(np.unique(hit // p)) > 2 and _each_repeats(hit, p)]
        share = {p: len(np.unique(hit % p)) / p for p in periods}  # of a period that is hit
        best = min(periods, key=lambda p: share[p], default=0)
        if best and (share[best] <= 0.5 or _whole(wrong, axis, best)):
            yield name, axis, best


def _each_repeats(hit: npt.NDArray[np.int64], period: int) -> bool:
    """Is each place of a period that is hit hit in more than half of the periods?"""
    times = np.bincount(hit % period)
    return bool(times[times > 0].min() > (hit[-1] // period - hit[0] // period + 1) / 2)


def _whole(wrong: Mask, axis: int, period: int) -> bool:
    """Are whole rows (axis 0) or columns wrong, the same of each period, and no others? A pixel or
    two of them may be right by chance."""
    hit = np.unique(np.flatnonzero(wrong.any(axis=1 - axis)) % period)
    among = np.isin(np.arange(wrong.shape[axis]) % period, hit)
    return len(hit) < period and bool(wrong.mean(axis=1 - axis)[among].min() > ALL_BUT)


def _ranges(numbers: npt.NDArray[np.int64]) -> str:
    """0, 1, 2, 7 as "0..2, 7"."""
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(f"{r[0]}..{r[-1]}" if len(r) > 1 else f"{r[0]}" for r in runs)
