"""The predicted times of the course's own functions, in references.json: students' copies have no
solution to predict, and a prediction of the baseline is the same each time.

`python -m labs.studies.predict.references` writes the file.
"""

from functools import cache
from pathlib import Path

import msgspec

from grader.model.prediction import PredictedTime

FILE = Path(__file__).with_name("references.json")


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The course's functions for one speed check. baseline: None where the lab has none for it."""

    solution: PredictedTime
    baseline: PredictedTime | None


class References(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """made_of: hashes of the files that decide the figures. spread: the interval of the ratio of
    two predictions of the same function, as factors down and up. checks: by id. by_nvcc: the same
    two with nvcc's code."""

    gpu: str
    made_of: dict[str, str]
    spread: tuple[float, float]
    checks: dict[str, Reference]
    by_nvcc: tuple[tuple[float, float], dict[str, Reference]] = ((1.0, 1.0), {})

    def of(self, with_nvcc: bool) -> tuple[tuple[float, float], dict[str, Reference]]:
        """The spread and the checks that a prediction is compared with."""
        return self.by_nvcc if with_nvcc else (self.spread, self.checks)


@cache
def references() -> References:
    return msgspec.json.decode(FILE.read_bytes(), type=References)
