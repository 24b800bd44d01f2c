"""What lab 2 computes: Eq. 1 for one plane, with the error that float32 may make."""

from grader.oracle.correlation import correlate, float32_row_major

__all__ = ["correlate", "float32_row_major"]
