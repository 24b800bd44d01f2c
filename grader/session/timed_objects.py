"""The shared objects that are timed, one for each file: built beside the checks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.compile.make import Build, BuildRequest
from grader.compile.make_process import BuildError, Waiting
from grader.execute.backend import Backend
from grader.model.submission import Submission
from grader.timing import reference


class NotTimedError(Exception):
    """A file that builds otherwise does not build as a shared object, for which the student is to
    blame: a macro of the compiler tells one build from another."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(*lines)
        self.lines = lines


@dataclass
class TimedObjects:
    """of: for each file, its build, or why there is none, or what waits for the build."""

    of: dict[tuple[Backend, str], Build | Exception | Waiting[Build]]

    def finish(self) -> None:
        """Waits for all, so that what is timed has the machine to itself."""
        for which, wait in self.of.items():
            if isinstance(wait, Waiting):
                self.of[which] = _ended(wait)

    def find(self, where: Backend, file: str) -> Path:
        """That of a file, once finish() was called. Raises NotTimedError, BuildError or OSError."""
        found = self.of[where, file]
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, Build)
        return shared_object(found)


def _ended(wait: Waiting[Build]) -> Build | Exception:
    try:
        return wait()
    except (BuildError, OSError) as fault:
        return fault


def request_timed(
    submission: Submission, where: Backend, file: str, verbose: bool = False
) -> BuildRequest:
    """What builds a file's shared object, and all that it is timed with."""
    solution = reference.find_object(submission.lab, file)
    return BuildRequest(submission, where, "speed", False, (file,), solution, verbose)


def shared_object(built: Build) -> Path:
    """Raises NotTimedError where there is none."""
    if built.binary is None:
        raise NotTimedError(["the file does not build as what is timed:", *built.errors])
    return built.binary
