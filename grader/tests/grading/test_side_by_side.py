"""A grade is the same whether one process judges all parts or several do at the same time."""

import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from grader import paths
from grader.grading import pipeline, side_by_side
from grader.grading.one_check import judge
from grader.model import spec
from grader.model import submission as submissions
from grader.model.lab import Case
from grader.model.result import Check, Verdict
from grader.sandbox import cleanup_after_kill, launcher
from grader.session.observer import Observer
from grader.session.plan import Planned, plan_for
from grader.session.session import Session

LAB = spec.load("lab1")
FILE = "cpu_loop.c"
SOLUTION = (paths.SOLUTIONS / LAB.folder / FILE).read_text()
RIGHT_A = "void correlate_loops("
pytestmark = pytest.mark.slow("each is graded by one process and by three")


def without(function: str) -> str:
    """The solution with a function that returns at once."""
    start = SOLUTION.index("{", SOLUTION.index(function))
    return f"{SOLUTION[: start + 1]}\n    if (width) return;\n{SOLUTION[start + 1 :]}"


def graded(text: str, folder: Path, cores: int) -> tuple[list[Check], list[str]]:
    """The checks of a file, and the names that were told, in their order: each that fails for a
    reason which takes time to find, right before its verdict too."""
    (folder / FILE).write_text(text)
    told: list[str] = []
    observer = Observer(
        checked=lambda check: told.append(check.id),
        failing=lambda check: told.append(f"{check.id} fails"),
    )
    plan = plan_for(LAB, "cpu", timed=False)
    made = pipeline.grade(plan, submissions.find(LAB, str(folder)), observer, cores=cores)
    return [msgspec.structs.replace(check, seconds=0) for check in made.checks], told


@pytest.mark.parametrize(
    "text",
    [
        SOLUTION,
        without(RIGHT_A),
        SOLUTION.replace("b <= radius", "b < radius", 1),
        SOLUTION + "\nstatic int calls;\n__attribute__((constructor)) static void f(void) {\n"
        "    calls++;\n}\n",
        "#error no\n",
    ],
    ids=["right", "A writes nothing", "one row is left out", "a constructor", "does not compile"],
)
def test_the_grade_is_the_same(text: str, tmp_path: Path) -> None:
    alone, told_alone = graded(text, tmp_path, 1)
    together, told = graded(text, tmp_path, 3)
    assert alone == together
    assert told == told_alone
    fails = [place for place, name in enumerate(told) if name.endswith(" fails")]
    assert [told[place] for place in fails] == [f"{told[place + 1]} fails" for place in fails]
    assert bool(fails) == ("b < radius" in text or "if (width)" in text)


def children() -> list[int]:
    return [
        int(n) for n in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    ]


def test_checks_of_a_killed_child_are_still_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, _ = graded(SOLUTION, tmp_path, 1)
    real = judge
    parent = os.getpid()

    def dying(session: object, planned: object, cache: object) -> Check:
        if os.getpid() != parent and "B" in str(planned):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(session, planned, cache)  # type: ignore[arg-type]

    monkeypatch.setattr(f"{side_by_side.__name__}.judge", dying)
    assert graded(SOLUTION, tmp_path, 2)[0] == alone


def test_an_end_in_the_middle_leaves_no_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = children()
    parent = os.getpid()

    def endless(*_: object) -> Check:
        assert os.getpid() != parent
        time.sleep(600)
        raise AssertionError

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{side_by_side.__name__}.judge", endless)
    monkeypatch.setattr(launcher, "enforce_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        graded(SOLUTION, tmp_path, 2)
    assert set(children()) <= set(before) | {cleanup_after_kill.pid()}


def test_timed_checks_run_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here: list[int] = []

    def judge_it(_session: object, planned: Planned, _: object) -> Check:
        if planned.program == "timed":
            here.append(os.getpid())
        return Check("lab1", planned.check.name, "speed", "skip", 0, 0)

    monkeypatch.setattr(f"{side_by_side.__name__}.judge", judge_it)
    (tmp_path / FILE).write_text(SOLUTION)
    plan = plan_for(LAB, "cpu")
    pipeline.grade(plan, submissions.find(LAB, str(tmp_path)), Observer(), cores=2)
    assert here == [os.getpid()] * len(LAB.speed)


def test_cases_with_a_failing_call_come_before_what_needs_their_program() -> None:
    lab = spec.load("lab3")
    plan = list(enumerate(p for p in plan_for(lab, "sim").checks if p.check.part == "A"))

    def ordered(*so_far: Check) -> list[tuple[int, Planned]]:
        session = cast(Session, SimpleNamespace(so_far=so_far))
        return list(side_by_side._later_what_waits(session, plan))

    def said(verdict: Verdict, diagnosis: str | None = None) -> Check:
        return Check("x", "x", "correct", verdict, part="A", diagnosis=diagnosis)

    failing = [p for p in plan if isinstance(p[1].check, Case) and p[1].check.inject]
    others = [p for p in plan if p not in failing]
    plain = [p for p in others if p[1].program != "instrumented"]
    instrumented = [p for p in others if p not in plain]
    assert failing and plain and instrumented
    assert ordered() == ordered(said("fail", "nothing-written")) == ordered(said("skip")) == plan
    for begun in (said("pass"), said("fail")):
        assert ordered(begun) == [*plain, *failing, *instrumented]
