"""One program at a time uses a GPU, and one that damages it is not graded. A script stands in for
the program with the known answer."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader import paths
from grader.sandbox import choice, gpus, system_files
from grader.sandbox.choice import Probed
from grader.sandbox.gpus import Gpu
from grader.sandbox.known_answer import GpuError

INFORMATION = "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-{0}\nDevice Minor: \t {0}\n"
CODE = (
    "from pathlib import Path\n"
    "from grader.sandbox.launcher import launch\n"
    "from grader.sandbox.limits import Limits\n"
    "from grader.sandbox.view import View\n"
    "launch(['true'], Limits(5), Path('/tmp'), view=View(gpu=True))\n"
)


class Fake:
    """The answers of the program, one a run: 0 right, 1 wrong, "hang" none. Then all are right."""

    def __init__(self, folder: Path) -> None:
        self.answers, self.runs = folder / "answers", folder / "runs"
        program = folder / "known_answer"
        program.write_text(
            "#!/bin/sh\n"
            f"read -r answer < {self.answers}\n"
            f"sed -i 1d {self.answers}; echo ran >> {self.runs}\n"
            "case $answer in hang) exec sleep 60;; esac\n"
            "exit ${answer:-0}\n"
        )
        program.chmod(0o755)
        self.answer()

    def answer(self, *answers: object) -> None:
        self.answers.write_text("".join(f"{answer}\n" for answer in answers))
        self.runs.write_text("")

    def ran(self) -> int:
        return len(self.runs.read_text().splitlines())


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """In a bulk run, on a machine with one GPU."""
    monkeypatch.setattr(gpus, "LOCKS", tmp_path / "locks")
    monkeypatch.setattr(gpus, "INFORMATION", tmp_path)
    monkeypatch.setattr(gpus, "known_answer", lambda: tmp_path / "known_answer")
    monkeypatch.delenv(gpus.VISIBLE, raising=False)
    monkeypatch.setenv(choice.REQUIRED, "")
    choice.require(Probed(1, 60, "2026-01-31"))
    yield Fake(tmp_path)
    choice.chosen.cache_clear()


def used() -> None:
    with gpus.one_gpu():
        pass


def test_a_gpu_is_checked_before_and_after(fake: Fake) -> None:
    used()
    assert fake.ran() == 2


def test_recent_correct_answer_is_not_probed_again(fake: Fake) -> None:
    used()
    used()
    assert fake.ran() == 3


def test_a_user_who_grades_their_own_code_waits_for_no_check(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(choice.REQUIRED, "")
    used()
    assert fake.ran() == 0


def test_gpu_wrong_before_a_program_is_the_machines_fault(fake: Fake) -> None:
    fake.answer(1, 1)
    ran = False
    with pytest.raises(GpuError, match="a wrong sum"), gpus.one_gpu():
        ran = True
    assert not ran


def test_one_wrong_answer_before_is_retried(fake: Fake) -> None:
    fake.answer(1, 0)
    used()
    assert fake.ran() == 3


@pytest.mark.parametrize("then, state", [(1, "still does not"), (0, "then did again")])
def test_program_that_damages_the_gpu_is_not_graded(fake: Fake, then: int, state: str) -> None:
    fake.answer(0, 2, then)
    with pytest.raises(GpuError, match=rf"after this program .*exit status 2.*{state}"):
        used()
    fake.answer()
    used()
    assert fake.ran() == 2  # the next program's GPU is checked before it, too


def test_a_gpu_that_hangs_gives_no_answer(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "LONGEST", 0.2)
    fake.answer("hang", "hang")
    with pytest.raises(GpuError, match="no answer within"):
        used()


def test_a_program_that_was_not_run_does_not_accuse_the_gpu(fake: Fake) -> None:
    fake.answer(0, 1)
    with pytest.raises(ZeroDivisionError), gpus.one_gpu():
        raise ZeroDivisionError
    assert fake.ran() == 1


@pytest.mark.usefixtures("fake")
def test_each_gpu_has_a_lock(tmp_path: Path) -> None:
    for minor in (0, 3):
        (tmp_path / f"0000:0{minor}:00.0").mkdir()
        (tmp_path / f"0000:0{minor}:00.0" / "information").write_text(INFORMATION.format(minor))
    assert gpus.gpus() == [Gpu("GPU-0", 0), Gpu("GPU-3", 3)]
    with gpus.one_gpu() as first, gpus.one_gpu() as second:
        assert (first.name, second.name) == ("GPU-0", "GPU-3")
        assert second.environment() == {"CUDA_VISIBLE_DEVICES": "GPU-3"}


@pytest.mark.usefixtures("fake")
def test_selection_of_gpus_is_preserved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(gpus.VISIBLE, "1,MIG-../x")
    assert gpus.gpus() == [Gpu("1"), Gpu("MIG-../x")]
    with gpus.one_gpu(), gpus.one_gpu():
        names = {file.name for file in gpus.LOCKS.iterdir()}
    assert names == {"1.lock", "MIG-.._x.lock"}


def test_program_sees_only_the_locked_gpu() -> None:
    nodes = [Path("/dev", n) for n in ("nvidia0", "nvidia13", "nvidiactl", "nvidia-uvm", "dxg")]
    hidden = [node.name for node in nodes if system_files._of_another_gpu(node, 13)]
    assert hidden == ["nvidia0"]


def test_one_program_at_a_time_uses_a_gpu() -> None:
    lock = paths.BUILD / "gpu" / "only.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    environment = {k: v for k, v in os.environ.items() if k != gpus.VISIBLE}
    if len(list(gpus.INFORMATION.glob("*/information"))) > 1:
        pytest.skip("several GPUs")
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        argv = [sys.executable, "-c", CODE]
        waiting = subprocess.Popen(argv, cwd=paths.ROOT, env=environment)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=2)
    assert waiting.wait(timeout=30) == 0
