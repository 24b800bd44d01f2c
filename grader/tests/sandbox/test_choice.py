"""Which sandbox is used, and that nothing runs without one where it is required."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from grader import paths
from grader.sandbox import choice, landlock, tiers
from grader.sandbox.choice import Probed
from grader.sandbox.launcher import launch
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
from grader.tests import captured
from grader.tests.sandbox.tier import WITH_LANDLOCK, each_tier_that_reads


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    choice.chosen.cache_clear()
    yield
    choice.chosen.cache_clear()


def test_a_missing_sandbox_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    assert "bwrap is not installed" in str(choice.missing())
    assert choice.name() == "none"
    assert any("no Landlock" in why for why in choice.chosen().refused)


def test_a_user_can_switch_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(choice.SWITCHED_OFF, "1")
    assert choice.tier() is None and choice.SWITCHED_OFF in str(choice.missing())


def test_the_strongest_tier_that_works_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for broken in ((), (1,), (1, 2), (1, 2, 3)):
        works = [number for number in (1, 2, 3) if number not in broken]
        monkeypatch.setattr(
            choice, "_not_working", lambda t, b=broken: "broken" if t.number in b else None
        )
        for tier in (tiers.Namespaces, tiers.OtherUser, tiers.SameUser):
            monkeypatch.setattr(tier, "missing", lambda _: None)
        choice.chosen.cache_clear()
        chosen = choice.chosen()
        assert (chosen.tier.number if chosen.tier else None) == (works[0] if works else None)
        assert chosen.refused == ("broken",) * len(broken)


@pytest.mark.needs(f"tier {WITH_LANDLOCK}, reading")
def test_a_tier_that_does_not_confine_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a kernel that accepts the rules and does not follow them."""
    monkeypatch.setattr(choice, "interpreter", lambda: ())
    tier = tiers.ALL[WITH_LANDLOCK - 1]
    monkeypatch.setattr(sys, "executable", "/bin/sh")
    assert choice._not_working(tier) is None
    monkeypatch.setattr(landlock.Ruleset, "enforce", lambda _: landlock.no_new_privileges())
    assert "does not keep programs from" in str(choice._not_working(tier))


def test_a_tier_that_fails_in_the_child_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise OSError(1, "no")

    monkeypatch.setattr(landlock.Ruleset, "enforce", refuse)
    tier = tiers.ALL[WITH_LANDLOCK - 1]
    assert "cannot be started" in str(choice._not_working(tier))


@each_tier_that_reads
def test_a_grader_with_many_open_files_can_use_every_tier(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that grades a class: more are open than a command may have."""
    monkeypatch.setattr(choice, "interpreter", lambda: ())
    monkeypatch.setattr(sys, "executable", "/bin/sh")
    many = Limits(5).open_files + 20
    with ExitStack() as stack:
        for name in map(str, range(many)):
            stack.enter_context((tmp_path / name).open("w"))
        assert choice._not_working(tiers.ALL[number - 1]) is None


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("gpu", [False, True])
def test_required_tier_runs_nothing_without_it(
    number: int, gpu: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a worker of a bulk run, when the tier has vanished since it was probed."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(landlock, "CREATE_RULESET", 10_000)  # no such system call
    monkeypatch.setenv(choice.REQUIRED, "")
    choice.require(Probed(number, 60, "2026-01-31"))
    ran = tmp_path / "ran"
    with pytest.raises(OSError):
        launch(["/bin/touch", str(ran)], Limits(5), tmp_path, view=View(gpu=gpu))
    assert not ran.exists()


def test_a_worker_knows_what_was_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choice.probed() is None
    monkeypatch.setenv(choice.REQUIRED, "")
    choice.require(Probed(2, 69, "2026-01-31"))
    assert choice.probed() == Probed(2, 69, "2026-01-31")
    used = choice.tier()
    assert used is not None and used.number == 2


@pytest.mark.needs("sandbox", "no gpu")
def test_gpu_programs_run_outside_when_the_sandbox_lacks_a_gpu() -> None:
    assert "no GPU answers" in str(choice.missing(gpu=True)) and choice.name(gpu=True) == "none"
    reads = ["cat", str(paths.ROOT / "README.md")]
    assert launch(reads, Limits(5), Path("/tmp"), view=View(gpu=True)).status == 0
    assert launch(reads, Limits(5), Path("/tmp"), view=View()).status == 1


def test_a_student_without_a_sandbox_can_grade(tmp_path: Path) -> None:
    (tmp_path / "cpu_loop.c").write_text("int nothing;\n")
    done = captured.grade("lab1", "--src", tmp_path, env=os.environ | {"CONVLABS_NO_SANDBOX": "1"})
    assert done.returncode == 1 and "does not define correlate_loops()" in done.stdout
    assert not done.stderr.strip() or "once" in done.stderr


def test_two_graders_never_share_a_user() -> None:
    """Not even where their process ids ask for the same one."""
    code = "from grader.sandbox import users\nprint(users._pair(7)[0], flush=True)\ninput()\n"
    argv = [sys.executable, "-c", code]
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(argv, cwd=paths.ROOT, stdin=pipe, stdout=pipe, text=True) as one,
        subprocess.Popen(argv, cwd=paths.ROOT, stdin=pipe, stdout=pipe, text=True) as two,
    ):
        assert one.stdout and two.stdout
        pairs = {one.stdout.readline(), two.stdout.readline()}
        one.communicate("\n")
        two.communicate("\n")
    assert len(pairs) == (2 if os.geteuid() == 0 else len(pairs))
