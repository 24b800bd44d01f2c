"""`./grade build labN`, which `make labN` calls."""

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Annotated

import typer

from grader import exit_codes
from grader.commands import options, output
from grader.commands.errors import UsageError
from grader.compile import editor, make, nvcc_check
from grader.model import plain_text
from grader.model.lab import Lab


def build(
    lab: options.LabName,
    src: options.Src = options.STARTER,
    backend: options.BackendOption = options.BackendName.auto,
    unit_tests: Annotated[
        bool, typer.Option(help="Build the lab's unit tests and run them.")
    ] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show the commands.")] = False,
) -> None:
    """Build your file of a lab; `make labN` does the same."""
    loaded = options.load(lab)
    submission = options.submission(loaded, src)
    chosen = options.backend(loaded, backend.value)
    if submission.problems:
        raise UsageError("\n       ".join([*submission.problems, *submission.remedies()]))
    output.announce_first_build()
    editor.write()
    request = make.BuildRequest(
        submission,
        chosen,
        target="unit" if unit_tests else "run",
        checked=bool(loaded.safe) and chosen != "gpu" and not unit_tests,  # ./grade is next
        verbose=verbose,
    )
    with ExitStack() as stack:
        nvcc = None
        if chosen == "sim" and not unit_tests and nvcc_check.available():
            nvcc = stack.enter_context(make.start(make.BuildRequest(submission, chosen, "nvcc")))
        _build(request, loaded, src, nvcc)


def _build(
    request: make.BuildRequest, lab: Lab, src: str, nvcc: Callable[[], make.Build] | None
) -> None:
    """Builds, and runs unit tests if that is what was built. nvcc: waits for its messages."""
    submission, chosen = request.submission, request.backend
    result = make.build(request)
    for warning in result.warnings:
        print(f"warning: {warning.render()}", file=sys.stderr)
    if result.binary is None:
        print("\n".join(result.errors), file=sys.stderr)
        raise typer.Exit(exit_codes.LESS)
    if request.target == "unit":
        environment = os.environ | ({"CK_FORK": "no"} if chosen == "gpu" else {})
        os.execve(result.binary, [str(result.binary)], environment)
    files = " and ".join(map(submission.path, lab.submit))
    print(plain_text.line(f"{lab.id}: {files} builds for {chosen}; now {options.again(lab, src)}"))
    report = nvcc().binary if nvcc else None
    if report and (check := nvcc_check.judge_nvcc(submission, report)).message:
        print("\n".join(check.message), file=sys.stderr)
        raise typer.Exit(exit_codes.LESS if check.verdict == "fail" else exit_codes.FULL_MARKS)
