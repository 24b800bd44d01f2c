"""What can end `./grade bulk` early, as a clear line and an exit status."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from grader import exit_codes
from grader.classroom.bulk.cluster.slurm import SlurmError
from grader.classroom.bulk.database import StoreError
from grader.classroom.bulk.questions import AnswersError
from grader.classroom.course.roster import RosterError
from grader.classroom.course.settings import SettingsError
from grader.commands import output
from grader.commands.errors import UsageError
from grader.execute.backend import BackendError


@contextmanager
def of_usage() -> Iterator[None]:
    """Raises UsageError for what the instructor can put right."""
    try:
        yield
    except (StoreError, SettingsError, RosterError, AnswersError) as problem:
        raise UsageError(str(problem)) from problem
    except BackendError as problem:
        if not problem.usage:
            raise
        raise UsageError(str(problem)) from problem


@contextmanager
def of_file(file: Path) -> Iterator[None]:
    """Raises UsageError where a file or folder cannot be read."""
    try:
        yield
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror}") from problem


@contextmanager
def of_run(out: Path) -> Iterator[None]:
    """Says how to go on with the run in `out`, and exits."""
    try:
        yield
    except SlurmError as problem:
        output.say(f"{problem}; {out} has the grades so far: continue with --resume")
        raise typer.Exit(exit_codes.FAULT) from None
    except KeyboardInterrupt:
        output.say(
            f"stopped; {out} has the grades so far: continue with the same command and --resume"
        )
        raise typer.Exit(exit_codes.INTERRUPTED) from None
    except sqlite3.OperationalError as problem:
        output.say(
            f"{out} cannot be written ({problem}); correct that, then continue with --resume"
        )
        raise typer.Exit(exit_codes.FAULT) from None
