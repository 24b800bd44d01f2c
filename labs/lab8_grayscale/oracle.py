"""What lab 8 computes: grey values of a colour image. Exactly one byte is right."""

from typing import Any

import numpy.typing as npt

from grader.oracle import grayscale
from grader.oracle.expected import Expected, exact


def grey(image: npt.NDArray[Any], weights: str) -> Expected:
    return exact(grayscale.grey(image, grayscale.weights_of(weights)))
