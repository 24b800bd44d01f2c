"""What a lab.toml and a hidden.toml may say: the types of a lab, its parts and its checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

import msgspec

Positive = Annotated[int, msgspec.Meta(ge=1)]
Points = Annotated[int, msgspec.Meta(ge=0, le=100)]
FileName = Annotated[str, msgspec.Meta(pattern=r"^[\w-]+\.cu?$")]

Kind = Literal["correct", "safe", "technique", "speed"]
# What a check runs. plain: the submission as it is. failing: the simulator's plain program, whose
# CUDA calls can be made to fail. instrumented: traced on the simulator, under sanitizers where the
# file is plain C. timed: the shared objects that are timed beside each other.
ProgramKind = Literal["plain", "failing", "instrumented", "timed"]


class PointsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a lab's 100 points are divided."""

    correct: Points
    safe: Points = 0
    technique: Points = 0
    speed: Points = 0

    def total(self) -> int:
        return self.correct + self.safe + self.technique + self.speed


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one case may use."""

    # Of processor time: each thread may use so many, and all together so many for each core. Other
    # programs on the machine take nothing from it. One that sleeps or waits ends after ten times as
    # long (sandbox/limits.py).
    seconds: Annotated[float, msgspec.Meta(gt=0)] = 10.0


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a lab: one idea, one function that the student writes."""

    id: str
    title: str
    hints: list[str]
    operation: str = ""  # a key of the lab's `operation`; "": the first
    call: str = ""  # of its function, for a lab without a driver.c: part_call.py
    file: str = ""  # which file of `submit` holds it; "" where there is only one
    calls: list[str] = []  # functions of lab.h that only its own checks call
    cpu: str = ""  # instructions that it needs, by their name in /proc/cpuinfo: "avx2"
    case: list[Case] = []  # its own; load() puts them with the lab's
    contract: list[Contract] = []
    safe: list[Safe] = []
    technique: list[Technique] = []
    speed: list[Speed] = []


Element = Literal["f4", "f8", "i4", "u1"]
Axis = str | Positive  # a name, which stands for one size in all arrays of a call, or the size


class GivenArray(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An input of an operation. type: None: that of the check. make: a key of inputs.MAKERS, or
    of an array of any axes its content (datasets/values.py)."""

    shape: Annotated[list[Axis], msgspec.Meta(min_length=1)]
    make: str = "whole"
    type: Element | None = None


class OutputArray(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The output of an operation. type: None: that of the first input. unit: of an element."""

    shape: Annotated[list[Axis], msgspec.Meta(min_length=1)]
    type: Element | None = None
    unit: Annotated[str, msgspec.Meta(min_length=1)] = "value"


class Computation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An [operation.NAME]: what a part computes. The functions of oracle.py take the arrays, the
    settings and the sizes of the axes by their names.

    oracle: the function that allows for rounding; "": NAME. exact: others, by a case's `exact`.
    work: multiply-adds for an element of the output, such as "b * a" or "b + a".
    """

    inputs: Annotated[dict[str, GivenArray], msgspec.Meta(min_length=1)]
    output: OutputArray
    oracle: str = ""
    exact: dict[str, str] = {}
    work: str | int = 1


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The input that a check gives to a student's function, and the points for it."""

    name: str
    part: str = ""  # load() fills it in below a [[part]]
    image: str = "noise"
    points: Points = 1
    mask: str = ""  # "": there is none
    border: str = ""
    why: str = ""
    size: tuple[Positive, Positive] | None = None  # width, height
    channels: Positive = 1
    sizes: dict[str, Positive] = {}  # of the named axes of an operation that is no image
    contents: dict[str, str] = {}  # of its inputs, where they are not as the operation says
    type: Literal["f4", "f8", "u1"] = "f4"  # of an element, where the operation allows several
    set: dict[str, str] = {}  # further settings of the lab's driver
    seed: int = 0  # of this input's random numbers; load() sets it

    def signature(self) -> str:
        """Equal for two inputs that differ only in name, points and seed."""
        image = (self.image, self.size, self.channels, self.type)
        named = (sorted(self.sizes.items()), sorted(self.contents.items())) if self.sizes else ()
        return repr((self.part, image, self.mask, sorted(self.settings().items()), *named))

    def program(self) -> ProgramKind:
        return "plain"

    def is_secret(self) -> bool:
        """Is there a part of the input that no student may know?"""
        return False

    def at_public_size(self) -> Input:
        """The same check with the size that students know."""
        return self

    def settings(self) -> dict[str, str]:
        """The settings that the lab's driver gets."""
        return {**({"border": self.border} if self.border else {}), **self.set}


class Case(Input, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One input with its expected result."""

    kind: ClassVar[Kind] = "correct"

    # A function of the CUDA runtime, or "launch": of the program's calls of it, each is made to
    # fail in turn; with ":first", ":last" or ":later" only these.
    inject: Annotated[str, msgspec.Meta(pattern=r"^\w+(?::(?:first|last|later))?$")] | None = None
    exact: str | None = None  # compared with another function of oracle.py, such as bit for bit
    rationale: str = ""  # of a hidden case: shown instead of its input
    hint: str = ""
    hidden: bool = False

    def program(self) -> ProgramKind:
        return "failing" if self.inject else "plain"

    def is_secret(self) -> bool:
        return self.hidden


NotNegative = Annotated[int, msgspec.Meta(ge=0)]


class Contract(Input, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Calls generated at random from what lab.h allows: grader/contract/.

    call: C for a test that a student can paste, its statements separated by ";". {width} is a
    number of the call, d_image an array on the device, h_image or image one of the host,
    {HOST_MEMORY} a setting as a constant, and a statement after "!" returns no error.
    """

    kind: ClassVar[Kind] = "correct"

    image: str = "drawn"
    calls: str = ""  # what draws them: a class of the lab's calls.py; "": any_arrays.py does
    between: dict[str, tuple[Positive, Positive]] = {}  # the least and the most of each axis
    refused: list[int] = []  # values of the argument `refuses`, besides those of calls.py
    fails: NotNegative = 0  # calls of the CUDA runtime that are made to fail, where calls is ""
    choose: dict[str, list[str]] = {}  # settings of the driver, and their values
    exact: str | None = None  # as of a Case
    read_only: bool = False  # inputs cannot be written to
    align: NotNegative = 0  # of arrays in host memory, in bytes; 0: that of their elements
    call: str = ""  # "": the part's
    returns: Literal["cudaError_t", "void"] = "cudaError_t"
    refuses: str = "radius"  # the argument that a step with `refuse` gives a wrong value
    only_refused: bool = False  # a step with `refuse` makes no other call, and writes nothing
    secret_seed: int | None = None  # of further calls, which no student can know; load() sets it

    def is_secret(self) -> bool:
        return self.secret_seed is not None


class Safe(Input, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run under all checks of the simulator (of the sanitizers, for C): none may find an error,
    and the result may not depend on the order in which threads run."""

    kind: ClassVar[Kind] = "safe"

    # Atomic sums of floats may be rounded differently in another order: they need only be right.
    any_order: bool = False
    one_thread: bool = False  # the part may leave its work to one thread, which races with none

    def program(self) -> ProgramKind:
        return "instrumented"


SQUARE = re.compile(r"random(\d+)")


class Bound(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A counter and its limit. Exactly one of the two limits is set.

    over: the launches that are added up. A helper that pads the image or fills the output with
    zeros first is not one of those that store the `results`, which are the output and what one pass
    leaves in a buffer of lab.h for the next; one that computes pixels elsewhere, for a last launch
    to copy, is not either: so what it could do badly needs a limit over all of them.
    """

    counter: str
    over: Literal["all", "results"] = "all"
    per: Literal["pixel", "value", "input", "tap", "launch", "multiplication"] | None = None
    at_most: float | None = None
    at_least: float | None = None
    why: str


class Technique(Input, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A counter of a traced run and its limit. Exactly one of the two limits is set. A part in C
    has the counters of counters.INSTRUCTIONS, also as a share of all (per instruction) or of all
    multiplications, and a part in CUDA the others."""

    kind: ClassVar[Kind] = "technique"

    counter: str  # of counters.py, or a quotient "a / b" of two
    over: Literal["all", "results"] = "all"  # as of a Bound
    kernel: str = "*"  # an fnmatch pattern: the launches of these kernels are added up
    # tap: of a square mask, one for each pixel, so that a limit means the same with a smaller mask
    # pixel, value: an element of the output; input: of the first input
    per: (
        Literal["pixel", "value", "input", "tap", "launch", "instruction", "multiplication"] | None
    ) = None
    at_most: float | None = None
    at_least: float | None = None
    # What must hold as well, so that nothing is earned by accesses that only improve a quotient.
    also: list[Bound] = []
    # The size that no student can know is so much less wide: lab.h promises something for all
    # widths that are multiples of this number, and kernels like larger ones.
    narrower: NotNegative = 0
    # The second run has the next smaller radius and the same border: with others, right kernels
    # load more, and the limit has no room for that.
    near: bool = False
    # As in lab.toml, where the size is another one that no student can know; load() sets it.
    public: Technique | None = None
    smaller_mask: str = ""  # of a second run, where there is one; load() draws it

    def program(self) -> ProgramKind:
        return "instrumented"

    def is_secret(self) -> bool:
        return self.public is not None

    def bounds(self) -> Iterator[Technique]:
        """The check itself, and a check for each of `also`."""
        yield self
        for bound in self.also:
            yield msgspec.structs.replace(self, **msgspec.structs.asdict(bound), also=[])

    def taps(self) -> int:
        """The taps of a square mask, such as random13; 0: it has another form."""
        side = SQUARE.fullmatch(self.mask)
        return int(side[1]) ** 2 if side else 0

    def at_public_size(self) -> Technique:
        return self.public or self

    def second(self) -> Technique | None:
        """The check with what makes each limit from above easier, a smaller radius or floats in
        place of doubles, with the other border, and without limits from below; or None."""
        if self.at_most is None or not (self.smaller_mask or self.type == "f8"):
            return None
        other = {"zero": "replicate", "replicate": "zero"}
        return msgspec.structs.replace(
            self,
            mask=self.smaller_mask or self.mask,
            type="f4",
            border=self.border if self.near else other.get(self.border, ""),
            also=[bound for bound in self.also if bound.at_most is not None],
        )

    def holds(self, value: float) -> bool:
        """Is the value of the counter within the limit?"""
        if self.at_most is not None:
            return value <= self.at_most
        return self.at_least is not None and value >= self.at_least


class Speed(Input, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One timed input. timing/statistics.py decides about the thresholds."""

    kind: ClassVar[Kind] = "speed"

    hint: str  # what to try when it is too slow
    # The range of the baseline's time over the reference's, on any machine; None: it is not timed.
    # In a copy without solutions a student's speed relative to the reference is estimated from it;
    # next to the reference it decides nothing, and it never judges a machine.
    baseline_is: tuple[float, float] | None = None
    against: Literal["reference", "baseline"] = "reference"
    pass_at: float = 0.7  # of the reference's speed
    full_at: float = 0.9
    at_least: float | None = None  # against the baseline: times its speed
    taps: Positive | None = None  # multiply-adds that each result needs; None: the operation's
    # Where a method is known that needs less time than those: the multiply-adds that take as long
    # as the fastest one. What takes less is impossible.
    fewest_taps: Positive | None = None

    def program(self) -> ProgramKind:
        return "timed"


CheckSpec = Case | Contract | Safe | Technique | Speed


class AuditRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[audit], for `./grade audit`. caught: the least share of the slips in the solution that a
    check must catch. equivalent: slips that are as right as the solution, by their ids, and why."""

    caught: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.95
    equivalent: dict[str, str] = {}


class Lab(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One lab. `folder` is labs/labN_*; load() fills it in."""

    id: str
    title: str
    summary: str
    submit: Annotated[list[FileName], msgspec.Meta(min_length=1)]
    backends: Annotated[list[Literal["cpu", "sim", "gpu"]], msgspec.Meta(min_length=1)]
    seed: int
    points: PointsTable
    part: list[Part]
    operation: dict[str, Computation] = {}  # the first is that of a part that names none
    case: list[Case] = []
    contract: list[Contract] = []
    safe: list[Safe] = []
    technique: list[Technique] = []
    speed: list[Speed] = []
    border: str = ""  # of each check that names none
    varies: dict[str, list[int]] = {}  # constants of lab.h and their values, the usual one first
    limits: Limits = Limits()
    audit: AuditRules = AuditRules()
    solution: Literal["never", "after-full-marks"] = "never"  # when `./grade solution` shows ours
    folder: str = ""
    hidden_included: bool = False
    variant: dict[str, int] = {}  # a student's values of `varies`; {}: the usual ones

    def part_of(self, check: Input) -> Part:
        """The part that a check belongs to."""
        return next(part for part in self.part if part.id == check.part)

    def file_of(self, check: Input) -> str:
        """The submitted file that holds the check's part."""
        return self.part_of(check).file or self.submit[0]

    def id_of(self, check: Input) -> str:
        """The check's id in a result, such as "lab3/A/13x13 on 97x61"."""
        return f"{self.id}/{check.part}/{check.name}"

    def checks(self) -> list[CheckSpec]:
        """Everything that is graded, in the order of grading."""
        return [*self.case, *self.contract, *self.safe, *self.technique, *self.speed]

    def shown_checks(self) -> list[CheckSpec]:
        """The checks whose names a student may see."""
        return [c for c in self.checks() if not (isinstance(c, Case) and c.hidden)]


class HiddenFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """solutions/labN_*/hidden.toml."""

    seed: int
    case: list[Case]
