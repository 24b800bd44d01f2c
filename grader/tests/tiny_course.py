"""A course of one tiny lab in a temporary folder, for the tests of the student's commands.

As a program, in the course's folder: `./grade` of that course.
"""

import os
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from grader import cli, paths
from grader.model import result, spec
from grader.model import submission as submissions
from grader.model.score import Score, Unmeasured
from grader.model.submission import Submission
from grader.student import progress
from grader.tests.made_results import made

SPEC = """\
id = "lab9"
title = "two sums"
summary = "add"
submit = ["add.c", "sub.c"]
backends = ["cpu"]
seed = 1
[operation.correlate]
inputs.image = { type = "f4", shape = ["y", "x"], make = "plane" }
inputs.mask = { type = "f4", shape = ["b", "a"], make = "mask" }
output = { shape = ["y", "x"], unit = "pixel" }
work = "b * a"
[points]
correct = 100
[[part]]
id = "A"
title = "adding"
file = "add.c"
hints = ["gentle A", "middle A", "last A"]
[[part]]
id = "B"
title = "subtracting"
file = "sub.c"
hints = ["gentle B", "middle B", "last B"]
[[case]]
name = "identity on 97x61"
part = "A"
image = "ramp"
size = [4, 4]
mask = "impulse3"
border = "zero"
points = 100
"""
ORACLE = "from grader.oracle.correlation import correlate\n"
ADD = "/* TODO 1: add.  (about 1 line) */\nint add(int a, int b) { return 0; }\n"
SUB = "/* TODO 1: subtract.  (about 1 line) */\nint sub(int a, int b) { return 0; }\n"
SOLVED = "int add(int a, int b) {\n// BEGIN SOLUTION\n// STARTER: return 0;\nreturn a + b;\n"
SOLVED += "// END SOLUTION\n}\n"
HERE = paths.ROOT


def _places(root: Path) -> dict[str, Path]:
    """What `grader.paths` says where the course in `root` is the only one."""
    places = {name.upper(): root / name for name in ("labs", "starter", "solutions", "build")}
    return {"ROOT": root, **places, "PROGRESS": root / "build" / "progress"}


def make(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The course, and the grader made to believe that there is no other. Returns the lab's folder
    in starter/."""
    for name, text in {
        "labs/lab9_sums/lab.toml": SPEC,
        "labs/lab9_sums/oracle.py": ORACLE,
        "labs/lab9_sums/starter/add.c": ADD,
        "labs/lab9_sums/starter/sub.c": SUB,
        "starter/lab9_sums/add.c": ADD,
        "starter/lab9_sums/sub.c": SUB,
        "solutions/lab9_sums/add.c": SOLVED,
        "solutions/lab9_sums/sub.c": SOLVED,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "build").mkdir()
    monkeypatch.chdir(root)
    for name, place in _places(root).items():
        monkeypatch.setattr(paths, name, place)
    return root / "starter" / "lab9_sums"


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """`./grade arguments...` in this process. Returns its exit status."""
    monkeypatch.setattr("sys.argv", ["grade", *arguments])
    return cli.main()


def become(*arguments: str) -> NoReturn:
    """Replaces this process, whose folder is a course's, by its `./grade arguments...`."""
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    os.execve(sys.executable, [sys.executable, "-P", __file__, *arguments], environment)


def submission() -> Submission:
    return submissions.find(spec.load("lab9"), str(paths.STARTER))


def graded(earned: float, failed: str | None = None, exit_code: int | None = None) -> result.Result:
    """A grade of lab 9 as the pipeline gives it."""
    checks = [result.Check("lab9/B/x", failed, "correct", "fail", part="B")] if failed else []
    return made(
        "lab9",
        checks,
        Score(earned, 85, 100, (Unmeasured(15, "need a GPU"),)),
        title="two sums",
        backend="cpu",
        files=[],
        exit_code=(0 if earned == 85 else 1) if exit_code is None else exit_code,
        machine=result.Machine("", "", 1, ""),
        grader_version="",
        hidden_included=False,
    )


def keep(earned: float, failed: str | None = None) -> None:
    assert progress.keep(submission(), graded(earned, failed)) is None


if __name__ == "__main__":
    for key, value in _places(Path.cwd()).items():
        setattr(paths, key, value)
    sys.exit(cli.main())
