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
    only some checks were selected."""

    earned: float
    measured: float
    total: float
    unmeasured: tuple[Unmeasured, ...] = ()
