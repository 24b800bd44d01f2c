"""Tries edits of a failing submission until one makes every failing check of a part pass."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from pathlib import Path

from grader import paths
from grader.checks.prerequisites import not_begun
from grader.compile import make
from grader.compile.make import BuildRequest
from grader.compile.make_process import BuildError
from grader.correction.candidates import candidates
from grader.correction.edits import Edit, applied
from grader.correction.switched import switched
from grader.execute.edited import right_edits
from grader.model.lab import Case, Part
from grader.model.result import Check, Correction
from grader.model.submission import Submission
from grader.oracle import cache
from grader.oracle.cache import Prepared
from grader.oracle.operations import OPERATIONS
from grader.sandbox.workspace import workspace
from grader.session.plan import Plan

BATCH = 900  # edits in one build
BUILDS = 3  # of a batch, each without the lines that the compiler refused
GRADED = 3  # edits of a part that are graded
LARGEST = 80_000  # elements of the output of an input that is tried
TELLING = 300  # elements: a smaller output is more often right by chance
UNSOLVED = "cudaErrorNotSupported"  # what the functions of a starter return
EXPLAINED = ("correct", "safe")  # kinds of checks


def find(
    plan: Plan,
    submission: Submission,
    checks: Sequence[Check],
    right_parts: Callable[[Submission, set[str]], set[str]],
    seconds: float,
) -> list[Correction]:
    """The corrections of parts that fail, at most one of each; none breaks a part that is right.

    plan: with all checks of the lab. checks: what was graded. right_parts: grades an edited
    submission; of these parts, those without a wrong result, stray access or race. seconds: after
    which no further edit is tried. Raises OSError.
    """
    until = time.monotonic() + seconds
    failing = [c for c in checks if c.verdict == "fail" and c.kind in EXPLAINED]
    left = [
        part
        for part in plan.lab.part
        if any(c.part == part.id for c in failing) and not _is_unwritten(checks, part.id)
    ]
    wrong = {c.part for c in failing}
    fine = [p for p in plan.lab.part if p.id in {c.part for c in checks} - wrong]
    found: list[Correction] = []
    while left:
        part = left[0]
        search = _Search(plan, submission, part, {c.id for c in failing}, fine, until)
        for edit, edited in islice(search.right(), GRADED):
            passed = right_parts(edited, {each.id for each in [*left, *fine]})
            right = passed & wrong
            if part.id in right and {each.id for each in fine} <= passed:
                where = f"{submission.path(search.name)}:{edit.line}"
                count = sum(c.part in right for c in failing)
                found.append(Correction(sorted(right), where, edit.sentence(), count))
                left = [each for each in left if each.id not in right]
                break
        else:
            left = left[1:]
    return found


def _is_unwritten(checks: Sequence[Check], part: str) -> bool:
    """Do its checks fail as those of a starter do? An error that it returns may be another one."""
    said = [line for c in checks if c.part == part for line in c.message]
    is_error = any("returned cuda" in line and UNSOLVED not in line for line in said)
    return not_begun(checks, part) and not is_error


@dataclass(frozen=True)
class _Search:
    """failing: the ids of the checks that fail. fine: the parts that are right."""

    plan: Plan
    submission: Submission
    part: Part
    failing: set[str]
    fine: list[Part]
    until: float

    @property
    def name(self) -> str:
        """The file that is edited."""
        return self.part.file or self.plan.lab.submit[0]

    def right(self) -> Iterator[tuple[Edit, Submission]]:
        """The edits with which every failing input that is quick to run has the right result."""
        inputs = self._inputs()
        text = self.submission.text(self.name)
        header = (paths.LABS / self.plan.lab.folder / "lab.h").read_text()
        fine = [call for part in self.fine for call in part.calls]
        edits = candidates(text, header, self.part.calls, fine) if inputs else []
        for _, group in groupby(edits, key=lambda edit: max(edit.rank, 1)):
            while batch := list(islice(group, BATCH)):
                for edit in self._tried(text.encode(), batch, inputs):
                    yield edit, self._with(applied(text.encode(), edit))

    def _with(self, text: bytes) -> Submission:
        return replace(self.submission, contents={**self.submission.contents, self.name: text})

    def _inputs(self) -> list[tuple[Case, Prepared]]:
        """Of the failing cases that a student may see: the quick ones first, but those of a few
        elements last."""
        found = []
        for case in (p.check for p in self.plan.checks if isinstance(p.check, Case)):
            is_shown = case.part == self.part.id and not (case.inject or case.hidden)
            if is_shown and self.plan.lab.id_of(case) in self.failing:
                prepared = cache.prepared(self.plan.lab, case)
                arrays = prepared.inputs.arrays
                size = math.prod(OPERATIONS[self.part.operation].output(arrays)[1])
                taps = min(array.size for array in arrays.values())
                if size <= LARGEST:
                    found.append((size < TELLING, size * taps, case, prepared))
        return [(case, prepared) for *_, case, prepared in sorted(found, key=lambda f: f[:2])]

    def _tried(
        self, source: bytes, edits: list[Edit], inputs: list[tuple[Case, Prepared]]
    ) -> Iterator[Edit]:
        if time.monotonic() > self.until:
            return
        program, edits = self._built(source, edits)
        if program is None:
            return
        numbers, tells = list(range(len(edits))), False
        unchanged = [len(edits)]
        with workspace() as work:
            for case, prepared in inputs:
                run = partial(right_edits, self.plan.lab, case, program, prepared, work=work)
                if run(unchanged, seconds=self._left()):
                    continue  # what is right without an edit tells nothing of one
                numbers, tells = run(numbers, seconds=self._left()), True
                if not numbers:
                    return
        yield from (edits[number] for number in numbers if tells)

    def _left(self) -> float:
        """Seconds, a little at least."""
        return max(0.1, self.until - time.monotonic())

    def _built(self, source: bytes, edits: list[Edit]) -> tuple[Path | None, list[Edit]]:
        """The program with the edits that compile; None where even those do not."""
        path = re.escape(self.submission.path(self.name))
        for _ in range(BUILDS):
            text = switched(source, edits, Path(self.name).suffix)
            try:
                built = make.build(BuildRequest(self._with(text), self.plan.backend))
            except BuildError:
                return None, []
            if built.binary:
                return built.binary, edits
            said = "\n".join(built.errors)
            refused = {int(n) - 1 for n in re.findall(rf"{path}:(\d+)", said)}
            kept = [edit for edit in edits if edit.line not in refused]
            if len(kept) == len(edits):
                return None, []
            edits = kept
        return None, []
