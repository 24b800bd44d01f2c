"""One traced program that makes one of many attempts: the width of its image selects which."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader import paths
from grader.compile import make
from grader.execute.instrumented import InstrumentedRun, Runner
from grader.model import spec
from grader.model import submission as submissions
from grader.model.lab import Technique


@dataclass(frozen=True)
class SwitchedProgram:
    """names: of the attempts, in their order."""

    runner: Runner
    check: Technique
    names: list[str]

    def run(self, name: str) -> InstrumentedRun:
        """Runs the program with the image whose width selects that attempt."""
        width = self.names.index(name) + 1
        return self.runner.forwards(msgspec.structs.replace(self.check, size=(width, 2)))


def build(
    folder: Path, headers: str, attempts: dict[str, str], before: str = ""
) -> SwitchedProgram:
    """The solution of lab 2, whose function begins with an attempt, built as a traced program.

    folder: an empty one, for the source and the runs. headers: in front of the solution. attempts:
    statements by name; width is the number of the one that is made, from 1. before: statements
    before each of them.
    """
    lab = spec.load("lab2")
    name = "global_memory.cu"
    solution = (paths.SOLUTIONS / lab.folder / name).read_text()
    head, body = solution.split("cudaError_t correlate_device(", 1)
    opening, rest = body.split("{\n", 1)
    cases = "".join(
        f"case {i}: {{ {code} break; }}\n" for i, code in enumerate(attempts.values(), 1)
    )
    inserted = f"{before}switch (width) {{\n{cases}}}\n"
    source, work = folder / "source", folder / "work"
    source.mkdir()
    work.mkdir()
    changed = f"cudaError_t correlate_device({opening}{{\n{inserted}{rest}"
    (source / name).write_text(f"{headers}{head}{changed}")
    submission = submissions.find(lab, str(source))
    made = make.build(make.BuildRequest(submission, "sim", "checked"))
    assert made.binary, made.errors
    check = next(t for t in lab.technique if t.part == "A")
    return SwitchedProgram(Runner(submission, made.binary, "sim", work), check, list(attempts))
