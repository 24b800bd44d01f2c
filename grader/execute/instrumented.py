"""Runs of the checked build: what was counted and found, and whether the result was right."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from grader.execute.case import BACKWARDS, PICTURED, RACED, SANITIZED, TRACED, Mode, Outcome, run
from grader.model.spec import Input
from grader.model.submission import Submission
from grader.oracle import cache, compare
from grader.oracle.operations import OPERATIONS


@dataclass(frozen=True)
class Checked:
    """One run. `pixels`: of the output; `right`: every one of them is."""

    outcome: Outcome
    pixels: int
    right: bool


@dataclass
class Runner:
    """Runs the checked program of a submission, each input once however many checks ask for it.
    `pictured`: what is counted leaves a warp of each access as well."""

    submission: Submission
    binary: Path
    backend: str  # whose kind the program is: cpu or sim
    work: Path
    pictured: bool = False
    _done: dict[tuple[str, Mode], Checked] = field(default_factory=dict)

    def forwards(self, check: Input) -> Checked:
        """The run that is counted and watched. Raises OSError or DatasetMissing."""
        traced = PICTURED if self.pictured else TRACED
        return self._run(check, traced if self.backend == "sim" else SANITIZED)

    def backwards(self, check: Input) -> Checked | None:
        """The same with the threads and blocks of every kernel in reverse; None without kernels."""
        return self._run(check, BACKWARDS) if self.backend == "sim" else None

    def raced(self, check: Input) -> Checked | None:
        """The same under the check for races between OpenMP's threads (labs/common/race.h); None
        without such threads, and where not_raced()."""
        if "threads" not in check.settings() or self.not_raced(check):
            return None
        return self._run(check, RACED)

    def not_raced(self, check: Input) -> bool:
        """Whether threads run that the check for races cannot watch: the file uses more of OpenMP
        than it knows."""
        program = self.binary.with_name("raced")
        return "threads" in check.settings() and program.exists() and not program.stat().st_size

    def _run(self, check: Input, mode: Mode) -> Checked:
        key = (check.signature(), mode)
        if key not in self._done:
            self._done[key] = self._run_anew(check, mode)
        return self._done[key]

    def _run_anew(self, check: Input, mode: Mode) -> Checked:
        lab = self.submission.lab
        prepared = cache.prepared(lab, check)
        binary = self.binary.with_name("raced") if mode.raced else self.binary
        outcome = run(lab, check, binary, prepared.inputs, self.work, mode)
        right = False
        if outcome.output is not None and outcome.status and outcome.status.returned == 0:
            right = compare.compare(outcome.output, prepared.expected).right()
        _, shape = OPERATIONS[lab.part_of(check).operation].output(prepared.inputs.arrays)
        return Checked(outcome, math.prod(shape), right)
