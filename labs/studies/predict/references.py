"""Writes grader/predict/references.json: the predicted times of the solutions and the baselines for
every speed check that needs a GPU, and how far two predictions of one function can be apart.

    python -m labs.studies.predict.references           the counts of collect.py are used

The interval of a ratio is that of the calls in h200/times.csv: of each program and the solution of
its lab, called with the same sizes, the predicted ratio over the measured one; its 2.5 % and 97.5 %
quantiles. Both predictions mostly miss in the same direction, so it is narrower than the intervals
of the two times.
"""

import hashlib
import subprocess
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
from grader.predict import times
from grader.predict.gpu import DEFAULT, gpu
from grader.predict.references import FILE, Reference, References
from grader.predict.speed import CountedProgram, launches
from grader.sandbox.workspace import workspace
from grader.sass import compiled, listing, resources
from grader.sass.compiled import Code
from grader.setup import nvcc
from labs.studies.predict import collect, errors
from labs.studies.predict.programs import SOLUTION

OUTSIDE = 0.025  # of the ratios, on either side of the interval
BASELINE = "baseline"  # the name of a driver's part
DECIDING = (
    "grader/predict/weights.toml",
    "grader/predict/weights_nvcc.toml",
    f"grader/predict/gpus/{DEFAULT}.toml",
)


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


def of_lab(lab: Lab, work: Path, code: Code | None) -> Iterator[tuple[str, Reference]]:
    """The references of a lab's checks, by their ids. code: what nvcc makes of its files."""
    solved = submission.find(lab, "solutions")
    binary = make.build(BuildRequest(solved, "sim", "checked")).binary
    assert binary is not None
    folder = paths.ROOT / "labs" / lab.folder
    has_baseline = (folder / "baseline.cu").exists()
    for speed in speeds(lab):
        program = CountedProgram(solved, binary, work, lambda: code)
        baseline = None
        if has_baseline and speed.baseline_is is not None:
            # Lab 5's driver gives the baseline both lines of a mask, whatever the part has of it.
            like = lab.speed[-1] if lab.id == "lab5" else speed
            baseline = _time(
                CountedProgram(_with_baseline(solved, like), binary, work, lambda: code),
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
    return times.of_call(program.counts(launches(program, speed)), gpu())


def code_of(lab: Lab, work: Path) -> Code:
    """What nvcc makes of the solution and the baseline, as in labs/runtime/submission.mk."""
    folder = paths.ROOT / "labs" / lab.folder
    files = [paths.ROOT / "solutions" / lab.folder / name for name in lab.submit]
    codes = []
    for file in [*folder.glob("baseline.cu"), *(f for f in files if f.suffix == ".cu")]:
        cubin = work / "code.cubin"
        flags = ["-std=c++17", "-O3", "-arch=sm_90", "-lineinfo", "-Xptxas=-v", "-cubin"]
        include = [f"-I{paths.ROOT / 'labs' / 'runtime'}", f"-I{folder}"]
        said = _output("nvcc", *flags, *include, str(file), "-o", str(cubin))
        listed = _output("nvdisasm", "-gi", "-c", str(cubin))
        needs = resources.read(said.splitlines())
        codes.append(Code(listing.read(listed.splitlines()), needs))
    return compiled.joined(codes)


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def spread(by_nvcc: bool) -> tuple[float, float]:
    """The interval of predicted over measured ratios of two programs, turned round: what a
    predicted ratio is to be multiplied with."""
    truth = collect.truth()
    rows = errors.rows(collect.collect(), by_nvcc=by_nvcc)
    predictions = {row.call: row.predicted for row in rows}
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
    nvcc.add_to_path()
    checks: dict[str, Reference] = {}
    by_nvcc: dict[str, Reference] = {}
    with workspace() as work:
        for lab in labs():
            checks |= dict(of_lab(lab, work, None))
            by_nvcc |= dict(of_lab(lab, work, code_of(lab, work)))
            print(lab.id, flush=True)
    made = References(gpu().name, made_of(), spread(False), checks, (spread(True), by_nvcc))
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


if __name__ == "__main__":
    main()
