"""A sequence as the files that labs/runtime/runner/steps.h describes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grader.contract.step import FIRST_LAUNCH, Sequence, Step
from grader.model.lab import Contract
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation

STEPS, DATA, RESULTS = "steps.txt", "data.bin", "results.bin"


@dataclass(frozen=True)
class Slot:
    """Where a step's output lies in the results file."""

    offset: int
    dtype: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        return int(np.dtype(self.dtype).itemsize * np.prod(self.shape))


def write_files(
    folder: Path,
    contract: Contract,
    operations: list[Operation],
    sequence: Sequence,
    inputs: list[Inputs],
) -> list[Slot]:
    """Writes the files of the steps and of their inputs. Returns where each output will be."""
    lines: list[str] = []
    slots: list[Slot] = []
    offset = end = 0
    with open(folder / DATA, "wb") as data:
        for index, (step, arrays) in enumerate(zip(sequence, inputs, strict=True)):
            lines.append(f"step {step.part}")
            following = sequence[index + 1] if index + 1 < len(sequence) else None
            lines += _directives(contract, step, following)
            for name, array in arrays.arrays.items():
                kind = f"{array.dtype.kind}{array.dtype.itemsize}"
                lines.append(f"in {name} {kind} {_sides(array.shape)} {offset}")
                offset += data.write(array.tobytes())
            dtype, shape = operations[index].output(arrays.arrays)
            slot = Slot(end, dtype, shape)
            lines.append(f"out out {dtype} {_sides(shape)} {end}")
            slots.append(slot)
            end += slot.bytes
    (folder / STEPS).write_text("".join(f"{line}\n" for line in lines))
    return slots


def _sides(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _end(at_end: bool) -> str:
    return "end" if at_end else "start"


def _directives(contract: Contract, step: Step, following: Step | None) -> list[str]:
    lines = [f"set {name} {value}" for name, value in step.driver_settings().items()]
    lines.append(f"place {_end(step.at_end)} {_end(step.out_at_end)}")
    if step.shifted:
        lines.append(f"shift {step.type[1]}")
    if contract.align:
        lines.append(f"align {contract.align}")
    if contract.read_only:
        lines.append("read-only")
    if following and following.held:
        lines.append("hold")
    if step.shared:
        lines.append(f"shared {step.shared}")
    if step.failing:
        call = "launch" if step.failing.call == FIRST_LAUNCH else step.failing.call
        lines.append(f"fail {call} {step.failing.error}")
    if step.counted:
        lines.append("count")
    return lines
