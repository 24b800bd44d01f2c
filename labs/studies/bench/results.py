"""What a run measured, as results/cpu.json and results/gpu.json hold it (convlabs-bench/v1).

The run of another machine has a name of its own, such as results/gpu-h100.json.

All times are nanoseconds of one call: the median of the rounds. An entry without a time says in
`note` why it has none: a library that is not installed, a file that is not written, a result that
was wrong.
"""

from pathlib import Path

import msgspec

from grader import files

FOLDER = Path(__file__).with_name("results")
FORMAT = "convlabs-bench/v1"
KINDS = ("cpu", "gpu")


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One program that does a case's work. ratio: its speed as a multiple of the reference's, the
    median of the rounds' ratios. error: the largest error that was found, as a multiple of the
    bound in float64."""

    who: str
    ns: float | None = None
    ratio: float | None = None
    rounds: int = 0
    error: float | None = None
    note: str = ""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One piece of work. floor_ns: the time in which the least traffic is copied, or in which the
    multiply-adds are done if that takes longer; `bound` says which. bytes: that traffic."""

    lab: str
    part: str
    work: str
    bytes: int
    multiply_adds: int
    floor_ns: float | None
    bound: str
    entries: list[Entry]

    def entry(self, who: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.who == who), None)


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a chart: who, and for each x the value measured there."""

    who: str
    points: list[tuple[float, float]]


class Curve(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chart: how a value grows with the image, the mask or the threads. name: of its file."""

    name: str
    title: str
    x: str
    y: str
    lines: list[Line]


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of one run. machine: processor, GPU and driver. versions: of compilers and libraries.
    missing: the libraries that took no part, and why. rates: what the machine can do at most, in
    multiply-adds a second by the type."""

    format: str
    kind: str
    date: str
    command: str
    machine: dict[str, str]
    versions: dict[str, str]
    missing: dict[str, str]
    rates: dict[str, float]
    cases: list[Case]
    curves: list[Curve]


def write(run: Run, folder: Path = FOLDER, machine: str = "") -> None:
    """Writes KIND.json; of a second machine KIND-MACHINE.json, whose charts have its name, too."""
    end = f"-{machine}" if machine else ""
    curves = [msgspec.structs.replace(curve, name=curve.name + end) for curve in run.curves]
    run, name = msgspec.structs.replace(run, curves=curves), run.kind + end
    text = msgspec.json.format(msgspec.json.encode(run), indent=1)
    files.update(folder / f"{name}.json", text + b"\n")


def names(folder: Path = FOLDER) -> list[str]:
    """The names of the runs in a folder: "cpu", "gpu", "gpu-h100"."""
    return sorted(file.stem for file in folder.glob("*.json"))


def read(name: str, folder: Path = FOLDER) -> Run:
    """A run. Raises ValueError for a file that is none."""
    file = folder / f"{name}.json"
    run = msgspec.json.decode(file.read_bytes(), type=Run)
    if run.format != FORMAT or run.kind != name.partition("-")[0]:
        raise ValueError(f"{file} is not a {FORMAT} of kind {name}")
    return run
