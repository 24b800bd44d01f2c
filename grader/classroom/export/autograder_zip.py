"""`make gradescope`: packs the zip that an instructor uploads as Gradescope's autograder.

    python -m grader.classroom.export.autograder_zip FILE.zip ["lab1 lab2"]

It holds what students get, and the modules that collect a submission and write results.json.
"""

import sys
from pathlib import Path

from grader import files, paths
from grader.release import contents

PARTS = ("__init__.py", "bulk/", "course/", "export/", "leaderboard/")
ADDED = tuple(f"grader/classroom/{part}" for part in PARTS)
SELF = "grader/classroom/export/autograder_zip.py"  # needs grader/release/, not in the zip
SETUP = """#!/usr/bin/env bash
# Gradescope runs this once, as root, when the autograder is uploaded.
set -euo pipefail
cd /autograder/source/course
apt-get update
apt-get install -y --no-install-recommends python3 python3-venv gcc g++ make binutils libstb-dev
./grade setup
make runtime
"""
RUN = """#!/usr/bin/env bash
# Gradescope runs this for each submission. It writes results.json whatever happens.
cd /autograder/source/course || exit 1
exec build/venv/bin/python -P -m grader.classroom.export.autograder \\
    /autograder/submission /autograder/results/results.json
"""


def pack(labs: list[str]) -> bytes:
    """The zip of these labs; [] means every lab. Raises ReleaseError."""
    tracked = contents.tracked(paths.ROOT)
    chosen = contents.chosen_labs(paths.ROOT, labs)
    student = contents.members(paths.ROOT, tracked, contents.lists(), chosen)
    members = {f"course/{m.path}": m.content for m in student}
    for path in tracked:
        if path.startswith(ADDED) and path.endswith((".py", ".c")) and path != SELF:
            members[f"course/{path}"] = (paths.ROOT / path).read_bytes()
    scripts = {"setup.sh": SETUP.encode(), "run_autograder": RUN.encode()}
    programs = {*scripts, *(f"course/{m.path}" for m in student if m.executable)}
    return files.zipped(dict(sorted((members | scripts).items())), programs=programs)


def main(target: Path, labs: list[str]) -> None:
    data = pack(labs)
    target.parent.mkdir(parents=True, exist_ok=True)
    files.replace(target, data)
    print(f"{target}: {len(data)} bytes; upload it as the autograder of an assignment")


if __name__ == "__main__":
    main(Path(sys.argv[1]), " ".join(sys.argv[2:]).split())
