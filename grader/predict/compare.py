"""Which of two programs is faster at a check, by their predictions: what both miss cancels, so the
interval of the ratio is the narrower, the more their terms are alike."""

import math
from collections.abc import Mapping

from grader.model.prediction import Prediction, Ratio


def differences(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
    """By how much the terms of two times differ."""
    return {name: abs(a.get(name, 0.0) - b.get(name, 0.0)) for name in a.keys() | b.keys()}


def distance(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """How far the terms of two times differ: 0, not at all, to 2."""
    return sum(differences(a, b).values()) / max(sum(a.values()), sum(b.values()), 1e-12)


def ratio(mine: Prediction, other: Prediction) -> Ratio | None:
    """The speed of the first over that of the second; None where a time is missing."""
    from grader.predict import estimate  # it imports NumPy

    if mine.time is None or other.time is None:
        return None
    base, slope = estimate.weights(mine.with_nvcc and other.with_nvcc).apart
    factor = math.exp(base + slope * distance(mine.time.terms, other.time.terms))
    middle = other.time.us / mine.time.us
    return Ratio(middle, middle / factor, middle * factor)
