"""Points. The standard library alone: `./grade list` shows them before anything is installed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Unmeasured:
    """Points that this run could not measure. They are neither earned nor lost."""

    points: float
    reason: str


@dataclass(frozen=True)
class Score:
    """Points earned, of those measured. Measured and unmeasured points add up to the total, unless
    only some checks were selected. Where the course lets predictions of speed earn points, those
    count among the measured ones, and `predicted` says how many they are."""

    earned: float
    measured: float
    total: float
    unmeasured: tuple[Unmeasured, ...] = ()
    predicted: float = 0  # of `measured`: points that a prediction decided, not a measurement
