"""Results of gradings that never were."""

from collections.abc import Iterable
from typing import Any

from grader.model.result import Check, GradedFile, Machine, Result
from grader.model.score import Score

DEFAULTS: dict[str, Any] = {
    "title": "constant mask",
    "backend": "sim",
    "files": [GradedFile("lab3_constant_mask/constant_mask.cu", "0" * 64)],
    "exit_code": 1,
    "machine": Machine("Linux", "x86_64", 2, "g++"),
    "grader_version": "0",
    "hidden_included": True,
}


def made(lab: str, checks: Iterable[Check], score: Score, **other: Any) -> Result:
    """A result with these checks. other: fields whose value is not that of DEFAULTS."""
    return Result(lab=lab, checks=list(checks), score=score, **DEFAULTS | other)
