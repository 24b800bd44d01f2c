"""Gradescope's autograder: `make gradescope` packs it, and in Gradescope's container it grades.

    python -m grader.export.autograder pack FILE.zip ["lab1 lab2"]
    python -m grader.export.autograder grade SUBMISSION RESULTS.json

The zip holds what students have themselves, and these modules. No hidden case and no solution is in
it: Gradescope's container lets no submission be isolated, so a program could read them and print
them. It checks what is public there; ./grade bulk checks the rest.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

from grader import files, paths
from grader.bulk.intake import collect
from grader.bulk.intake.collect import Files
from grader.bulk.worker import staged
from grader.execute import backend
from grader.export import gradescope
from grader.grading import pipeline
from grader.grading.observer import Observer
from grader.grading.plan import plan_for
from grader.model import spec

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the same files, the same bytes
OURS = ("grader/bulk/", "grader/export/")
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
# Gradescope runs this for each submission. results.json is written whatever happens.
cd /autograder/source/course || exit 1
exec build/venv/bin/python -P -m grader.export.autograder grade \\
    /autograder/submission /autograder/results/results.json
"""
NOTHING = "None of the files that a lab asks for was found"
FAULT = "The autograder failed; that is not your fault. Please tell your instructor"


def pack(labs: list[str]) -> bytes:
    """The zip. Raises ReleaseError."""
    from grader.release import contents  # not in the zip itself

    tracked = contents.tracked(paths.ROOT)
    chosen = contents.chosen_labs(paths.ROOT, labs)
    inside = contents.members(paths.ROOT, tracked, contents.lists(), chosen)
    members = {f"course/{m.path}": (m.content, m.executable) for m in inside}
    for path in tracked:
        if path.startswith(OURS) and path.endswith((".py", ".c")):
            members[f"course/{path}"] = ((paths.ROOT / path).read_bytes(), False)
    members |= {"setup.sh": (SETUP.encode(), True), "run_autograder": (RUN.encode(), True)}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path, (content, executable) in sorted(members.items()):
            entry = zipfile.ZipInfo(path, FIRST_DAY)
            entry.create_system = 3  # Unix, wherever it is made
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return data.getvalue()


def grade(submission: Path) -> dict[str, Any]:
    """results.json for what was handed in, of every lab that it has files of."""
    labs = [spec.load(name) for name in spec.available()]
    entry = collect.Entry("student", {"": submission})
    found = collect.collect(entry, labs)
    made = [_graded(lab, found[lab.id]) for lab in labs if found[lab.id] != Files()]
    if not made:
        wanted = "; ".join(f"{lab.id}: {', '.join(lab.submit)}" for lab in labs)
        return gradescope.ungraded(NOTHING, wanted)
    return gradescope.together(made)


def _graded(lab: spec.Lab, taken: Files) -> dict[str, Any]:
    if taken.problem:
        return gradescope.ungraded(f"{lab.id} was not taken", taken.problem)
    home = paths.BUILD / "bulk" / str(os.getpid())
    submission = staged(lab, taken.contents, home)
    try:
        plan = plan_for(lab, backend.choose(lab, "auto"))
        result = pipeline.grade(plan, submission, Observer())
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return gradescope.results(result)


def main(arguments: list[str]) -> int:
    if arguments[0] == "pack":
        target = Path(arguments[1])
        target.parent.mkdir(parents=True, exist_ok=True)
        data = pack(" ".join(arguments[2:]).split())
        files.replace(target, data)
        print(f"{target}: {len(data)} bytes; upload it as the autograder of an assignment")
        return 0
    try:
        made = grade(Path(arguments[1]))
    except Exception as mistake:  # noqa: BLE001 - Gradescope must be told something
        print(f"{type(mistake).__name__}: {mistake}", file=sys.stderr)
        made = gradescope.ungraded(FAULT, type(mistake).__name__)
    files.replace(Path(arguments[2]), gradescope.to_json(made))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
