"""The student's program as questions need it: built once, run traced on a small image, and run
again on other inputs or with a change in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

from grader import paths
from grader.ask import source
from grader.ask.draft import CannotTell
from grader.ask.trace import Trace, with_threads, with_warps
from grader.compile import make
from grader.compile.make import BuildRequest
from grader.compile.make_process import Waiting
from grader.execute import case as cases
from grader.execute.case import Outcome
from grader.execute.modes import CHECKED, CHECKED_REVERSED, IN_ORDER, TRACED, TRACED_C, Mode
from grader.model import part_call
from grader.model.finding import Finding
from grader.model.lab import Case, Lab
from grader.model.submission import Submission
from grader.oracle import compare, operations
from grader.oracle import inputs as made
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array, Operation

# Sizes to try, the largest first: the trace of a run is kept up to some megabytes.
LINES = 8  # of the image of a size, for an array of one axis
SIZES = ((97, 61), (67, 37), (41, 23), (19, 11))
_SMALL = {"impulse": "random3", "ando": "random3", "gaussian": "random3", "row": "row5"}
_SMALL |= {"lines": "lines5", "column": "column5", "outer": "outer5"}  # masks, by their kind
_IN_NAMES = {"f4": "float", "f8": "double", "none": "device"}  # of functions: what a case says
FOLDER = "ask"  # below build/: changed programs, which do not push out the student's own


class NoQuestionsError(Exception):
    """Nothing can be asked about the part; in words for the student."""


@dataclass
class AskedPart:
    """One part of a submission. personal: makes the sizes of images differ between students. work:
    a folder for its runs."""

    submission: Submission
    part: str
    personal: int
    work: Path
    _changed: dict[tuple[str, bool], Path | None] = field(default_factory=dict)
    _under_way: Waiting[make.Build] | None = None
    _is_right: bool = False

    @property
    def lab(self) -> Lab:
        return self.submission.lab

    @cached_property
    def base(self) -> Case:
        """A public case of the part that calls its function once, with a small mask; never a hidden
        one."""
        plain = {"weights", "host_memory", "transfer", "threads"}
        usable = [c for c in self.public if not c.set.keys() - plain]
        if not usable:
            raise NoQuestionsError(f"part {self.part} of {self.lab.id} has no case to ask about")
        found = min(usable, key=lambda c: (_digits(c.mask), c.channels, c.border != "zero"))
        found = msgspec.structs.replace(found, contents={})
        mask = found.mask.rstrip("0123456789")
        threaded = any("threads" in c.set for c in self.lab.case if c.part == self.part)
        team = {"threads": str(3 + self.personal % 3)} if threaded else {}
        border, small = "zero" if found.border else "", _SMALL.get(mask, found.mask)
        new = {"name": "ask", "image": "noise", "mask": small, "border": border, "exact": None}
        case = msgspec.structs.replace(found, **new, seed=self.personal, points=0)
        return msgspec.structs.replace(case, set=case.set | team)

    @property
    def public(self) -> list[Case]:
        """The cases of the part that students see, without those whose calls are made to fail."""
        return [c for c in self.lab.case if c.part == self.part and not (c.hidden or c.inject)]

    @property
    def file(self) -> str:
        """The lab's name of the file that holds the part."""
        return self.lab.file_of(self.base)

    @property
    def shown(self) -> str:
        """How messages name it."""
        return self.submission.path(self.file)

    @property
    def in_c(self) -> bool:
        return self.file.endswith(".c")

    @cached_property
    def text(self) -> source.Source:
        headers = sorted((paths.LABS / "runtime").glob("*.h"))
        headers += sorted((paths.LABS / self.lab.folder).glob("lab*.h"))
        given = "\n".join(header.read_text() for header in headers)
        return source.Source(self.submission.text(self.file), given)

    @property
    def operation(self) -> Operation:
        return operations.of(self.lab, self.base.part)

    @property
    def name(self) -> str:
        """The function of lab.h that the base case calls; of several, the last where none has a
        word of the case in its name."""
        calls, case = self.lab.part_of(self.base).calls, self.base
        words = {_IN_NAMES.get(w, w) for w in (case.type, *case.set.values())}
        called = [call for call in calls if call.rpartition("_")[2] in words] or calls
        return f"{called[-1]}()" if called else f"Part {self.part} of your program"

    @property
    def first_line(self) -> int:
        """Where the function of the part is defined; 0 where that cannot be seen."""
        return self.text.definition(self.name.rstrip("()"))

    @property
    def backend(self) -> str:
        return "sim" if "sim" in self.lab.backends else "cpu"

    # ---- programs

    @contextmanager
    def building(self) -> Iterator[None]:
        """Builds `binary` during the block, which need not wait for it."""
        with make.start(BuildRequest(self.submission, self.backend, "checked")) as waiting:
            self._under_way = waiting
            yield
        self._under_way = None

    def is_built(self) -> bool:
        return self._under_way is None or self._under_way.has_ended()

    @cached_property
    def binary(self) -> Path:
        """The instrumented program; after a grade it is there already."""
        return self._built("checked")

    @cached_property
    def raced(self) -> Path | None:
        """A file in C under the check for races; None for one in CUDA."""
        found = self.binary.with_name("raced")
        return found if self.in_c and found.exists() else None

    @cached_property
    def plain(self) -> Path:
        """What gives right outputs fast."""
        return self.raced or self._built("run" if self.in_c else "checked")

    def _built(self, target: make.Target) -> Path:
        wait, self._under_way = self._under_way if target == "checked" else None, None
        built = wait() if wait else make.build(BuildRequest(self.submission, self.backend, target))
        if built.binary is None:
            raise NoQuestionsError("\n".join(["the file does not build:", *built.errors]))
        return built.binary

    def changed(self, edited: bytes, checked: bool = False) -> Path:
        """The program with another text of the file, this part of it alone. Raises CannotTell where
        that does not build. checked: the instrumented one."""
        key = (edited.decode(errors="replace"), checked)
        if key not in self._changed:
            own, parts = self.lab.part_of(self.base), self.lab.part
            others = {call for part in parts for call in part.calls if part is not own}
            unused, used = set() if self.in_c else others, set(own.calls)
            alone = source.Source(key[0]).without(unused, used)
            contents = {**self.submission.contents, self.file: alone}
            home = paths.BUILD / FOLDER / self.lab.id
            other = replace(self.submission, contents=contents, home=home)
            built = make.build(BuildRequest(other, self.backend, "checked" if checked else "run"))
            self._changed[key] = built.binary
        if (found := self._changed[key]) is None:
            raise CannotTell("the changed program does not build")
        return found

    # ---- runs

    def case(self, size: tuple[int, int] | None = None) -> Case:
        """The base case with the size of the trace, or with another."""
        return self.sized(size or self.trace.size)

    def sized(self, size: tuple[int, int]) -> Case:
        """The base case on an image of that size, or with arrays of about as many elements."""
        if self.operation.is_image():
            return msgspec.structs.replace(self.base, size=size)
        axes = part_call.axes(self.operation.spec)
        sides = (size[0] * min(size[1], LINES),) if len(axes) == 1 else (*size, size[0])
        return msgspec.structs.replace(
            self.base, sizes=self._allowed(dict(zip(axes, sides, strict=False)))
        )

    def _allowed(self, sizes: dict[str, int]) -> dict[str, int]:
        """The sizes, as far as the part's contract allows them."""
        contract = next((c for c in self.lab.contract if c.part == self.part), None)
        between = contract.between if contract else {}
        return {
            axis: min(max(size, between.get(axis, (1, size))[0]), between.get(axis, (1, size))[1])
            for axis, size in sizes.items()
        }

    def inputs(self, case: Case) -> Inputs:
        """The inputs of a case; each pixel of an image of floats has a value of its own, so that a
        copy of it shows where it comes from."""
        given = made.inputs(self.lab, case, case.seed)
        image = given.image
        if image.dtype.kind != "f":
            return given
        count = np.arange(1, image.size + 1, dtype=image.dtype).reshape(image.shape)
        return Inputs(**{**given.arrays, next(iter(given.arrays)): count})

    def run(
        self,
        case: Case,
        mode: Mode = IN_ORDER,
        binary: Path | None = None,
        inputs: Inputs | None = None,
    ) -> Outcome:
        """Runs a case to its end. Raises CannotTell where it does not get there."""
        given, program = inputs or self.inputs(case), binary or self.plain
        outcome = cases.run_case(self.lab, case, program, given, self.work, mode)
        if outcome.status is None:
            raise CannotTell(f"the program {outcome.reason}")
        return outcome

    def output(self, case: Case, binary: Path | None = None, inputs: Inputs | None = None) -> Array:
        """The output of a case that succeeds."""
        outcome = self.run(case, binary=binary, inputs=inputs)
        if outcome.output is None or outcome.status is None or outcome.status.returned != 0:
            raise CannotTell("the program returns no result")
        return outcome.output

    def whole(self, binary: Path, element: int) -> int:
        """The whole number that a changed program stores as an element of the output. Raises
        CannotTell where it stores another value."""
        value = float(self.output(self.case(), binary).flat[element])
        if not value.is_integer() or not 0 <= value < 1 << 24:
            raise CannotTell("the changed program stores something else")
        return int(value)

    def right_output(self, case: Case, inputs: Inputs) -> Array:
        """The output of the student's program, which must be right: a question about what is right
        is of no use where the program is wrong."""
        output = self.output(case, inputs=inputs)
        operation = operations.of(self.lab, case.part)
        expected = operation.expected(inputs.arrays, case.settings())
        if not compare.compare(output, expected).right():
            raise CannotTell("the result of the program is wrong")
        return output

    def must_be_right(self) -> None:
        """Raises NoQuestionsError where the part does not work yet, which a grade explains."""
        if self._is_right:
            return
        self.binary  # noqa: B018 - says why it does not build
        try:
            self.right_output(self.wide, self.inputs(self.wide))
        except CannotTell as reason:
            raise NoQuestionsError(
                f"part {self.part} of {self.lab.id} does not work yet: {reason}\n"
                f"       first ./grade {self.lab.id} -k {self.part}"
            ) from reason
        self._is_right = True

    def findings(self, binary: Path, backwards: bool = False) -> list[Finding]:
        """The errors that the simulator finds in a changed program."""
        case, mode = self.case(), CHECKED_REVERSED if backwards else CHECKED
        outcome = cases.run_case(self.lab, case, binary, self.inputs(case), self.work, mode)
        return [f for f in outcome.findings if f.severity == "error"]

    @cached_property
    def trace(self) -> Trace:
        """The run that most questions are about. Raises CannotTell, NoQuestionsError."""
        for size in self._sizes():
            found = self.traced(size)
            if found.complete:
                return found
        raise CannotTell("the trace of its run is too long")

    @cached_property
    def wide(self) -> Case:
        """The base case on the largest image, for what needs no trace."""
        return self.sized(self.widest)

    @property
    def widest(self) -> tuple[int, int]:
        return self._sizes()[0]

    def _sizes(self) -> list[tuple[int, int]]:
        return [(w + self.personal % 5, h + self.personal // 5 % 5) for w, h in SIZES]

    def traced(self, size: tuple[int, int]) -> Trace:
        """A traced run on an image of that size."""
        inputs = self.inputs(case := self.sized(size))
        dtype, shape = self.operation.output(inputs.arrays)
        found = Trace(size, np.dtype(dtype), shape)
        if self.in_c and self.raced is None:
            return found  # nobody can tell who accesses what
        program = self.raced or self.binary
        mode, read = (TRACED_C, with_threads) if self.in_c else (TRACED, with_warps)
        found = read(found, self.run(case, mode, program, inputs), program, self.shown)
        if not (found.warps or found.threads):
            raise NoQuestionsError(
                f"no memory access of {self.shown} has a source line, so nothing can be asked; "
                f"does addr2line work here? ./grade doctor\n       ({program} was asked)"
            )
        return found


def _digits(mask: str) -> int:
    digits = re.search(r"\d+$", mask)
    return int(digits[0]) if digits else 99
