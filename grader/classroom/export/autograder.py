"""Gradescope's autograder, as it runs in Gradescope's container; autograder_zip.py packs it.

    python -m grader.classroom.export.autograder SUBMISSION RESULTS.json
    python -m grader.classroom.export.autograder --prove SOLUTION

The container cannot isolate a submission, so a program could read and print whatever lies in it.
That is why the autograder has no hidden case, and no solution once it is set up: it grades the
public checks, and ./grade bulk grades the rest.
"""

import os
import shutil
import sys
from pathlib import Path

from grader import files, paths
from grader.classroom.bulk.intake import collect
from grader.classroom.bulk.intake.collect import Files
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.export import gradescope
from grader.classroom.export.gradescope import Results
from grader.execute import backend
from grader.grading import pipeline
from grader.model import outline, spec
from grader.model.lab import Lab
from grader.model.result import to_json
from grader.session.observer import Observer
from grader.session.plan import plan_for

NOTHING = "The submission has none of the files that a lab asks for"


def grade(submission: Path) -> Results:
    """Grades every lab of which the submission has files."""
    labs = [spec.load(name) for name in outline.available()]
    by_lab = collect.collect(Entry("student", {"": submission}), labs)
    documents = [_graded(lab, by_lab[lab.id]) for lab in labs if by_lab[lab.id] != Files()]
    if not documents:
        names = "; ".join(f"{lab.id}: {', '.join(lab.submit)}" for lab in labs)
        asked = [
            f"{lab.id}: {by_lab[lab.id].missing}" for lab in labs if "?" in by_lab[lab.id].missing
        ]
        return gradescope.ungraded("\n".join([f"{NOTHING}: {names}", *asked]))
    return gradescope.together(documents)


def _graded(lab: Lab, collected: Files) -> Results:
    if collected.problem:
        return gradescope.ungraded(f"{lab.id} was rejected: {collected.problem}")
    home = paths.BUILD / "bulk" / str(os.getpid())
    submission = collect.submission(lab, collected.contents, home)
    try:
        plan = plan_for(lab, backend.choose(lab, "auto"))
        result = pipeline.grade(plan, submission, Observer())
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return gradescope.scaled(gradescope.results(result), result.score)


def prove(solution: Path) -> int:
    """Says whether a right program has full marks on this machine. Returns the exit status."""
    document = grade(solution)
    tests = document.get("tests", [])
    lost = [test for test in tests if test.get("status") == "failed"]
    print(document["output"])
    if tests and not lost:
        print("the solution has full marks here: this autograder can be used")
        return 0
    for test in lost:
        print(f"FAILED  {test['name']}\n{test['output']}", file=sys.stderr)
    print("the solution does NOT have full marks here: no grade could be trusted", file=sys.stderr)
    return 1


def main(submission: Path, target: Path) -> int:
    """Writes results.json whatever happens: without it Gradescope shows the student nothing."""
    try:
        document = grade(submission)
    except Exception as fault:  # noqa: BLE001
        print(f"{type(fault).__name__}: {fault}", file=sys.stderr)
        document = gradescope.failed(f"{gradescope.FAULT}: {type(fault).__name__}")
    files.replace(target, to_json(document))
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--prove":
        sys.exit(prove(Path(sys.argv[2])))
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
