"""Grades one submission of one lab: cases -> build -> run -> judge -> score."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from datasets.generate import DatasetMissing
from grader import __version__, files
from grader.checks import correct, early_stop, technique
from grader.checks import safe as safety
from grader.checks import speed as timing
from grader.compile import make, nvcc_check, staging
from grader.compile.make import Build, BuildError, BuildRequest
from grader.execute.backend import Backend, cpu_has, machine, timed_on
from grader.execute.instrumented import Runner
from grader.execute.profile import Profile
from grader.grading import score
from grader.grading.evidence import Evidence
from grader.grading.pass_cache import Passed
from grader.model.finding import Finding
from grader.model.result import Check, GradedFile, Kind, Result, Verdict
from grader.model.spec import Case, Lab, Safe, Speed, Technique
from grader.model.submission import Submission
from grader.sandbox.workspace import workspace

Planned = Case | Safe | Technique | Speed
KINDS: dict[type, Kind] = {
    Case: "correct",
    Safe: "safe",
    Technique: "technique",
    Speed: "speed",
}


@dataclass(frozen=True)
class Observer:
    """Who is told what happens while it happens. All are called in the grader's process.

    `timing` is held while something is timed: others may then have to be quiet.
    """

    starting: Callable[[str], None] = field(default=lambda _: None)
    checked: Callable[[Check], None] = field(default=lambda _: None)
    profiled: Callable[[Technique, Profile], None] = field(default=lambda *_: None)
    timing: Callable[[], AbstractContextManager[None]] = nullcontext


@dataclass
class Grading:
    """One grading under way. `watched` is the build that can be made to fail: the same as `built`
    but on a GPU, where it is the simulator's. `ahead`: its checked sibling is being built. `runner`
    runs that one; where there is none, `unwatched` and `without` say what becomes of its checks."""

    submission: Submission
    backend: Backend
    observer: Observer
    evidence: Evidence | None = None
    checks: list[Check] = field(default_factory=list)
    built: Build | None = None
    watched: Build | None = None
    unwatched: Verdict = "skip"
    without: list[str] = field(default_factory=list)
    ahead: Callable[[], Build] | None = None
    runner: Runner | None = None
    passed: Passed | None = None

    def add(self, check: Check) -> None:
        self.checks.append(check)
        self.observer.checked(check)

    def needs(self, part: str) -> str:
        """What a check says that needs a right result of a part, and did not get one."""
        failed = [c for c in self.checks if c.part == part and c.verdict == "fail"]
        named = [c.name for c in failed if c.kind == "correct"]
        return named[0] if named else "a right result"

    def spoilt(self, part: str) -> str | None:
        """The case that keeps a part from being timed: it failed, or could not be checked."""
        cases = (c for c in self.checks if c.part == part and c.kind == "correct")
        return next((c.name for c in cases if c.verdict in ("fail", "error")), None)


def matching(lab: Lab, pattern: str) -> list[Planned]:
    """The checks that -k selects: those of the part of that name, else those with its text in
    "part name", whatever the case of letters."""
    if any(part.id == pattern for part in lab.part):
        return [c for c in lab.checks() if c.part == pattern]
    return [c for c in lab.checks() if pattern.lower() in f"{c.part} {c.name}".lower()]


def grade(
    submission: Submission,
    backend: Backend,
    observer: Observer,
    pattern: str | None = None,
    verbose: bool = False,
    timed: bool = True,
    remember: bool = False,
    evidence: Evidence | None = None,
) -> Result:
    """The whole grade of one lab. What goes wrong on our side is a check of verdict `error`.

    `timed`: speed is checked as well, where that can be done: backend.timed_on().
    `remember`: what this very file has passed before is not run again; for one's own file only.
    `evidence` takes what a report shows and a grade does not; what fails is then run once more.
    """
    lab = submission.lab
    selected = lab.checks() if pattern is None else matching(lab, pattern)
    selected = [
        planned
        for planned in selected
        if not isinstance(planned, Speed) or (timed and timed_on(lab, planned, backend))
    ]
    grading = Grading(submission, backend, observer, evidence)
    observer.starting("building")
    try:
        if _compiles(grading, selected, verbose):
            with _building_ahead(grading, selected, verbose), workspace() as work:
                _run(grading, selected, remember, work)
        else:
            for planned in selected:
                grading.add(_blank(lab, planned, "skip", needs="compiles"))
    finally:
        staging.release()
    checks = grading.checks
    marks = score.score(lab, backend, checks, selected=pattern is not None)
    return Result(
        lab=lab.id,
        title=lab.title,
        backend=backend,
        files=[
            GradedFile(f"{submission.shown}/{name}", submission.digest(name))
            for name in submission.contents
        ],
        checks=checks,
        score=marks,
        exit_code=score.exit_code(checks, marks),
        machine=machine(backend),
        grader_version=__version__,
        hidden_included=lab.hidden_included,
        selected=pattern,
        open_todos=submission.open_todos(),
    )


def _run(grading: Grading, selected: list[Planned], remember: bool, work: Path) -> None:
    if remember and grading.backend == "sim" and grading.built and grading.built.binary:
        grading.passed = Passed.of(grading.built.binary)
    for planned in selected:
        if not isinstance(planned, Case):  # what is timed is to have the machine for itself
            _watch(grading, work)
        grading.observer.starting(f"{planned.part}  {planned.name}")
        grading.add(_passed_or_checked(grading, planned, work))
    if grading.passed:
        grading.passed.write()


def _compiles(grading: Grading, selected: list[Planned], verbose: bool) -> bool:
    """Builds what the selected checks need, and adds the check of it. False: nothing can run."""
    submission, on_gpu = grading.submission, grading.backend == "gpu"
    made_to_fail = any(isinstance(planned, Case) and planned.inject for planned in selected)
    name, identity = "compiles", f"{submission.lab.id}/compiles"
    if submission.problems:
        lines = [*submission.problems, *submission.remedies()]
        grading.add(Check(identity, name, "build", "fail", message=lines))
        return False
    try:
        nvcc = grading.backend == "sim" and nvcc_check.available()
        request = BuildRequest(submission, grading.backend, nvcc=nvcc, verbose=verbose)
        built = make.build(request)
    except (BuildError, OSError) as fault:
        grading.add(Check(identity, name, "build", "error", message=_fault(fault)))
        return False
    seconds = round(built.seconds, 3)
    if built.binary is None:
        check = Check(identity, name, "build", "fail", message=built.errors, seconds=seconds)
        grading.add(check)
        return False
    warnings = [f"warning: {w.render()}" for w in built.warnings[:5]]
    grading.add(Check(identity, name, "build", "pass", message=warnings, seconds=seconds))
    if built.nvcc:
        grading.add(nvcc_check.check(submission, built.nvcc))
    grading.built = grading.watched = built
    if on_gpu:
        grading.watched = None
        if made_to_fail or _watching(selected):
            _simulate(grading, verbose)
    return True


def _watching(selected: list[Planned]) -> bool:
    return any(isinstance(planned, Safe | Technique) for planned in selected)


def _simulate(grading: Grading, verbose: bool) -> None:
    """On a GPU, the simulator's build as well: counters, checks and failing calls come from it."""
    if shutil.which("g++") is None:
        grading.without = ["the simulator needs g++, which is not installed"]
        return
    try:
        built = make.build(BuildRequest(grading.submission, "sim", verbose=verbose))
    except (BuildError, OSError) as fault:
        grading.without = _fault(fault)[:1]
        return
    if built.binary is None:
        grading.without = [f"the simulator cannot build this file: {built.errors[0]}"]
    else:
        grading.watched = built


@contextmanager
def _building_ahead(grading: Grading, selected: list[Planned], verbose: bool) -> Iterator[None]:
    """Builds the checked program meanwhile, if something selected watches it run: it takes longest
    of all, and the first cases need one core."""
    with ExitStack() as stack:
        if grading.watched and _watching(selected):
            kind = _watched_kind(grading)
            try:
                request = BuildRequest(grading.submission, kind, "checked", verbose=verbose)
                grading.ahead = stack.enter_context(make.start(request))
            except (BuildError, OSError) as fault:
                grading.unwatched, grading.without = "error", _fault(fault)
        yield


def _watched_kind(grading: Grading) -> str:
    return "cpu" if grading.backend == "cpu" else "sim"


def _watch(grading: Grading, work: Path) -> None:
    """Waits for the checked program, and makes its runner."""
    if grading.ahead is None:
        return
    finish, grading.ahead = grading.ahead, None
    grading.observer.starting("building the program that is watched")
    try:
        built = finish()
    except (BuildError, OSError) as fault:
        grading.unwatched, grading.without = "error", _fault(fault)
        return
    if built.binary is None:
        grading.unwatched, grading.without = "fail", built.errors
        return
    pictured = grading.evidence is not None
    kind = _watched_kind(grading)
    grading.runner = Runner(grading.submission, built.binary, kind, work, pictured)
    if grading.passed:
        grading.passed.watched(built.binary)


def _fault(fault: BuildError | OSError) -> list[str]:
    if isinstance(fault, OSError):
        return _machine(fault)
    last = [line for line in fault.log.splitlines() if line.strip()][-4:]
    return [str(fault), *last, "./grade doctor says what this machine lacks"]


def _machine(problem: OSError) -> list[str]:
    what = problem.strerror or str(problem)
    advice = f"; {todo}" if (todo := files.remedy(problem)) else ""
    return [f"this machine does not let the grader work: {what}{advice}"]


def _blank(
    lab: Lab,
    planned: Planned,
    verdict: Verdict,
    lines: list[str] | None = None,
    needs: str | None = None,
) -> Check:
    """The check of something that did not run."""
    return Check(
        id=f"{lab.id}/{planned.part}/{planned.name}",
        name=planned.name,
        kind=KINDS[type(planned)],
        verdict=verdict,
        max_points=planned.points,
        part=planned.part,
        hidden=isinstance(planned, Case) and planned.hidden,
        message=lines or [],
        needs=needs,
    )


def _passed_or_checked(grading: Grading, planned: Planned, work: Path) -> Check:
    """A pass of this very program from before, or what a run says now."""
    if grading.passed is None or isinstance(planned, Speed):
        return _checked(grading, planned, work)
    check = grading.passed.find(planned) or _checked(grading, planned, work)
    grading.passed.add(planned, check)
    return check


def _checked(grading: Grading, planned: Planned, work: Path) -> Check:
    lab = grading.submission.lab
    cpu = lab.part_of(planned).cpu
    if cpu and not cpu_has(cpu):
        return _blank(lab, planned, "skip", [f"this CPU has no {cpu.upper()}"])
    if isinstance(planned, Case | Technique) and (
        stuck := early_stop.stuck(lab, grading.checks, planned)
    ):
        return _blank(lab, planned, "skip", needs=stuck)
    try:
        if isinstance(planned, Case):
            return _correct(grading, planned, work)
        if isinstance(planned, Speed):
            if spoilt := grading.spoilt(planned.part):
                return _blank(lab, planned, "skip", needs=spoilt)
            where = timed_on(lab, planned, grading.backend)
            assert where is not None  # or it would not be planned
            keep = grading.evidence.timed if grading.evidence else None
            with grading.observer.timing():
                return timing.check(grading.submission, planned, where, work, keep)
        if grading.runner is None:
            return _blank(lab, planned, grading.unwatched, grading.without)
        needs = grading.needs(planned.part)
        if isinstance(planned, Safe):
            return safety.check(grading.submission, planned, grading.runner, needs)
        check, profile = technique.check(grading.submission, planned, grading.runner, needs)
        if profile is not None:
            grading.observer.profiled(planned, profile)
            if grading.evidence:
                grading.evidence.counted(planned, profile, grading.runner)
        return check
    except DatasetMissing as missing:
        reason = [str(missing)]
    except BuildError as fault:
        reason = _fault(fault)
    except OSError as problem:
        reason = _machine(problem)
    except MemoryError as problem:
        reason = [f"this machine does not let the grader work: {str(problem) or 'out of memory'}"]
    return _blank(lab, planned, "error", reason)


def _correct(grading: Grading, case: Case, work: Path) -> Check:
    built: Build | None = grading.built
    backend: str = grading.backend
    if case.inject and grading.watched:
        built, backend = grading.watched, "sim"
    assert built is not None and built.binary is not None  # or nothing would run
    kept: list[correct.Wrong] = []
    check = correct.check(
        grading.submission,
        case,
        built.binary,
        backend,
        work,
        kept.append,
        lambda: _seen_by_safe(grading, case.part, work),
    )
    if case.hidden and check.verdict == "fail" and early_stop.unbegun(grading.checks, case.part):
        lines = [f"part {case.part} has given no result yet, not even in its first check"]
        check = msgspec.structs.replace(check, message=lines)
    if grading.evidence and kept:
        _watch(grading, work)
        grading.evidence.failed(kept[0], grading.runner)
    return check


def _seen_by_safe(grading: Grading, part: str, work: Path) -> list[Finding]:
    """What the runs of a part's safe checks find, which these need anyway: a line says more than
    pixels do."""
    _watch(grading, work)
    if grading.runner is None:
        return []
    found: list[Finding] = []
    with suppress(OSError, MemoryError, DatasetMissing):  # the safe checks themselves say so
        for safe in grading.submission.lab.safe:
            if safe.part == part:
                raced = grading.runner.openmp_races(safe)
                found += safety.errors(raced) if raced else []
                found += safety.errors(grading.runner.forwards(safe))
    return found
