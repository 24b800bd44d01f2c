"""The calls that lab 3's contracts draw: masks in constant memory, of radius 0 to 8."""

from collections.abc import Mapping
from dataclasses import replace

from grader.contract.generator import Generator
from grader.contract.step import Step


class OneMask(Generator):
    """Part A."""

    kept = own_mask = True
    fails = 4
    refused = (-1, 9, 2**31 - 1, -(2**31))


class Bank(OneMask):
    """Part B."""

    mask = "bank"
    phases = 4

    def vary(self, numbers: Mapping[str, int]) -> None:
        super().vary(numbers)
        self.phases = numbers.get("PHASES", self.phases)

    def step(self) -> Step:
        return replace(super().step(), phases=self.phases)
