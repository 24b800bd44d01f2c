"""Which of two programs is faster at a check, by their predictions: what both miss cancels, so the
interval of the ratio is the narrower, the more their terms are alike."""

import math
from collections.abc import Mapping

from grader.model.prediction import Prediction, Ratio
from grader.predict import estimate


def distance(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """How far the terms of two times differ: 0, not at all, to 2."""
    differing = sum(abs(a.get(name, 0.0) - b.get(name, 0.0)) for name in a.keys() | b.keys())
    return differing / max(sum(a.values()), sum(b.values()), 1e-12)


def ratio(mine: Prediction, other: Prediction) -> Ratio | None:
    """The speed of the first over that of the second; None where a time is missing."""
    if mine.time is None or other.time is None:
        return None
    base, slope = estimate.weights(mine.with_nvcc and other.with_nvcc).apart
    factor = math.exp(base + slope * distance(mine.time.terms, other.time.terms))
    middle = other.time.us / mine.time.us
    return Ratio(middle, middle / factor, middle * factor)


def verdict(speed: Ratio) -> str:
    """Such as "faster", where the whole interval says so."""
    if speed.low > 1:
        return "faster"
    return "slower" if speed.high < 1 else "too close to tell"


def differing_term(mine: Prediction, other: Prediction) -> str:
    """The term in which the times differ most."""
    assert mine.time is not None and other.time is not None
    a, b = mine.time.terms, other.time.terms
    return max(a.keys() | b.keys(), key=lambda name: abs(a.get(name, 0.0) - b.get(name, 0.0)))
