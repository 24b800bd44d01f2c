"""Runs several cases in one process on a GPU: a process takes 0.3 s to begin there, and only one
begins at a time."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from grader.execute import evidence, records, with_evidence
from grader.execute.case import (
    OUTPUT,
    OUTPUT_FILES,
    Outcome,
    Status,
    arguments,
    expected_of,
    printed_lines,
    read_array,
)
from grader.execute.modes import PLAIN
from grader.model.lab import Input, Lab
from grader.oracle.inputs import Inputs
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
from grader.sandbox.workspace import create_outputs


def run_together(
    lab: Lab, cases: Sequence[tuple[Input, Inputs]], binary: Path, work: Path
) -> list[Outcome]:
    """Runs the cases one after the other, until one of them ends the process. Returns the outcomes
    of those before it, in their order; none where the program printed something, since nobody knows
    in which case. All together may take as long as one alone. Raises as run_case() does."""
    folder = Path(tempfile.mkdtemp(dir=work))
    try:
        places = [folder / str(index) for index in range(len(cases))]
        expected = [expected_of(lab, case, given) for case, given in cases]
        argv: list[str] = []
        outputs: list[Path] = []
        for (case, given), place, array in zip(cases, places, expected, strict=True):
            place.mkdir()
            argv += ["--then", *arguments(case, given, place, array)]
            outputs += create_outputs(place, OUTPUT_FILES)
        folder.chmod(0o755)  # mkdtemp() lets only our own user in
        limits = Limits(
            seconds=lab.limits.seconds,
            file_size=max(array.bytes() for array in expected),
            address_space=None,
        )
        view = View((binary, folder), tuple(outputs), gpu=True)
        done, reported = with_evidence.launch([str(binary), *argv[1:]], limits, folder, PLAIN, view)
        if printed_lines(done):
            return []
        outcomes = []
        statuses = reported.of(evidence.STATUS)
        for place, array, text in zip(places, expected, statuses, strict=False):
            status, output = records.readable(text, Status), read_array(place / OUTPUT, array)
            if status is None or output is None:
                break
            outcomes.append(Outcome("completed", "", done.seconds / len(cases), output, status))
        return outcomes
    finally:
        shutil.rmtree(folder, ignore_errors=True)
