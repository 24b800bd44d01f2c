"""The calls that lab 6's contracts draw: a column and a row in constant memory."""

from grader.contract.generator import Generator


class Lines(Generator):
    """All parts."""

    mask = "lines"
    kept = True
    fails = 12
    refused = (-1, 9, 2**31 - 1, -(2**31))
