"""The grader of convlabs."""

import os

# The products of matrices here are small: more threads of BLAS would only wait for one another, and
# for the programs that are graded. NumPy reads this when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
