"""The calls that lab 3's contracts draw: masks in constant memory, of radius 0 to 8."""

from grader.contract.generator import Generator


class OneMask(Generator):
    """Part A."""

    kept = own_mask = True
    fails = 4
    refused = (-1, 9, 2**31 - 1, -(2**31))


class Bank(OneMask):
    """Part B."""

    mask = "bank"
