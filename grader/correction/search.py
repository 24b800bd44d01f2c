"""Tries the edits of a failing submission: with which of them is every result of a part right?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from pathlib import Path

from grader import paths
from grader.compile import make
from grader.compile.make import BuildRequest
from grader.compile.make_process import BuildError
from grader.correction.candidates import candidates
from grader.correction.edits import Edit, applied
from grader.correction.switched import switched
from grader.execute.edited import right_edits
from grader.model.lab import Case, Part
from grader.model.submission import Submission
from grader.oracle import cache, operations
from grader.oracle.cache import Prepared
from grader.sandbox.workspace import workspace
from grader.session.plan import Plan

BATCH = 900  # edits in one build
A_BUILD, A_LITTLE = 1.0, 0.2  # seconds that a whole batch counts, and that a run may take at least
FIXED = 0.2  # the share of a build that does not grow with its edits
BUILDS = 6  # of a batch, each without the lines that the compiler refused
LARGEST = 80_000  # elements of the output of an input that is tried
BLOCK = 4096  # elements: a kernel computes whole blocks of a small image, too


@dataclass
class Clock:
    """The seconds of work that are left."""

    left: float


@dataclass(frozen=True)
class Search:
    """failing: the ids of the checks that fail. fine: the functions of parts that are right. clock:
    ends it. What it finds is right where it was tried, no more: grade it."""

    plan: Plan
    submission: Submission
    part: Part
    failing: set[str]
    fine: list[str]
    clock: Clock

    @property
    def name(self) -> str:
        """The file that is edited."""
        return self.part.file or self.plan.lab.submit[0]

    def right(self) -> Iterator[list[tuple[Edit, Submission]]]:
        """The edits with which every failing input that is quick to run has the right result: those
        of each build that has any, likely ones first. Raises OSError."""
        inputs = self._inputs()
        text = self.submission.text(self.name)
        headers = sorted((paths.LABS / self.plan.lab.folder).glob("*.h"))
        header = "\n".join(path.read_text() for path in headers)
        edits = candidates(text, header, self.part.calls, self.fine) if inputs else []
        for _, group in groupby(edits, key=lambda edit: edit.rank or 1):
            while batch := list(islice(group, BATCH)):
                if right := list(self._tried(text.encode(), batch, inputs)):
                    yield [(edit, self._with(applied(text.encode(), edit))) for edit in right]

    def _with(self, text: bytes) -> Submission:
        """Built apart: what the student's own builds left stays."""
        contents = {**self.submission.contents, self.name: text}
        home = paths.BUILD / "corrections" / self.plan.lab.id
        return replace(self.submission, contents=contents, home=home)

    def _inputs(self) -> list[tuple[Case, Prepared]]:
        """Of the failing cases that a student may see: the quick ones first."""
        found = []
        for case in (p.check for p in self.plan.checks if isinstance(p.check, Case)):
            is_shown = case.part == self.part.id and not (case.inject or case.hidden)
            if is_shown and self.plan.lab.id_of(case) in self.failing:
                prepared = cache.prepared(self.plan.lab, case)
                arrays = prepared.inputs.arrays
                size = math.prod(operations.of(self.plan.lab, self.part.id).output(arrays)[1])
                taps = min(array.size for array in arrays.values())
                if size <= LARGEST:
                    found.append(((size + BLOCK) * taps, case, prepared))
        return [(case, prepared) for _, case, prepared in sorted(found, key=lambda f: f[0])]

    def _tried(
        self, source: bytes, edits: list[Edit], inputs: list[tuple[Case, Prepared]]
    ) -> Iterator[Edit]:
        if self.clock.left <= 0:
            return
        self.clock.left -= A_BUILD * (FIXED + (1 - FIXED) * len(edits) / BATCH)
        # Those of one place follow each other; those of several places come last.
        edits = sorted(edits, key=lambda e: (len(e.places) > 1, e.places[0].start, e.places[0].end))
        program, edits = self._built(source, edits)
        if program is None:
            return
        numbers, tells = list(range(len(edits))), False
        unchanged = [len(edits)]
        with workspace() as work:
            for case, prepared in inputs:
                right = partial(self._right, case, program, prepared, work)
                for is_reversed in (False, True):
                    if right(unchanged, is_reversed):
                        continue  # what is right without an edit tells nothing of one
                    numbers, tells = right(numbers, is_reversed), True
                    if not numbers:
                        return
                    break
            mended = Counter(
                number
                for case, prepared in (self._others() if tells else ())
                for number in self._right(case, program, prepared, work, numbers, False)
            )
        order = sorted(numbers if tells else (), key=lambda n: (-mended[n], edits[n].rank))
        yield from (edits[n] for n in order)

    def _others(self) -> list[tuple[Case, Prepared]]:
        """The quickest failing input of each other part that this file has: what mends them, too,
        is more likely."""
        parts = [p for p in self.plan.lab.part if p.id != self.part.id and p.file == self.part.file]
        found = [replace(self, part=part)._inputs()[:1] for part in parts]
        return [first for some in found for first in some]

    def _right(
        self,
        case: Case,
        program: Path,
        prepared: Prepared,
        work: Path,
        edits: list[int],
        is_reversed: bool,
    ) -> list[int]:
        left = max(A_LITTLE, self.clock.left)
        right, seconds = right_edits(
            self.plan.lab, case, program, prepared, edits, work, left, is_reversed
        )
        self.clock.left -= seconds
        return right

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
