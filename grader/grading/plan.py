"""What a grading will do, decided before anything is built: which checks, on which programs.

A plan is a value, made from the lab's spec, the backend and this machine's processor. Building and
running follow it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from grader.execute.backend import Backend, cpu_has, timed_on
from grader.model.result import Unmeasured
from grader.model.spec import AnyCheck, Case, Lab, Speed

# plain: the submission as it is. failing: the simulator's plain program, whose CUDA calls can be
# made to fail. instrumented: traced on the simulator, under sanitizers where the file is plain C.
# timed: the shared objects that are timed beside each other.
Program = Literal["plain", "failing", "instrumented", "timed"]

NO_SPEED = "are for speed, left out by --no-speed"
NO_GPU = "need a GPU"


@dataclass(frozen=True)
class Planned:
    """One check, the program that it runs and where that program runs. `cpu_lacks`: instructions
    that the check needs and this machine's processor has not, such as "AVX2"; "" for none."""

    check: AnyCheck
    program: Program
    backend: Backend
    cpu_lacks: str = ""


@dataclass(frozen=True)
class Plan:
    """The checks of one grading, in their order. `selected`: they are only a part of the lab's.
    `left_out`: points for speed that nothing here measures, and why."""

    lab: Lab
    backend: Backend
    checks: tuple[Planned, ...]
    selected: bool
    left_out: tuple[Unmeasured, ...]

    def runs(self, *programs: Program) -> bool:
        """Does any check run one of these programs?"""
        return any(planned.program in programs for planned in self.checks)


def matching(lab: Lab, pattern: str) -> list[AnyCheck]:
    """The checks that -k selects: those of the part with that name, else those with the text in
    "part name", whatever the case of its letters."""
    if any(part.id == pattern for part in lab.part):
        return [check for check in lab.checks() if check.part == pattern]
    return [c for c in lab.checks() if pattern.lower() in f"{c.part} {c.name}".lower()]


def plan_for(lab: Lab, backend: Backend, pattern: str | None = None, timed: bool = True) -> Plan:
    """The plan for grading a lab on a backend. `pattern`: -k's; None for all checks. `timed`: speed
    is checked as well, where it can be (backend.timed_on)."""
    wanted = lab.checks() if pattern is None else matching(lab, pattern)
    speeds = [check for check in wanted if isinstance(check, Speed)]
    here = [check for check in speeds if timed_on(lab, check, backend)]
    dropped = [check for check in speeds if check not in here or not timed]
    return Plan(
        lab=lab,
        backend=backend,
        checks=tuple(_planned(lab, c, backend) for c in wanted if c not in dropped),
        selected=pattern is not None,
        left_out=tuple(
            _unmeasured([c for c in here if not timed], NO_SPEED)
            + _unmeasured([c for c in speeds if c not in here], NO_GPU)
        ),
    )


def _planned(lab: Lab, check: AnyCheck, backend: Backend) -> Planned:
    cpu = lab.part_of(check).cpu
    cpu_lacks = cpu.upper() if cpu and not cpu_has(cpu) else ""
    simulated: Backend = "cpu" if backend == "cpu" else "sim"
    if isinstance(check, Speed):
        return Planned(check, "timed", timed_on(lab, check, backend) or backend, cpu_lacks)
    if not isinstance(check, Case):
        return Planned(check, "instrumented", simulated, cpu_lacks)
    if check.inject:
        return Planned(check, "failing", simulated, cpu_lacks)
    return Planned(check, "plain", backend, cpu_lacks)


def _unmeasured(checks: Iterable[Speed], reason: str) -> list[Unmeasured]:
    points = sum(check.points for check in checks)
    return [Unmeasured(points, reason)] if points else []
