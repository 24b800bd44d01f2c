"""The canonical result of grading one lab: schema convlabs-grade/v1.

Everything that is printed or exported is rendered from it. `python -m grader.schema.write` makes
the JSON Schema grader/schema/convlabs-grade-v1.json from these types.
"""

from typing import Any, Final, Literal

import msgspec

from grader.model.prediction import Prediction
from grader.model.score import Score

SCHEMA: Final = "convlabs-grade/v1"

Verdict = Literal["pass", "fail", "uncertain", "error", "skip"]
Kind = Literal["build", "correct", "safe", "technique", "speed"]


class GradedFile(msgspec.Struct, frozen=True):
    """A graded file, by the path that the student knows."""

    path: str
    sha256: str


class Check(msgspec.Struct, frozen=True):
    """One line of a grade."""

    id: str
    name: str
    kind: Kind
    verdict: Verdict
    points: float = 0
    max_points: float = 0
    part: str | None = None
    hidden: bool = False
    message: list[str] = []  # what happened, why, what to do next; plain text, no control codes
    diagnosis: str | None = None  # the name of the mistake that explains it, such as "mask-flipped"
    needs: str | None = None  # skip: the check that failed
    details: dict[str, Any] = {}  # figures behind the message
    seconds: float = 0

    def title(self) -> str:
        """The part and the name: "A  13x13 on 97x61"."""
        return f"{self.part}  {self.name}" if self.part else self.name

    def reasons(self) -> list[str]:
        """The lines that say why: the check that this one needs, or the message."""
        return [f"needs: {self.needs}"] if self.needs else self.message


class Machine(msgspec.Struct, frozen=True):
    """The machine that the grade was made on."""

    system: str
    processor: str
    cores: int
    compiler: str


class Sandbox(msgspec.Struct, frozen=True):
    """What kept the submission's programs from the rest of the machine."""

    tier: Literal[1, 2, 3] | None  # 1 is the strongest; None: they ran without a sandbox
    name: str  # "bubblewrap, own user"; "none"
    version: str = ""  # of what makes the sandbox, and of the kernel
    probes: int = 0  # attempts to break out and others, all of which ended as they must
    probed: str = ""  # the day (UTC), as in 2026-01-31; "": a user's own code, without probes


class Elsewhere(msgspec.Struct, frozen=True):
    """Checks of a grade that another machine measured."""

    backend: Literal["cpu", "sim", "gpu"]
    machine: Machine
    checks: list[str]  # the ids


class Change(msgspec.Struct, frozen=True):
    """A change of a file at one place."""

    place: str  # "file:line"
    what: str  # it in words, which follow the place


class Correction(msgspec.Struct, frozen=True):
    """A change after which all results of some parts are right: it was tried."""

    parts: list[str]
    changes: list[Change]  # any one of them
    checks: int  # of those parts that had failed

    def cause(self) -> str:
        """Where the change is, what it is, and that it was tried."""
        names = " and ".join(filter(None, [", ".join(self.parts[:-1]), self.parts[-1]]))
        changes = "; or ".join(f"{change.place}: {change.what}" for change in self.changes)
        parts = f"part{'s' * (len(self.parts) > 1)} {names}"
        return f"{changes} (tried: then every result of {parts} is right)"


class Result(msgspec.Struct, frozen=True):
    """The grade of one lab."""

    lab: str
    title: str
    backend: Literal["cpu", "sim", "gpu"]
    files: list[GradedFile]
    checks: list[Check]
    score: Score
    exit_code: int
    machine: Machine
    grader_version: str
    hidden_included: bool
    selected: str | None = None  # the pattern of -k: the score covers what matched only
    open_todos: list[str] = []  # "file:line" of each numbered TODO left in the files
    schema: Literal["convlabs-grade/v1"] = SCHEMA
    sandbox: Sandbox | None = None  # None: made by a grader that did not record it
    elsewhere: Elsewhere | None = None
    predictions: list[Prediction] = []  # of speed that needs a GPU, where there is none
    corrections: list[Correction] = []  # where they were looked for


def to_json(document: object) -> bytes:
    """A result or another document as indented JSON with a newline at its end."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
