"""`make gradescope`: packs the zip that an instructor uploads as Gradescope's autograder.

    python -m grader.classroom.export.autograder_zip FILE.zip ["lab1 lab2"]

It holds what students get, the modules that collect a submission and write results.json, and one
lab's solution, which setup.sh grades and removes before there is a submission that could read it.
"""

import sys
from pathlib import Path

from grader import files, paths
from grader.model import spec
from grader.release import contents

PARTS = ("__init__.py", "bulk/", "course/", "export/")
ADDED = tuple(f"grader/classroom/{part}" for part in PARTS)
SELF = "grader/classroom/export/autograder_zip.py"  # needs grader/release/, not in the zip
SETUP = """#!/usr/bin/env bash
# Gradescope runs this once, as root, when the autograder is uploaded. It fails unless a solution
# has full marks in this container.
set -euo pipefail
trap 'rm -rf /autograder/source/solution' EXIT
export DEBIAN_FRONTEND=noninteractive
cd /autograder/source/course
apt-get update
apt-get install -y --no-install-recommends python3 gcc g++ make binutils libstb-dev
# Ubuntu 22.04 has Python 3.10 and g++ 11, and newer ones under names of their own.
python=python3
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || python=python3.11
apt-get install -y --no-install-recommends "$python"
if [ "$(g++ -dumpversion | cut -d. -f1)" -lt 12 ]; then
    apt-get install -y --no-install-recommends gcc-12 g++-12
    for name in gcc g++; do ln -sf "/usr/bin/$name-12" "/usr/local/bin/$name"; done
fi
"$python" grade setup
make runtime
build/venv/bin/python -P -m grader.classroom.export.autograder --prove /autograder/source/solution
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
    student.append(contents.commit(paths.ROOT))
    members = {f"course/{m.path}": m.content for m in student}
    for path in tracked:
        if path.startswith(ADDED) and path.endswith((".py", ".c")) and path != SELF:
            members[f"course/{path}"] = (paths.ROOT / path).read_bytes()
    members |= _solution(chosen)
    scripts = {"setup.sh": SETUP.encode(), "run_autograder": RUN.encode()}
    programs = {*scripts, *(f"course/{m.path}" for m in student if m.executable)}
    return files.zipped(dict(sorted((members | scripts).items())), programs=programs)


def _solution(labs: list[str]) -> dict[str, bytes]:
    """What setup.sh grades: the solution of a lab that runs in the simulator, if there is one."""
    lab = min(map(spec.load, labs), key=lambda lab: "sim" not in lab.backends)
    folder = paths.SOLUTIONS / lab.folder
    return {f"solution/{name}": (folder / name).read_bytes() for name in lab.submit}


def main(target: Path, labs: list[str]) -> None:
    data = pack(labs)
    target.parent.mkdir(parents=True, exist_ok=True)
    files.replace(target, data)
    print(f"{target}: {len(data)} bytes; upload it as the autograder of an assignment")


if __name__ == "__main__":
    main(Path(sys.argv[1]), " ".join(sys.argv[2:]).split())
