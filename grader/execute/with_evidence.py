"""Runs a program of the runner in the sandbox, with a channel for its evidence."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from grader.execute import evidence
from grader.execute.evidence import Evidence
from grader.execute.modes import WITHOUT_SPINNING, Mode
from grader.sandbox import launcher
from grader.sandbox.ending import Finished
from grader.sandbox.launcher import Running
from grader.sandbox.limits import Limits
from grader.sandbox.view import View

NEARLY = 0.8  # of the limit of processor time: then the simulator notes where a kernel is


@dataclass(frozen=True)
class Recording:
    """A program under way, with its channel."""

    running: Running
    recorder: evidence.Recorder

    def wait(self) -> tuple[Finished, Evidence]:
        """Waits until it ends or reaches a limit, and reads its evidence. To be called once."""
        return self.running.wait(), self.recorder.read()


def launch(
    argv: list[str], limits: Limits, folder: Path, mode: Mode, view: View, inject: str | None = None
) -> tuple[Finished, Evidence]:
    """Runs `argv` until it ends or reaches a limit, and reads its evidence.

    inject: NAME:N, the call of the CUDA runtime that fails on the simulator. Raises OSError.
    """
    with start(argv, limits, folder, mode, view, inject) as recording:
        return recording.wait()


@contextmanager
def start(
    argv: list[str], limits: Limits, folder: Path, mode: Mode, view: View, inject: str | None = None
) -> Iterator[Recording]:
    """Starts what launch() runs, and kills it at the end of the block if it still runs."""
    limits = replace(limits, file_size=max(limits.file_size, evidence.MEMORY))
    with evidence.recorder() as recorder:
        environment = mode.variables() | WITHOUT_SPINNING | recorder.environment(view.gpu)
        environment["CONVLABS_SIM_POSITION"] = f"{NEARLY * limits.seconds:g}"
        if inject:
            environment["CONVLABS_SIM_INJECT"] = inject
        files = (recorder.descriptor,)
        with launcher.start(argv, limits, folder, environment, view, files) as running:
            yield Recording(running, recorder)
