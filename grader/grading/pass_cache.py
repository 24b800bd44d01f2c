"""The checks that these very programs have passed before, so that they are not run again.

Only for a student's own file on the simulator, where a run gives the same result each time. What
failed is run again, and so is everything after a change of the file or of the course. The
notes lie in the build's own folder: a student who edits them deceives nobody else, because whoever
grades others passes --src, and then no notes are used (pipeline.grade, `keep_notes`).
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from grader import files
from grader.execute import records
from grader.model import course_key
from grader.model.result import Check
from grader.model.spec import CheckSpec

NOTE = "passed.json"


@dataclass
class PassCache:
    """The passes of one build, by key. `folder`: where the build's programs lie; `course`: the hash
    of the course's own files."""

    folder: Path
    course: bytes
    passes: dict[str, Check] = field(default_factory=dict)
    _hashes: dict[Path, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, binary: Path, lab: str) -> PassCache:
        """The passes noted beside a program. Damaged notes count as none."""
        passes: dict[str, Check] = {}
        with contextlib.suppress(OSError, msgspec.DecodeError):
            data = files.read_regular(binary.parent / NOTE)
            passes = records.decode(data, dict[str, Check])
        return cls(binary.parent, course_key.digest(lab), passes)

    def find(self, planned: CheckSpec, program: Path) -> Check | None:
        """The pass of a check by this program, marked as one from before; None if there is none."""
        known = self.passes.get(self._key(planned, program))
        if known is None or known.verdict != "pass":
            return None
        return msgspec.structs.replace(
            known, seconds=0, details=known.details | {"as_before": True}
        )

    def add(self, planned: CheckSpec, program: Path, check: Check) -> None:
        """Notes a check that passed just now; any other verdict is not kept."""
        if check.verdict == "pass" and "as_before" not in check.details:
            self.passes[self._key(planned, program)] = check

    def write(self) -> None:
        """Keeps the passes for the next grading. Where that fails, it takes a little longer."""
        with contextlib.suppress(OSError):
            files.replace(self.folder / NOTE, msgspec.json.encode(self.passes))

    def _key(self, planned: CheckSpec, program: Path) -> str:
        """A hash of the course's files, the program, and the check with its seed and points."""
        if program not in self._hashes:
            self._hashes[program] = _hash(program)
        spec = type(planned).__name__.encode() + msgspec.json.encode(planned)
        return hashlib.sha256(self.course + self._hashes[program] + spec).hexdigest()


def _hash(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()
