"""A plain script for sbatch, for sites without submitit, or when jobs are submitted by hand."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from grader import files, paths
from grader.classroom.bulk.cluster import slurm


def write(batch: Path, tasks: int, gpu: bool, options: Mapping[str, str]) -> Path:
    """Writes job.sh, which grades the tasks of a batch as a job array. Returns its path."""
    asked = {"time": str(slurm.MINUTES)} | slurm.defaults(gpu) | dict(options)
    asked |= {
        "job-name": "convlabs",
        "array": f"0-{tasks - 1}" + _at_most(asked.pop("array_parallelism", "")),
        "output": f"{batch}/%a.log",
    }
    lines = [f"#SBATCH --{name}" + (f"={value}" if value else "") for name, value in asked.items()]
    where = shlex.quote(str(paths.ROOT))
    start = [sys.executable, "-P", "-m", "grader.classroom.bulk.cluster.start", str(batch)]
    text = [
        "#!/bin/bash",
        *lines,
        slurm.check_of_folder(batch),
        f'cd {where} && exec {shlex.join(start)} "${{SLURM_ARRAY_TASK_ID:-0}}"',
        "",
    ]
    script = batch / "job.sh"
    files.replace(script, "\n".join(text).encode())
    return script


def _at_most(number: str) -> str:
    return f"%{number}" if number else ""
