"""Runs one case with each of many edits of a student's file: labs/runtime/runner/try_edits.h."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from grader.execute.case import input_options, save
from grader.execute.modes import REVERSED, WITHOUT_SPINNING
from grader.model.lab import Input, Lab
from grader.oracle import operations
from grader.oracle.cache import Prepared
from grader.sandbox import launcher
from grader.sandbox.limits import Limits, cores
from grader.sandbox.view import View
from grader.sandbox.workspace import create_outputs


def right_edits(
    lab: Lab,
    case: Input,
    program: Path,
    prepared: Prepared,
    edits: Sequence[int],
    work: Path,
    seconds: float,
    is_reversed: bool = False,
) -> tuple[list[int], float]:
    """The edits with which the case has the right result, by the numbers that the program gives
    them, and the seconds that this took on each core. seconds: after how many no more is tried. It
    is processor time, so that what is found does not depend on what else the machine does. A run
    that calls a result right proves nothing: grade the edited file. is_reversed: the last threads
    and blocks run first. Raises OSError."""
    with tempfile.TemporaryDirectory(dir=work) as name:
        folder = Path(name)
        dtype, shape = operations.of(lab, case.part).output(prepared.inputs.arrays)
        for file, array in (("value", prepared.expected.value), ("bound", prepared.expected.bound)):
            save(folder / f"{file}.npy", np.ascontiguousarray(array, np.float64))
        argv = [str(program), "--edits", ",".join(map(str, edits))]
        argv += ["--value", f"{folder}/value.npy", "--bound", f"{folder}/bound.npy"]
        argv += ["--at-once", str(cores()), "--part", case.part]
        argv += input_options(case, prepared.inputs, folder)
        argv += ["--out", f"out={folder}/out.raw:{dtype}:{'x'.join(map(str, shape))}"]
        create_outputs(folder, ())
        order = REVERSED.variables() if is_reversed else {"CONVLABS_SIM_THREADS": "1"}
        environment = order | WITHOUT_SPINNING
        limits = Limits(seconds=seconds, kernel_counts=False)
        view = View((program, folder))
        done = launcher.launch(argv, limits, folder, environment, view)

        said = set(done.stdout.decode(errors="replace").split())  # the program may print, too
        return [edit for edit in edits if str(edit) in said], done.processor / cores()
