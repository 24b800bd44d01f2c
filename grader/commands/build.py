"""`./grade build labN`, which `make labN` calls."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from grader.commands import common
from grader.compile import make as builder
from grader.compile import nvcc_check
from grader.grading import score


def build(
    lab: common.LabName,
    src: common.Src = "starter",
    backend: common.BackendOption = common.BackendName.auto,
    unit_tests: Annotated[
        bool, typer.Option(help="Build the lab's unit tests and run them.")
    ] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show the commands.")] = False,
) -> None:
    """Build your file of a lab; `make labN` calls this."""
    loaded = common.load(lab)
    submission = common.submission(loaded, src)
    chosen = common.backend(loaded, backend.value)
    if submission.problems:
        raise common.UsageError("\n       ".join([*submission.problems, *submission.remedies()]))
    common.announce_first_build()
    request = builder.BuildRequest(
        submission,
        chosen,
        target="unit" if unit_tests else "run",
        checked=bool(loaded.safe) and chosen != "gpu" and not unit_tests,  # ./grade is next
        nvcc=chosen == "sim" and not unit_tests and nvcc_check.available(),
        verbose=verbose,
    )
    made = builder.build(request)
    for warning in made.warnings:
        print(f"warning: {warning.render()}", file=sys.stderr)
    if made.binary is None:
        print("\n".join(made.errors), file=sys.stderr)
        raise typer.Exit(score.LESS)
    if unit_tests:
        environment = os.environ | ({"CK_FORK": "no"} if chosen == "gpu" else {})
        os.execve(made.binary, [str(made.binary)], environment)
    print(f"{lab}: {submission.shown} builds for {chosen}; now ./grade {lab}")
    if made.nvcc and (told := nvcc_check.check(submission, made.nvcc)).message:
        print("\n".join(told.message), file=sys.stderr)
        raise typer.Exit(score.LESS if told.verdict == "fail" else score.FULL_MARKS)
