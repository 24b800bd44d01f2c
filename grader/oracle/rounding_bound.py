"""The error that rounding may make in a float32 result.

The bound is the forward error of a float32 dot product of n taps in any order, with or without
fused multiply-adds (N. Higham, Accuracy and Stability of Numerical Algorithms, section 3.1):

    |computed - exact| <= gamma_n * sum |f| |g|,   gamma_n = n u / (1 - n u),   u = 2^-24
"""

import math

UNIT_ROUNDOFF = 2.0**-24  # of float32
LAMBDA = 8.0  # of likely_gamma()
SMALLEST = 2.0**-149  # float32's spacing near 0, which the relative bound does not cover


def gamma(operations: int, roundoff: float = UNIT_ROUNDOFF) -> float:
    """gamma_n: the relative error bound of n rounded operations in a row; infinite where n is so
    large that rounding may leave nothing of the result."""
    share = operations * roundoff
    return share / (1 - share) if share < 1 else math.inf


def likely_gamma(operations: int, roundoff: float = UNIT_ROUNDOFF) -> float:
    """The relative error that n rounded operations in a row stay below with near certainty, where
    their errors are independent: lambda sqrt(n) u (N. Higham and T. Mary, A New Approach to
    Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019)."""
    return LAMBDA * math.sqrt(operations) * roundoff
