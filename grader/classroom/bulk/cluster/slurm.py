"""Hands job arrays to Slurm with submitit, and asks what has become of them.

Liveness is asked of squeue, not of sacct: many sites keep no accounting, and sacct fails there.
"""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from grader import paths

MINUTES = 240  # that a task may take, unless `time` is asked for
ENDED = {
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
    "PREEMPTED", "TIMEOUT",
}  # fmt: skip
PATIENCE = 60  # seconds that squeue may take


class SlurmError(Exception):
    """Slurm cannot be used; the message says why, and what to do."""


def missing() -> str | None:
    """Why jobs cannot be submitted here; None when they can."""
    for program in ("sbatch", "squeue", "scancel"):
        if shutil.which(program) is None:
            return f"there is no {program} on this machine; start on a login node of the cluster"
    return None


def check_of_folder(batch: Path) -> str:
    """A line for bash that ends a task on a node that does not see the course."""
    needed = [sys.executable, str(paths.ROOT / "grader/classroom/bulk/cluster/start.py")]
    tests = " && ".join(f"[ -r {shlex.quote(path)} ]" for path in needed)
    said = f"this node does not see the course's folder {paths.ROOT}: it must be on a shared disk"
    problem = f"{shlex.quote(str(batch))}/${{SLURM_ARRAY_TASK_ID:-0}}.problem"
    return f'{tests} || {{ echo "$(uname -n): "{shlex.quote(said)} | tee {problem} >&2; exit 3; }}'


def submit(batch: Path, tasks: int, gpu: bool, options: Mapping[str, str]) -> str:
    """Submits the tasks of a batch as one job array. Returns its id. Raises SlurmError.

    options: of sbatch, by name without dashes; they win over ours.
    """
    import submitit  # installed by ./grade setup --slurm alone

    from grader.classroom.bulk.cluster.start import start

    # A task that was preempted, or whose node failed, runs again.
    needed = {"requeue": "", "gres": "gpu:1"} if gpu else {"requeue": ""}
    asked = needed | dict(options)
    time = asked.pop("time", str(MINUTES))
    parallel = asked.pop("array_parallelism", "256")
    executor = submitit.SlurmExecutor(folder=batch / "submitit")
    executor.update_parameters(
        job_name="convlabs",
        time=time if not time.isdecimal() else int(time),
        setup=[check_of_folder(batch)],
        use_srun=False,
        array_parallelism=int(parallel),
        additional_parameters={name: value or True for name, value in asked.items()},
    )
    try:
        jobs = executor.map_array(start, [str(batch)] * tasks, range(tasks))
    except (subprocess.CalledProcessError, RuntimeError, OSError) as problem:
        detail = (getattr(problem, "stderr", None) or str(problem)).strip()
        raise SlurmError(f"Slurm refused the job: {detail}") from problem
    except submitit.core.utils.FailedJobError as problem:
        raise SlurmError(f"Slurm refused the job: {str(problem).strip()}") from problem
    return str(jobs[0].job_id).split("_")[0]


def ended(job: str) -> dict[int, str] | None:
    """The tasks of a job that have ended, with their states; None: Slurm does not know the job any
    more, so all have. Raises SlurmError when Slurm does not answer."""
    argv = ["squeue", "--noheader", "--array", "--states=all", f"--jobs={job}", "--format=%i %T"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise SlurmError(f"squeue does not answer: {problem}") from problem
    if "Invalid job id" in done.stderr:
        return None
    if done.returncode != 0:
        raise SlurmError(f"squeue failed: {done.stderr.strip()}")
    tasks: dict[int, str] = {}
    alive = False
    for line in done.stdout.splitlines():
        if match := re.fullmatch(r"\d+(?:_(\d+))?\s+(\w+)", line.strip()):
            alive = alive or match[2] not in ENDED
            if match[2] in ENDED:
                tasks[int(match[1] or 0)] = match[2]
        else:
            alive = True
    return tasks if tasks or alive else None


def cancel(jobs: list[str]) -> None:
    """Ends the jobs. One that has ended already is no error."""
    if jobs:
        subprocess.run(["scancel", *jobs], capture_output=True, timeout=PATIENCE, check=False)
