"""The error that a generator of data raises. Without NumPy, so that it costs nothing to name."""


class DatasetMissing(Exception):  # noqa: N818 (the name is part of the interface)
    """A photograph that ./grade setup downloads is missing; the message says what to do."""
