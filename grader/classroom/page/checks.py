"""The figures of each check of a lab, over all submissions that have a grade."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from grader.model.result import Check, Kind, Result, Verdict

LEAST = 5  # judged submissions that a correlation needs; of two it is always 1 or -1
WORDS = ((0.4, "strong"), (0.2, "fair"), (0.0, "weak"))  # the least correlation of each word


@dataclass(frozen=True)
class CheckFigures:
    """One check. Times are in seconds; None where none was measured."""

    id: str
    name: str
    kind: Kind
    part: str
    hidden: bool
    points: float  # that it is worth
    verdicts: Counter[Verdict]
    discrimination: float | None
    times: tuple[float, ...]  # sorted

    @property
    def judged(self) -> int:
        return self.verdicts["pass"] + self.verdicts["fail"]

    @property
    def pass_rate(self) -> float | None:
        """Of the submissions that it was judged for: 0 to 1."""
        return self.verdicts["pass"] / self.judged if self.judged else None

    @property
    def median(self) -> float | None:
        return statistics.median(self.times) if self.times else None

    @property
    def slowest(self) -> float | None:
        return self.times[-1] if self.times else None

    @property
    def meaning(self) -> str:
        return word_of(self.discrimination)


def figures(results: Iterable[Result]) -> list[CheckFigures]:
    """The checks in the order of the grades. A submission without the check does not count."""
    lines: dict[str, list[tuple[Check, Result]]] = {}
    for result in results:
        for check in result.checks:
            lines.setdefault(check.id, []).append((check, result))
    return [_figures(of_check) for of_check in lines.values()]


def word_of(discrimination: float | None) -> str:
    """A discrimination in a word; "" where there is none."""
    if discrimination is None:
        return ""
    return next((word for least, word in WORDS if discrimination >= least), "reversed")


def _figures(lines: list[tuple[Check, Result]]) -> CheckFigures:
    check = lines[0][0]
    return CheckFigures(
        id=check.id,
        name=check.name,
        kind=check.kind,
        part=check.part or "",
        hidden=check.hidden,
        points=check.max_points,
        verdicts=Counter(check.verdict for check, _ in lines),
        discrimination=_discrimination(lines),
        times=tuple(sorted(check.seconds for check, _ in lines if check.seconds > 0)),
    )


def _discrimination(lines: list[tuple[Check, Result]]) -> float | None:
    """The point-biserial correlation of passing the check with the share of the other points."""
    passed: list[bool] = []
    rest: list[float] = []
    for check, result in lines:
        others = result.score.measured - check.max_points
        if check.verdict in ("pass", "fail") and others > 0:
            passed.append(check.verdict == "pass")
            rest.append((result.score.earned - check.points) / others)
    return correlation(passed, rest)


def correlation(passed: Sequence[bool], rest: Sequence[float]) -> float | None:
    """Pearson's correlation; None for fewer than LEAST pairs, and where one side is constant."""
    if len(passed) < LEAST or len(set(passed)) < 2 or np.ptp(rest) < 1e-9:
        return None
    return float(np.corrcoef(np.asarray(passed, float), np.asarray(rest, float))[0, 1])
