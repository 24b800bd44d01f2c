"""Writes the unit tests of a lab: a few calls of each contract that needs no class of calls.py."""

from pathlib import Path

from grader.contract import as_c, draw
from grader.contract.any_arrays import AnyArrays
from grader.contract.play import Player
from grader.contract.step import Step
from grader.drivers.calls import BY
from grader.model.lab import Contract, Lab

CALLS = 4  # of each contract
MOST = 600  # elements of an input, of which each is printed


def text(lab: Lab) -> str:
    """test_labN.c. Raises SpecError."""
    in_c = all(name.endswith(".c") for name in lab.submit)
    lines = [BY.format(folder=lab.folder, kind="test"), '#include "lab.h"\n']
    lines += [f'#include "{"test_suite.h" if in_c else "test_cuda.h"}"\n\n#include <math.h>\n']
    for contract in lab.contract:
        player = Player(lab, contract, Path(), Path())
        for number, step in enumerate(_steps(lab, contract), 1):
            name = f"{contract.call.partition('(')[0]}_{number}"
            lines.append(f"\n{as_c.write_test(player, (step,), None, name)}")
    return "".join([*lines, f'\nSUITE("{lab.id}")\n'])


def _steps(lab: Lab, contract: Contract) -> list[Step]:
    source = draw.generator(lab, contract, contract.seed ^ 0x7E57)
    if not isinstance(source, AnyArrays):
        return []
    steps = [source.small()]
    while len(steps) < CALLS:
        steps += [step for step in [source.step()] if step.elements() <= MOST]
    return steps
