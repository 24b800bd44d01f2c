"""The checks that a student's code has passed before, so that they are not run again.

Only for a student's own file on the simulator, where a run gives the same result each time. A pass
holds while all that the check runs is the same: the code of its part, whatever happened to that of
others (compile/part_code.py), and the course. What failed is run again. The notes lie in the lab's
own folder of build/: a student who edits them deceives nobody else, because whoever grades others
passes --src, and then no notes are used (pipeline.grade, `keep_notes`).
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

import msgspec

from grader import files
from grader.compile import part_code
from grader.compile.permitted.elf import ObjectError
from grader.execute import records
from grader.model import course_key
from grader.model.lab import Case, CheckSpec, Contract
from grader.model.result import Check
from grader.session.plan import Plan, Planned

NOTE = "passed.json"
MOST = 1000  # passes that are kept: those of a file's last versions
LINES = ("file", "line")  # details that an edit above changes, and the machine code does not show


class Notes(msgspec.Struct):
    """passes: by key, the latest last. parts: the code of each part in the last grading."""

    passes: dict[str, Check] = {}
    parts: dict[str, str] = {}


@dataclass
class PassCache:
    """The passes of a student's file, by key. `course`: the hash of the course's own files. codes:
    what each part runs, of each program that was asked for."""

    plan: Plan
    file: Path
    course: bytes
    notes: Notes
    codes: dict[Path, dict[str, bytes]] = field(default_factory=dict)

    @classmethod
    def of(cls, binary: Path, plan: Plan) -> PassCache:
        """The passes noted for a program. Damaged notes count as none."""
        file, notes = binary.parent.parent / NOTE, Notes()
        with contextlib.suppress(OSError, msgspec.DecodeError):
            notes = records.decode(files.read_regular(file), Notes)
        course = course_key.digest(plan.lab.id) + repr(sorted(plan.lab.variant.items())).encode()
        return cls(plan, file, course, notes)

    def find(self, planned: CheckSpec, program: Path) -> Check | None:
        """The pass of a check by this program, marked as one from before; None if there is none."""
        known = self.notes.passes.get(self._key(planned, program))
        if known is None or known.verdict != "pass":
            return None
        details = {name: value for name, value in known.details.items() if name not in LINES}
        return msgspec.structs.replace(known, seconds=0, details=details | {"as_before": True})

    def add(self, planned: CheckSpec, program: Path, check: Check) -> None:
        """Notes a check that passed; any other verdict is not kept."""
        key = self._key(planned, program)
        known = self.notes.passes.pop(key, None)
        if check.verdict == "pass":
            self.notes.passes[key] = known if known and "as_before" in check.details else check

    def changed_first(self, stage: Sequence[Planned], program: Path) -> list[Planned]:
        """The stage with the cases of parts whose code changed since the last grading before all
        others. Contracts stay: what they draw depends on the parts before."""
        codes = {part: code.hex() for part, code in self.code(program).items()}
        before, self.notes.parts = self.notes.parts, codes
        changed = {part for part, code in codes.items() if before.get(part, code) != code}

        def is_first(planned: Planned) -> bool:
            return planned.check.part in changed and isinstance(planned.check, Case)

        return sorted(stage, key=is_first, reverse=True)

    def write(self) -> None:
        """Keeps the passes for the next grading. Where that fails, it takes a little longer."""
        latest = dict([*self.notes.passes.items()][-MOST:])
        with contextlib.suppress(OSError):
            files.replace(self.file, msgspec.json.encode(Notes(latest, self.notes.parts)))

    def _key(self, planned: CheckSpec, program: Path) -> str:
        """A hash of the course's files, the code that runs, and the check with its seed and
        points."""
        code = self.code(program)
        mixed = hashlib.sha256(self.course)
        for part in [planned.part, *self._mixed_with(planned)]:
            mixed.update(f"\0{part}\0".encode() + code.get(part, b""))
        mixed.update(type(planned).__name__.encode() + msgspec.json.encode(planned))
        return mixed.hexdigest()

    def _mixed_with(self, planned: CheckSpec) -> list[str]:
        """The parts whose calls may alternate with those of a contract: of contracts before it."""
        if not isinstance(planned, Contract):
            return []
        contracts = [p.check for p in self.plan.checks if isinstance(p.check, Contract)]
        return [contract.part for contract in takewhile(planned.__ne__, contracts)]

    def code(self, program: Path) -> dict[str, bytes]:
        """What each part runs: the whole program where that cannot be determined."""
        if program not in self.codes:
            try:
                self.codes[program] = part_code.hashes(program, self.plan.lab)
            except (OSError, ObjectError, KeyError):
                whole = hashlib.sha256(program.read_bytes()).digest()
                self.codes[program] = dict.fromkeys((p.id for p in self.plan.lab.part), whole)
        return self.codes[program]
