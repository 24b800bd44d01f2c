"""The error that rounding may make in a float32 result.

The bound is the forward error of a float32 dot product of n taps in any order, with or without
fused multiply-adds (N. Higham, Accuracy and Stability of Numerical Algorithms, section 3.1):

    |computed - exact| <= gamma_n * sum |f| |g|,   gamma_n = n u / (1 - n u),   u = 2^-24
"""

UNIT_ROUNDOFF = 2.0**-24  # of float32
SMALLEST = 2.0**-149  # float32's spacing near 0, which the relative bound does not cover


def gamma(operations: int, roundoff: float = UNIT_ROUNDOFF) -> float:
    """gamma_n: the relative error bound of n rounded operations in a row."""
    return operations * roundoff / (1 - operations * roundoff)
