"""Writes grader/predict/references.json: the predicted times of the solutions and the baselines for
every speed check that needs a GPU, and how far two predictions of one function can be apart.

    python -m labs.studies.predict.references           the counts of collect.py are used

The interval of a ratio is that of the calls in h200/times.csv: of each program and the solution of
its lab, called with the same sizes, the predicted ratio over the measured one; its 2.5 % and 97.5 %
quantiles. Both predictions mostly miss in the same direction, so it is narrower than the intervals
of the two times.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from grader import paths
from grader.compile import make
from grader.compile.make import BuildRequest
from grader.model import outline, spec, submission
from grader.model.lab import Lab, Part, Speed
from grader.model.prediction import PredictedTime
from grader.predict import counts, estimate, times
from grader.predict.gpu import DEFAULT, gpu
from grader.predict.references import FILE, Reference, References
from grader.predict.speed import CountedProgram, launches
from grader.sandbox.workspace import workspace
from labs.studies.predict import collect
from labs.studies.predict.programs import SOLUTION

OUTSIDE = 0.025  # of the ratios, on either side of the interval
BASELINE = "baseline"  # the name of a driver's part
DECIDING = ("grader/predict/weights.toml", f"grader/predict/gpus/{DEFAULT}.toml")


def made_of() -> dict[str, str]:
    """The hashes of what decides the figures: files, by path, and the inputs of each lab."""
    files = [paths.ROOT / name for name in DECIDING]
    found = {}
    for lab in labs():
        files += (paths.ROOT / "labs" / lab.folder).glob("baseline.cu")
        files += [paths.ROOT / "solutions" / lab.folder / lab.file_of(s) for s in speeds(lab)]
        found[f"{lab.id}, inputs"] = _hash(repr([s.signature() for s in speeds(lab)]).encode())
    return found | {
        str(file.relative_to(paths.ROOT)): _hash(file.read_bytes()) for file in sorted(set(files))
    }


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def labs() -> list[Lab]:
    """Those with a speed check that needs a GPU."""
    every = [spec.load(name, hidden=False) for name in outline.available()]
    return [lab for lab in every if speeds(lab)]


def speeds(lab: Lab) -> list[Speed]:
    return [speed for speed in lab.speed if lab.file_of(speed).endswith(".cu")]


def of_lab(lab: Lab, work: Path) -> Iterator[tuple[str, Reference]]:
    """The references of a lab's checks, by their ids."""
    solved = submission.find(lab, "solutions")
    binary = make.build(BuildRequest(solved, "sim", "checked")).binary
    assert binary is not None
    folder = paths.ROOT / "labs" / lab.folder
    has_baseline = (folder / "baseline.cu").exists()
    for speed in speeds(lab):
        program = CountedProgram(solved, binary, work)
        baseline = None
        if has_baseline and speed.baseline_is is not None:
            # Lab 5's driver gives the baseline both lines of a mask, whatever the part has of it.
            like = lab.speed[-1] if lab.id == "lab5" else speed
            baseline = _time(
                CountedProgram(_with_baseline(solved, like), binary, work),
                msgspec.structs.replace(like, part=BASELINE),
            )
        yield lab.id_of(speed), Reference(_time(program, speed), baseline)


def _with_baseline(solved: submission.Submission, speed: Speed) -> submission.Submission:
    """The submission with the driver's part that calls the baseline."""
    part = solved.lab.part_of(speed)
    given = Part(id=BASELINE, title="", operation=part.operation, hints=[], file=part.file)
    lab = msgspec.structs.replace(solved.lab, part=[*solved.lab.part, given])
    return submission.Submission(lab, solved.folder, solved.shown, solved.contents, [])


def _time(program: CountedProgram, speed: Speed) -> PredictedTime:
    return times.of_call(counts.of_launches(program.binary, launches(program, speed)), gpu())


def spread() -> tuple[float, float]:
    """The interval of predicted over measured ratios of two programs, turned round: what a
    predicted ratio is to be multiplied with."""
    truth = collect.truth()
    device = gpu()
    predictions = {}
    for one in collect.collect():
        predictions[one.call] = 1e6 * estimate.predict_time(one.launches, device).seconds
    by_key = {(c.program, c.function, c.size): c for c in predictions}
    ratios = []
    for call in predictions:
        lab, _, entry = call.program.partition("-")
        solution = by_key.get((f"{lab}-{SOLUTION}", call.function, call.size))
        if entry in ("", SOLUTION) or solution is None:
            continue
        predicted_ratio = predictions[solution] / predictions[call]
        ratios.append(predicted_ratio / (truth[solution.name] / truth[call.name]))
    low, high = np.quantile(ratios, [OUTSIDE, 1 - OUTSIDE])
    print(f"{len(ratios)} ratios: {low:.3f} to {high:.3f}")
    return round(1 / float(high), 3), round(1 / float(low), 3)


def main() -> None:
    checks: dict[str, Reference] = {}
    with workspace() as work:
        for lab in labs():
            checks |= dict(of_lab(lab, work))
            print(lab.id, flush=True)
    made = References(gpu().name, made_of(), spread(), checks)
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


if __name__ == "__main__":
    main()
