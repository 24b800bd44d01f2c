"""Runs a program of the runner in the sandbox, with a channel for its evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.execute import evidence
from grader.execute.evidence import Evidence
from grader.execute.modes import WITHOUT_SPINNING, Mode
from grader.sandbox import launcher
from grader.sandbox.ending import Finished
from grader.sandbox.limits import Limits
from grader.sandbox.view import View


def launch(
    argv: list[str], limits: Limits, folder: Path, mode: Mode, view: View, inject: str | None = None
) -> tuple[Finished, Evidence]:
    """Runs `argv` until it ends or reaches a limit, and reads its evidence.

    inject: NAME:N, the call of the CUDA runtime that fails on the simulator. Raises OSError.
    """
    limits = replace(limits, file_size=max(limits.file_size, evidence.MEMORY))
    with evidence.recorder() as recorder:
        environment = mode.variables() | WITHOUT_SPINNING | recorder.environment(view.gpu)
        if inject:
            environment["CONVLABS_SIM_INJECT"] = inject
        files = (recorder.descriptor,)
        done = launcher.launch(argv, limits, folder, environment, view, files)
        return done, recorder.read()
