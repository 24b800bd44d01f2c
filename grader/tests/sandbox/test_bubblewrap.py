"""The sandbox, probed through the launcher itself. Skipped where this machine has none."""

import fcntl
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from grader import paths
from grader.bulk.isolation import probe
from grader.sandbox import bubblewrap, seccomp
from grader.sandbox.bubblewrap import View
from grader.sandbox.launcher import launch
from grader.sandbox.limits import Limits

needs_sandbox = pytest.mark.skipif(
    bubblewrap.missing() is not None, reason=f"no sandbox on this machine: {bubblewrap.missing()}"
)


@cache
def probes() -> list[probe.Probe]:
    return probe.run_all()


@needs_sandbox
@pytest.mark.parametrize("kind, least", [("refused", 25), ("works", 5), ("stopped", 5)])
def test_every_probe_ends_as_it_must(kind: str, least: int) -> None:
    results = [p for p in probes() if p.expected == kind]
    assert len(results) >= least
    assert not probe.problems(results)


def test_a_probe_that_failed_is_a_problem() -> None:
    failed = probe.Probe("read another's file", "refused", False, 0.1, "exit status 0")
    assert probe.problems([failed]) == ["read another's file: not refused (exit status 0)"]


@needs_sandbox
def test_without_the_sandbox_a_probe_succeeds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Or a probe would prove nothing."""
    monkeypatch.setattr(bubblewrap, "missing", lambda: "a test")
    secret = tmp_path / "secret"
    secret.write_text("x")
    done = launch(["cat", str(secret)], Limits(5), tmp_path, view=View())
    assert done.stdout == b"x"


@needs_sandbox
def test_the_environment_has_only_what_was_passed() -> None:
    done = launch(["env"], Limits(5), Path("/tmp"), {"ONE": "1"}, View())
    names = {line.split("=")[0] for line in done.stdout.decode().splitlines()}
    assert names - set(bubblewrap.KEPT_VARIABLES) <= {"HOME", "TMPDIR", "LC_ALL", "ONE", "PWD"}
    assert "ONE" in names


@needs_sandbox
def test_a_path_that_cannot_be_shown_is_our_fault(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="did not start"):
        launch(["true"], Limits(5), Path("/tmp"), view=View((tmp_path / "missing",)))


@needs_sandbox
@pytest.mark.parametrize("code", [0, 1, 7, 126, 127])
def test_the_exit_status_is_the_commands(code: int) -> None:
    done = launch(["sh", "-c", f"exit {code}"], Limits(5), Path("/tmp"), view=View())
    assert (done.status, done.signal) == (code, None)


@needs_sandbox
def test_a_forged_status_of_the_sandbox_is_ignored() -> None:
    script = 'echo "{ \\"exit-code\\": 0 }" >&2; echo "bwrap: no" >&2; exit 1'
    done = launch(["sh", "-c", script], Limits(5), Path("/tmp"), view=View())
    assert done.status == 1


def test_a_missing_sandbox_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    bubblewrap.missing.cache_clear()
    try:
        assert "bwrap is not installed" in str(bubblewrap.missing())
        assert bubblewrap.tier() == "none"
    finally:
        monkeypatch.undo()
        bubblewrap.missing.cache_clear()


@needs_sandbox
@pytest.mark.skipif(bubblewrap.missing_for_gpus() is None, reason="there is a GPU")
def test_where_no_gpu_answers_inside_programs_for_it_run_outside() -> None:
    assert (
        "no GPU answers" in str(bubblewrap.missing_for_gpus())
        and bubblewrap.tier(gpu=True) == "none"
    )
    reads = ["test", "-r", str(paths.ROOT / "README.md")]
    assert launch(reads, Limits(5), Path("/tmp"), view=View(gpu=True)).status == 0
    assert launch(reads, Limits(5), Path("/tmp"), view=View()).status == 1


@pytest.mark.parametrize("gpu", [False, True])
def test_where_the_sandbox_is_required_nothing_runs_without_it(
    gpu: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a worker of a bulk run, when bubblewrap was removed after it was probed."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv(bubblewrap.REQUIRED, "1")
    for question in (bubblewrap.missing, bubblewrap.missing_for_gpus):
        question.cache_clear()
    try:
        ran = tmp_path / "ran"
        with pytest.raises(OSError):
            launch(["/bin/touch", str(ran)], Limits(5), tmp_path, view=View(gpu=gpu))
        assert not ran.exists()
    finally:
        monkeypatch.undo()
        for question in (bubblewrap.missing, bubblewrap.missing_for_gpus):
            question.cache_clear()


def test_one_program_at_a_time_uses_a_gpu() -> None:
    code = (
        "from pathlib import Path\n"
        "from grader.sandbox.bubblewrap import View\n"
        "from grader.sandbox.launcher import launch\n"
        "from grader.sandbox.limits import Limits\n"
        "launch(['true'], Limits(5), Path('/tmp'), view=View(gpu=True))\n"
    )
    with (paths.BUILD / "gpu.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = subprocess.Popen([sys.executable, "-c", code], cwd=paths.ROOT)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=2)
    assert waiting.wait(timeout=30) == 0


def test_a_student_without_bubblewrap_can_grade(tmp_path: Path) -> None:
    environment = os.environ | {"CONVLABS_NO_SANDBOX": "1"}
    (tmp_path / "cpu_loop.c").write_text("int nothing;\n")
    done = subprocess.run(
        [paths.ROOT / "grade", "lab1", "--src", tmp_path],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 1 and "does not define correlate_loops()" in done.stdout
    assert not done.stderr.strip() or "once" in done.stderr


def test_memory_of_a_whole_tree_is_limited(tmp_path: Path) -> None:
    hog = "python3 -c 'b = bytearray(60000000); import time; time.sleep(20)'"
    done = launch(["sh", "-c", f"{hog} & {hog} & wait"], Limits(20, memory=100 << 20), tmp_path)
    assert done.stopped_by == "memory" and done.seconds < 15


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_has_every_call_of_the_machine(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = os.uname_result(("Linux", "x", "6", "1", machine))
    monkeypatch.setattr(os, "uname", lambda: fake)
    strict, loose = seccomp.program(), seccomp.program(debugger=True)
    assert strict and loose and len(strict) % 8 == 0
    assert (len(strict) - len(loose)) // 8 == 2 * len(seccomp.DEBUGGER)
    column = seccomp.ARCHITECTURES[machine][0]
    numbers = [n[column] for n in (seccomp.DENIED | seccomp.MEMORY | seccomp.DEBUGGER).values()]
    assert len(set(numbers)) == len(numbers)


@needs_sandbox
@pytest.mark.skipif(not bubblewrap.limits_root_now(), reason="users are chosen by root alone")
def test_a_compiler_is_another_user_than_what_runs_beside_it() -> None:
    """Or a program that starts as many processes as it may would leave none for the compiler."""
    users = {
        launch(["id", "-u"], Limits(5), Path("/tmp"), view=View(compiler=compiler)).stdout
        for compiler in (False, True)
    }
    assert len(users) == 2 and b"0\n" not in users
