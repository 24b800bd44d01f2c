"""The spec of a lab: labs/labN_*/lab.toml and, where present, grader/hidden/labN.toml.

A lab's spec reads as a list of points. Everything that the grader knows of a lab is in these
files: adding a lab touches nothing here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from grader import paths

T = TypeVar("T")
Positive = Annotated[int, msgspec.Meta(ge=1)]
Points = Annotated[int, msgspec.Meta(ge=0, le=100)]


class SpecError(Exception):
    """A lab.toml that does not say what it must. The course's fault, never the student's."""


class PointsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the 100 points of a lab are shared out."""

    correct: Points
    safe: Points = 0
    technique: Points = 0
    speed: Points = 0

    def total(self) -> int:
        return self.correct + self.safe + self.technique + self.speed


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one case may use."""

    seconds: float = 10.0  # wall time


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a lab: one idea, one function of the student's."""

    id: str
    title: str
    hints: list[str]
    operation: str = "correlate"  # a key of oracle.OPERATIONS


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One input with its expected result."""

    name: str
    part: str
    image: str
    mask: str
    border: str
    points: Points
    why: str = ""
    size: tuple[Positive, Positive] | None = None  # width, height
    set: dict[str, str] = {}  # further settings of the lab's driver
    inject: str | None = None  # "cudaMalloc:2": that call is made to fail
    exact: str | None = None  # "float32 row-major": compared bit for bit
    rationale: str = ""  # hidden cases: shown in place of the input
    hint: str = ""
    hidden: bool = False
    seed: int = 0  # of this case's random numbers; set by load()


class Lab(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One lab. `folder` is labs/labN_*; load() fills it in."""

    id: str
    title: str
    summary: str
    submit: list[str]
    backends: list[str]
    seed: int
    points: PointsTable
    part: list[Part]
    case: list[Case]
    limits: Limits = Limits()
    folder: str = ""
    hidden_included: bool = False

    def part_of(self, case: Case) -> Part:
        return next(part for part in self.part if part.id == case.part)


class HiddenFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """grader/hidden/labN.toml."""

    seed: int
    case: list[Case]


def available() -> dict[str, Path]:
    """Every lab by its id ("lab3"), in order, with the path of its spec."""
    return {f.parent.name.split("_")[0]: f for f in sorted(paths.LABS.glob("lab*_*/lab.toml"))}


def load(lab_id: str) -> Lab:
    """The spec of a lab with its hidden cases, where this copy of the course has them.

    Raises SpecError when the file is missing or says something that cannot be.
    """
    file = available().get(lab_id)
    if file is None:
        raise SpecError(f"there is no {lab_id} in labs/")
    lab = _decode(file, Lab)
    cases = [_seeded(case, lab.seed) for case in lab.case]
    hidden_file = paths.HIDDEN / f"{lab_id}.toml"
    hidden_included = hidden_file.exists()
    if hidden_included:
        hidden = _decode(hidden_file, HiddenFile)
        cases += [  # the name could give the input away
            msgspec.structs.replace(
                _seeded(case, hidden.seed), hidden=True, name=f"hidden {number}"
            )
            for number, case in enumerate(hidden.case, 1)
        ]
    lab = msgspec.structs.replace(
        lab, case=cases, folder=file.parent.name, hidden_included=hidden_included
    )
    _check(lab, file)
    return lab


def _decode(file: Path, kind: type[T]) -> T:
    try:
        return msgspec.toml.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as problem:
        raise SpecError(f"{file.relative_to(paths.ROOT)}: {problem}") from problem


def _seeded(case: Case, seed: int) -> Case:
    """Each case gets random numbers of its own that do not change when another is added."""
    mixed = seed
    for byte in case.name.encode():
        mixed = (mixed * 1099511628211 + byte) % 2**63  # FNV's multiplier
    return msgspec.structs.replace(case, seed=mixed)


def _check(lab: Lab, file: Path) -> None:
    where = file.relative_to(paths.ROOT)
    parts = {part.id for part in lab.part}
    names = [case.name for case in lab.case]
    problems = []
    if lab.points.total() != 100:
        problems.append(f"the points sum to {lab.points.total()}, not to 100")
    correct = sum(case.points for case in lab.case)
    if lab.hidden_included and correct != lab.points.correct:
        problems.append(
            f"the cases sum to {correct} points, points.correct is {lab.points.correct}"
        )
    problems += [f"part {i.part} is not one" for i in lab.case if i.part not in parts]
    problems += [
        f"two checks are named '{n}'" for n in sorted({n for n in names if names.count(n) > 1})
    ]
    problems += [f"part {part.id} has an empty hint" for part in lab.part if not all(part.hints)]
    problems += [f"border '{c.border}'" for c in lab.case if c.border not in ("zero", "replicate")]
    if problems:
        raise SpecError(f"{where}: " + "; ".join(problems))
