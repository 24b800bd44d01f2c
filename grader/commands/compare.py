"""`./grade labN --compare OTHER`: after the grade, which of two files is faster at each speed check
that needs a GPU, by predictions of both."""

from __future__ import annotations

from pathlib import Path

from grader import exit_codes
from grader.commands import options
from grader.commands.errors import CommandError, UsageError
from grader.compile import make
from grader.model.prediction import Prediction
from grader.model.submission import Submission
from grader.render import predicted_words
from grader.sandbox.workspace import workspace


def other(lab_id: str, src: str, backend: str) -> Submission:
    """What --compare names. Raises UsageError where there is nothing to predict."""
    lab = options.load(lab_id)
    if backend != "sim" or not any(lab.file_of(speed).endswith(".cu") for speed in lab.speed):
        raise UsageError("--compare predicts the speed of kernels, where a GPU is not used")
    found = options.submission(lab, src)
    if found.problems:
        raise UsageError("\n       ".join([*found.problems, *found.remedies()]))
    return found


def text(predictions: list[Prediction], submission: Submission) -> str:
    """What is said of each check of which the grade has a prediction with a time. It takes as long
    as building and predicting the other file. Raises CommandError where that does not compile."""
    from grader.predict.process import PredictionProcess  # it imports NumPy

    lab = submission.lab
    mine = {each.check: each for each in predictions if each.time is not None}
    if not mine:
        return "  not compared: your file has no predicted speed"
    built = make.build(make.BuildRequest(submission, "sim", "checked"))
    if built.binary is None:
        raise CommandError("\n".join([f"{submission.shown}:", *built.errors]), exit_codes.LESS)
    with workspace() as work, PredictionProcess(submission, Path(work), noted=True) as process:
        process.begin(built.binary, [speed for speed in lab.speed if lab.id_of(speed) in mine])
        found = process.finish()
    lines = [f"  compared with {submission.shown}, whose results were not checked:"]
    for each in found:
        said = predicted_words.compared(mine[each.check], each)
        lines.append(f"    {each.check.split('/', 1)[1].replace('/', '  ')}: {said}")
    return "\n".join(lines)
