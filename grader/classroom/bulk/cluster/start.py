"""A task of a Slurm job, on its node: copies the course to the node and grades there.

python -m grader.classroom.bulk.cluster.start BATCH INDEX
"""

import os
import subprocess
import sys
from pathlib import Path

import msgspec

from grader import files
from grader.classroom.bulk.cluster import course_copy, shared
from grader.exit_codes import FAULT


def start(batch: str, index: int) -> int:
    """Grades one task of a batch. Returns the exit status; why it failed is in INDEX.problem."""
    folder = Path(batch)
    problem = shared.problem_file(folder, index)
    try:
        problem.unlink(missing_ok=True)  # of an earlier attempt at this task
        copy = course_copy.make(list(shared.read_job(folder).course))
    except (OSError, msgspec.DecodeError, course_copy.CopyError) as error:
        files.replace(problem, f"{os.uname().nodename}: the task cannot begin: {error}".encode())
        return FAULT
    python = copy / "build" / "venv" / "bin" / "python"
    argv = [str(python), "-P", "-m", "grader.classroom.bulk.cluster.node", batch, str(index)]
    return subprocess.run(argv, stdin=subprocess.DEVNULL, cwd=copy, check=False).returncode


if __name__ == "__main__":
    sys.exit(start(sys.argv[1], int(sys.argv[2])))
