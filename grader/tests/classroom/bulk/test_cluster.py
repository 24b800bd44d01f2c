"""`./grade bulk --executor slurm` on a cluster of one node: the same grades as --executor local."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader import paths
from grader.classroom.bulk.cluster import slurm
from grader.setup import python_packages
from grader.tests import captured
from grader.tests.classroom.bulk import slurm_cluster
from grader.tests.classroom.bulk.test_bulk import bulk, command, few, solution

REASON = slurm_cluster.missing() or (
    "" if python_packages.ready("slurm") else "submitit is not installed: ./grade setup --slurm"
)
on_slurm = pytest.mark.skipif(bool(REASON), reason=f"no Slurm here: {REASON}")
SLURM = ("--executor", "slurm", "--per-task", "2")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The variables of a cluster that runs, set for every command of the module's tests."""
    with (
        slurm_cluster.cluster(tmp_path_factory.mktemp("slurm")) as variables,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in variables.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def class_of_four(
    environment: None,  # noqa: ARG001 - the cluster must run
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, bytes]:
    """Submissions, and the gradebook that --executor local makes of them."""
    home = tmp_path_factory.mktemp("class")
    texts = {f"s{i}": f"{solution()}\n/* {i} */\n" for i in range(3)}
    folder = few(home / "in", texts | {"bad": "int x = ;\n"})
    assert bulk(folder, home / "run").returncode == 0
    return folder, (home / "run" / "gradebook.csv").read_bytes()


def start(folder: Path, run: Path, *options: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command(folder, run, *SLURM, *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def jobs_of(run: Path, process: "subprocess.Popen[str]") -> str:
    """The id of the first job, once there is one."""
    for _ in range(600):
        if ids := list((run / ".run" / "cluster" / "batches").glob("*/id")):
            return ids[0].read_text()
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    pytest.fail("no job was submitted")


def states(job: str) -> str:
    argv = ["squeue", "--noheader", "--array", "--states=all", f"--jobs={job}", "--format=%T"]
    return captured.run(argv, check=True).stdout


def wait_for(job: str, state: str) -> None:
    for _ in range(600):
        if state in states(job):
            return
        time.sleep(0.1)
    pytest.fail(f"job {job} never was {state}: {states(job)}")


@on_slurm
def test_the_gradebook_is_the_local_one(class_of_four: tuple[Path, bytes], tmp_path: Path) -> None:
    folder, gradebook = class_of_four
    done = bulk(folder, tmp_path / "run", *SLURM)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "run" / "gradebook.csv").read_bytes() == gradebook


@on_slurm
def test_a_task_that_is_requeued(class_of_four: tuple[Path, bytes], tmp_path: Path) -> None:
    folder, gradebook = class_of_four
    process = start(folder, tmp_path / "run")
    job = jobs_of(tmp_path / "run", process)
    wait_for(job, "RUNNING")
    subprocess.run(["scontrol", "requeue", job], check=True)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err
    assert (tmp_path / "run" / "gradebook.csv").read_bytes() == gradebook


@on_slurm
def test_killed_coordinator_and_duplicate_tasks(
    class_of_four: tuple[Path, bytes], tmp_path: Path
) -> None:
    folder, gradebook = class_of_four
    run = tmp_path / "run"
    process = start(folder, run)
    job = jobs_of(run, process)
    process.kill()
    process.communicate()
    batch = next((run / ".run" / "cluster" / "batches").glob("*/id")).parent
    twice = subprocess.run(  # the same task, beside Slurm's
        [sys.executable, "-P", "-m", "grader.classroom.bulk.cluster.start", str(batch), "0"],
        cwd=paths.ROOT,
        check=False,
    )
    assert twice.returncode == 0
    done = bulk(folder, run, *SLURM, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (run / "gradebook.csv").read_bytes() == gradebook
    assert {p.read_text() for p in batch.parent.glob("*/id")} == {job}  # nothing submitted again


@on_slurm
def test_ctrl_c_cancels_the_jobs(class_of_four: tuple[Path, bytes], tmp_path: Path) -> None:
    folder, _ = class_of_four
    process = start(folder, tmp_path / "run")
    job = jobs_of(tmp_path / "run", process)
    wait_for(job, "RUNNING")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130 and "--resume" in err
    for _ in range(100):
        ended = slurm.ended(job)
        if ended is None or len(ended) == 2:
            return
        time.sleep(0.2)
    pytest.fail(states(job))


def test_a_node_that_does_not_see_the_course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line for bash alone: it needs no Slurm."""
    monkeypatch.setattr(paths, "ROOT", tmp_path / "not'there")
    line = slurm.check_of_folder(tmp_path)
    done = captured.run(["bash", "-c", line])
    assert done.returncode == 3
    assert "does not see the course's folder" in (tmp_path / "0.problem").read_text()
    assert os.uname().nodename in done.stderr


@pytest.mark.slow("starts a node's own copy of the course")
def test_options_that_cannot_be(tmp_path: Path) -> None:
    folder = few(tmp_path / "in", {"a": "int x;\n"})
    for options, message in (
        (("--executor", "cloud"), "there are local and slurm"),
        (("--slurm", "partition=x"), "needs --executor slurm"),
        (("--executor", "slurm", "--slurm", "a b=c"), "is not NAME=VALUE"),
    ):
        done = bulk(folder, tmp_path / "run", *options)
        assert done.returncode == 2 and message in done.stderr, done.stderr
        assert not (tmp_path / "run").exists()
