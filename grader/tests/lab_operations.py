"""The operations of the eight labs by their names."""

from grader.model import spec
from grader.oracle import operations
from grader.oracle.operations import Operation

LABS = ("lab2", "lab3", "lab5", "lab7", "lab8")


def named(name: str) -> Operation:
    """The operation of the first lab that has it; lab 2's "correlate" is also exact."""
    labs = (spec.load(lab, hidden=False) for lab in LABS)
    lab = next(lab for lab in labs if name in lab.operation)
    part = next(part for part in lab.part if (part.operation or next(iter(lab.operation))) == name)
    return operations.of(lab, part.id)
