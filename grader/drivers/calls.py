"""What the written files share: the calls of a lab's parts, and C's words for their arrays."""

from collections.abc import Iterator
from dataclasses import dataclass

from grader import paths
from grader.model import part_call, spec
from grader.model.lab import Computation, Lab, Part
from grader.model.part_call import PartCall

C_TYPES = {"f4": "float", "f8": "double", "i4": "int", "u1": "unsigned char"}
DESCRIPTORS = {"f4": "<f4", "f8": "<f8", "i4": "<i4", "u1": "|u1"}
BY = "/* Written by `python -m grader.drivers {folder} {kind}` from lab.toml. */\n"


@dataclass(frozen=True)
class Call:
    """A part, its operation and the call of its function."""

    part: Part
    operation: Computation
    call: PartCall
    in_c: bool

    def kind(self, array: str) -> str:
        """The element type of an array: of one that leaves it to the check, float."""
        first = next(iter(self.operation.inputs.values())).type
        given = self.operation.inputs.get(array)
        return (given.type if given else self.operation.output.type or first) or "f4"

    def c_type(self, array: str) -> str:
        return C_TYPES[self.kind(array)]


def of_lab(lab: Lab) -> Iterator[Call]:
    """The calls of all parts. Raises SpecError."""
    for part in lab.part:
        operation = lab.operation[part.operation or next(iter(lab.operation))]
        try:
            call = part_call.read(part.call, operation)
        except ValueError as problem:
            file = paths.LABS / lab.folder / "lab.toml"
            said = f"part '{part.id}': the lab has no file for its calls, and {problem}"
            raise spec.placed_mistake(file, [said]) from problem
        yield Call(part, operation, call, (part.file or lab.submit[0]).endswith(".c"))


def has_baseline(lab: Lab, function: str) -> bool:
    """Has the lab a slow version of the function, for what is timed?"""
    files = (paths.LABS / lab.folder).glob("baseline.c*")
    return any(f"baseline_{function}(" in file.read_text() for file in files)
