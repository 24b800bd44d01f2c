"""What a grading will do, decided before anything is built: which checks, on which programs.

A plan is a value, made from the lab's spec, the backend and this machine's processor. Building and
running follow it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from grader.execute.backend import Backend, cpu_has
from grader.model.lab import CheckSpec, Input, Lab, ProgramKind, Speed
from grader.model.prediction import PredictedSpeed
from grader.model.score import Unmeasured
from grader.oracle import inputs

NO_SPEED = "are for speed, left out by --no-speed"
NO_GPU = "need a GPU"
NO_SOLUTION = "no-solution"  # diagnosis of a check that only the reference solution can decide


@dataclass(frozen=True)
class Planned:
    """One check, the program that it runs and where that program runs. `cpu_lacks`: instructions
    that the check needs and this machine's processor has not, such as "AVX2"; "" for none."""

    check: CheckSpec
    program: ProgramKind
    backend: Backend
    cpu_lacks: str = ""


@dataclass(frozen=True)
class Plan:
    """The checks of one grading, in their order, and the programs that they run.

    pattern: of -k, when only a part of the lab's checks was selected. left_out: points for speed
    that nothing here measures, and why. predicted: those of its checks whose time is predicted.
    """

    lab: Lab
    backend: Backend
    pattern: str | None
    checks: tuple[Planned, ...]
    programs: frozenset[ProgramKind]
    left_out: tuple[Unmeasured, ...]
    predicted: tuple[Speed, ...] = ()


def matching(lab: Lab, pattern: str) -> list[CheckSpec]:
    """The checks that -k selects: those of the part with that name, else those with the text in
    "part name", whatever the case of its letters."""
    if any(part.id == pattern for part in lab.part):
        return [check for check in lab.checks() if check.part == pattern]
    return [c for c in lab.checks() if pattern.lower() in f"{c.part} {c.name}".lower()]


def plan_for(
    lab: Lab,
    backend: Backend,
    pattern: str | None = None,
    timed: bool = True,
    prediction: PredictedSpeed = "shown",
) -> Plan:
    """The plan for grading a lab on a backend. pattern: -k's; None for all checks. timed: speed is
    checked as well, where it can be, and predicted elsewhere. Raises SpecError."""
    inputs.require(lab)
    if lab.variant:  # what predictions compare with has the usual values
        prediction = "off"
    selected = lab.checks() if pattern is None else matching(lab, pattern)
    speeds = [check for check in selected if isinstance(check, Speed)]
    here = [check for check in speeds if _timed_on(lab, check, backend)]
    dropped = [check for check in speeds if check not in here or not timed]
    checks = tuple(_planned(lab, c, backend) for c in selected if c not in dropped)
    return Plan(
        lab=lab,
        backend=backend,
        pattern=pattern,
        checks=checks,
        programs=frozenset(planned.program for planned in checks),
        left_out=(
            *_unmeasured([c for c in here if not timed], NO_SPEED),
            *_unmeasured([c for c in speeds if c not in here], NO_GPU),
        ),
        predicted=tuple(
            c
            for c in speeds
            if timed and backend == "sim" and c not in here and prediction != "off"
        ),
    )


def _planned(lab: Lab, check: CheckSpec, backend: Backend) -> Planned:
    cpu = lab.part_of(check).cpu
    cpu_lacks = cpu.upper() if cpu and not cpu_has(cpu) else ""
    program = check.program()
    where = backend
    if program == "timed":
        where = _timed_on(lab, check, backend) or backend
    elif program != "plain" and backend != "cpu":
        where = "sim"
    return Planned(check, program, where, cpu_lacks)


def _timed_on(lab: Lab, speed: Input, backend: Backend) -> Backend | None:
    """Where a speed check is timed: a function in C on the CPU, whatever the backend; one in CUDA
    on a GPU, and nowhere without one, since the simulator's time means nothing."""
    if lab.file_of(speed).endswith(".c"):
        return "cpu"
    return "gpu" if backend == "gpu" else None


def _unmeasured(checks: Iterable[Speed], reason: str) -> list[Unmeasured]:
    points = sum(check.points for check in checks)
    return [Unmeasured(points, reason)] if points else []
