"""The checks that these very programs have passed before, so that they are not run again.

Only for a student's own file on the simulator, where a run gives the same result each time; what
failed is run again, and so is everything after a change of the file, the lab or the grader. The
notes lie in the build's own folder: a student who writes into it deceives nobody else, because
whoever grades others passes --src, and then there are no notes (pipeline.grade, `remember`).
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import msgspec

from grader import files, paths
from grader.model.result import Check
from grader.model.spec import Case, Safe, Technique

NOTE = "passed.json"


@dataclass
class Passed:
    """The notes of one build. `run` and `checked` are the hashes of its two programs; watched()
    tells of the second, before anything is asked of its checks."""

    folder: Path
    run: bytes
    checked: bytes = b""
    notes: dict[str, Check] = field(default_factory=dict)

    @classmethod
    def of(cls, binary: Path) -> Passed:
        """With the notes that are there; damaged ones are none."""
        notes: dict[str, Check] = {}
        with contextlib.suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
            data = files.read_regular(binary.parent / NOTE)
            notes = msgspec.json.decode(data, type=dict[str, Check])
        return cls(binary.parent, _hash(binary), notes=notes)

    def watched(self, checked: Path) -> None:
        self.checked = _hash(checked)

    def find(self, planned: Case | Safe | Technique) -> Check | None:
        """The pass of a check, marked as one from before."""
        known = self.notes.get(self._key(planned))
        if known is None or known.verdict != "pass":
            return None
        return msgspec.structs.replace(
            known, seconds=0, details=known.details | {"as_before": True}
        )

    def add(self, planned: Case | Safe | Technique, check: Check) -> None:
        if check.verdict == "pass":
            self.notes[self._key(planned)] = check

    def write(self) -> None:
        """Without notes the next grading takes a little longer: not a reason to fail."""
        with contextlib.suppress(OSError):
            files.replace(self.folder / NOTE, msgspec.json.encode(self.notes))

    def _key(self, planned: Case | Safe | Technique) -> str:
        """The program (the lab's and the simulator's code are linked in), the check with its seed
        and points, and the grader's code."""
        program = self.run if isinstance(planned, Case) else self.checked
        asked = type(planned).__name__.encode() + msgspec.json.encode(planned)
        return hashlib.sha256(_grader() + program + asked).hexdigest()


@cache
def _grader() -> bytes:
    grader = (p for p in paths.ROOT.glob("grader/**/*.py") if "tests" not in p.parts)
    sources = sorted([*grader, *paths.ROOT.glob("datasets/*.py")])
    return hashlib.sha256(b"".join(map(_hash, sources))).digest()


def _hash(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()
