"""The predicted times of speed checks that need a GPU, where there is none. Never measured ones."""

from typing import Literal

import msgspec

# What becomes of speed that needs a GPU where there is none: nothing, or a prediction, which earns
# no points.
PredictedSpeed = Literal["off", "shown"]


class PredictedTime(msgspec.Struct, frozen=True):
    """Microseconds of a call, and the interval around them. terms: the time that each resource adds
    to it, by its name in grader/predict/terms.py."""

    us: float
    low_us: float
    high_us: float
    terms: dict[str, float]

    @property
    def bound(self) -> str:
        """The largest term."""
        return max(self.terms, key=lambda name: self.terms[name])


class Ratio(msgspec.Struct, frozen=True):
    """A predicted speed over that of the course's solution, or of the baseline where the check is
    against it, and the interval around it."""

    middle: float
    low: float
    high: float


class LineShare(msgspec.Struct, frozen=True):
    """A line of the program, and its share of a term."""

    file: str
    line: int
    share: float


class Prediction(msgspec.Struct, frozen=True):
    """What is predicted of one speed check. time is None where nothing can be, and `reason` then
    completes a sentence that begins with "not predicted:".

    with_nvcc: from the machine code that nvcc makes, not the simulator's.
    advice: what would make the largest term smaller; "" where the solution's is as large.
    """

    check: str  # its id
    gpu: str  # such as "NVIDIA H200"
    reason: str = ""
    time: PredictedTime | None = None
    with_nvcc: bool = False
    against: Literal["solution", "baseline"] = "solution"
    ratio: Ratio | None = None
    line: LineShare | None = None
    solution: PredictedTime | None = None
    baseline: PredictedTime | None = None
    advice: str = ""
    measured: Literal[False] = False


class PredictedKernel(msgspec.Struct, frozen=True):
    """All launches of one kernel of a program. grid, block, time, interval, terms, bound and line
    are those of the launch with the median time; shortest_us and longest_us are over all launches.

    unknown: why no time can be told; then the times say nothing. "" where they do.
    """

    kernel: str
    launches: int
    grid_blocks: int
    block_threads: int
    us: float
    low_us: float
    high_us: float
    shortest_us: float
    longest_us: float
    bound: str
    terms: dict[str, float]
    line: LineShare | None
    unknown: str


class PredictedProgram(msgspec.Struct, frozen=True):
    """What `./grade run --predict --json FILE` writes: the kernels in the order of their first
    launch. measured_gpu: whether the GPU's numbers were measured. with_nvcc: as of a Prediction."""

    gpu: str
    measured_gpu: bool
    kernels: list[PredictedKernel]
    with_nvcc: bool = False
    measured: Literal[False] = False
    schema: Literal["convlabs-prediction/v1"] = "convlabs-prediction/v1"
