"""The grader of convlabs."""

__version__ = "0.1.0"
