"""Points. The standard library alone: `./grade list` shows them before anything is installed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unmeasured:
    """Points that this run could not measure; they are neither lost nor earned."""

    points: float
    reason: str


@dataclass(frozen=True)
class Score:
    """Points earned of those measured. measured + the unmeasured = total, unless selected."""

    earned: float
    measured: float
    total: float
    unmeasured: tuple[Unmeasured, ...] = ()
