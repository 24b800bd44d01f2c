"""Records the block of a check that shows best why it fails, for a page to step through it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from grader.checks.prerequisites import NOTHING
from grader.execute import accesses, step_focus, step_lines, step_target, steps
from grader.execute.accesses import WarpAccess
from grader.execute.instrumented import InstrumentedRun, Runner, is_quick
from grader.execute.profile import Profile, profile, read_launches
from grader.execute.step_lines import Stored
from grader.execute.step_target import Target
from grader.execute.steps import Focus, Limit, Pixel, Recording
from grader.model import counters
from grader.model.lab import Case, CheckSpec, Contract, Input, Lab, Safe, Technique
from grader.model.result import Check
from grader.oracle import cache, compare, operations
from grader.oracle.cache import Prepared
from grader.oracle.compare import Comparison
from grader.session import report_data
from grader.session.could_not_run import FAULTS
from grader.session.plan import matching
from grader.session.session import Session

# Findings that show in the steps of a block better than a wrong pixel does.
SHOWN_FIRST = ("-race", "out-of-bounds", "misaligned", "use-after-free", "barrier-divergence")
WINDOWS = ("correlate", "polyphase")  # operations whose results are made from a square of pixels


class NotSteppedError(Exception):
    """There is no recording: a sentence says why, and what to do."""


def no_page(lab: Lab, check: CheckSpec, backend: str) -> str:
    """Why there is no page of a check, in words; "" where it runs kernels on an input that a
    student may see."""
    if backend == "cpu" or not lab.file_of(check).endswith(".cu"):
        return "no selected check runs kernels on the simulator"
    if isinstance(check, Contract):
        return "the generated calls of a contract have no page"
    if isinstance(check, Case) and check.hidden:
        return "hidden checks have no page, which would show their inputs"
    if isinstance(check, Case) and check.inject:
        return "a check that lets a call fail has no page"
    counted = isinstance(check, Technique) and check.counter not in counters.INSTRUCTIONS
    return "" if counted or isinstance(check, Case | Safe) else "a check of speed has no page"


def command(lab: Lab, check: Check, backend: str, again: str) -> str:
    """The command that opens a check which failed, where a page can show why; else "". again: the
    one that grades the lab."""
    asked = next((c for c in lab.shown_checks() if lab.id_of(c) == check.id), None)
    if check.verdict != "fail" or check.diagnosis in NOTHING or asked is None:
        return ""
    if no_page(lab, asked, backend) or check.details.get("in_call"):
        return ""
    assert isinstance(asked, Input)
    if not is_quick(lab, asked.at_public_size(), backend):
        return ""
    words = check.name.split(" ")
    pattern = check.name
    for count in range(len(words), 0, -1):  # the shortest beginning that no other check has
        shorter = " ".join(words[:count])
        if [c.name for c in matching(lab, shorter)] != [check.name]:
            break
        pattern = shorter
    return f"{again} -k {shlex.quote(pattern)} --step"


def stepped(session: Session) -> tuple[Check, Recording]:
    """The first check that failed, or else the first, and its recording. Raises NotSteppedError."""
    lab, graded = session.lab, {check.id: check for check in session.so_far}
    reasons = [no_page(lab, p.check, session.plan.backend) for p in session.plan.checks]
    able = [p.check for p, reason in zip(session.plan.checks, reasons, strict=True) if not reason]
    ran = [c for c in able if graded[lab.id_of(c)].verdict in ("pass", "fail")]
    ran.sort(key=lambda check: graded[lab.id_of(check)].verdict != "fail")
    runner = session.runner() if ran else None
    if not able:
        why = " and ".join(dict.fromkeys(reasons)) or "no check is selected"
        raise NotSteppedError(f"{why}; choose another check with -k")
    if runner is None:
        raise NotSteppedError("nothing ran that can be stepped through; fix what failed first")
    first = ran[0]
    assert isinstance(first, Input)
    check = first.at_public_size()
    if not is_quick(lab, check, runner.backend):
        raise NotSteppedError(
            f"the image of '{check.name}' is too large to record; choose a smaller one with -k"
        )
    line = graded[lab.id_of(first)]
    try:
        return line, _Stepper(session, runner, check, line).recording()
    except FAULTS as fault:
        raise NotSteppedError(f"the recording failed: {fault}") from fault


@dataclass
class _Stepper:
    session: Session
    runner: Runner
    check: Input
    line: Check

    def recording(self) -> Recording:
        prepared = cache.prepared(self.session.lab, self.check)
        comparison = self._wrong(prepared)
        asked = "store:0:0"
        if comparison:
            place = int(np.ravel_multi_index(comparison.first(), comparison.output.shape))
            element = comparison.output.dtype.itemsize
            asked = f"store:{comparison.output.nbytes}:{place * element}"
        run = self.runner.recorded(self.check, asked)
        launches = read_launches(run.outcome.profile, strict=False)
        seen = profile(self.runner.binary, launches, run.outcome.findings)
        if not seen.kernels:
            raise NotSteppedError(f"'{self.check.name}' launches no kernel")
        target = self._target(run, seen, comparison)
        found = [x for x in step_lines.lines(run.outcome.steps) if isinstance(x, Stored)]
        pixel = comparison if target.finding is None else None
        if pixel:
            target = self._of_pixel(found, seen, pixel, prepared)
        again = self.runner.recorded(self.check, target.asked())
        recording = steps.read(again.outcome.steps, self.runner.binary)
        if recording is None:
            raise NotSteppedError(
                "the simulator recorded nothing: your program may behave differently each time"
            )
        if pixel:
            self._show_pixel(recording, pixel, prepared, bool(found))
        recording.title = f"{self.session.lab.id}  {self.line.title()}"
        recording.limits = _limits(self.session.lab, self.check.part, recording.head.kernel)
        submission, files = self.session.submission, recording.files()
        recording.sources = {
            submission.path(name): submission.text(name).splitlines()
            for name in submission.contents
            if submission.path(name) in files
        }
        step_target.finish(recording, target)
        return recording

    def _wrong(self, prepared: Prepared) -> Comparison | None:
        """The wrong output of a case."""
        output = self.runner.forwards(self.check).outcome.output
        if not isinstance(self.check, Case) or output is None:
            return None
        comparison = compare.compare(output, prepared.expected)
        return None if comparison.right() else comparison

    def _target(self, run: InstrumentedRun, seen: Profile, comparison: Comparison | None) -> Target:
        errors = step_target.with_errors(run.errors())
        shown = [f for f in errors if f.kind.endswith(SHOWN_FIRST)]
        samples = accesses.of_warps(self.runner.binary, run.outcome.steps)
        if (shown or errors) and not (comparison and not shown):
            return step_target.at_finding([*shown, *errors][0])
        if isinstance(self.check, Technique) and self.line.verdict == "fail":
            return self._of_technique(seen, samples)
        failed = isinstance(self.check, Safe) and self.line.verdict == "fail"
        said = ("nothing in this block is wrong; the check says:", *self.line.message)
        first = seen.kernels[0]
        return Target(first.launch, step_target.middle(first), said if failed else ())

    def _of_technique(self, seen: Profile, samples: list[WarpAccess]) -> Target:
        words = tuple(self.line.message[:1])
        idle = [k for k in seen.kernels if k.counters.idle_blocks]
        if idle and any("blocks wrote nothing" in text for text in words):
            x, y, z = idle[0].grid
            words += ("this block is one of them: it has no store to global memory",)
            return Target(idle[0].launch, (x - 1, y - 1, z - 1), words)
        at = self.line.details.get("file", ""), self.line.details.get("line", 0)
        for kernel in seen.kernels:
            if any((line.file, line.line) == at for line in kernel.lines):
                return step_target.at_line(kernel, at, samples, words)
        return replace(step_target.costliest(seen, samples), words=words)

    def _of_pixel(
        self, found: Sequence[Stored], seen: Profile, comparison: Comparison, given: Prepared
    ) -> Target:
        """The block that stored the first wrong pixel; where none did, that which should have."""
        if found:
            return Target(found[-1].launch, found[-1].block)
        last = seen.kernels[-1]
        launches = read_launches(self.runner.forwards(self.check).outcome.profile, strict=False)
        y, x = (0, 0, *comparison.first())[-2:]
        shape = (1, 1, *comparison.output.shape)[-2:]
        tile = report_data.tile((shape[0], shape[1]), given.inputs.radius, launches)
        block = step_target.middle(last)
        if tile:
            columns, rows, _ = last.grid
            block = (min(x // tile.width, columns - 1), min(y // tile.height, rows - 1), block[2])
        return Target(last.launch, block, ("no thread stores the first wrong pixel",))

    def _show_pixel(
        self, recording: Recording, comparison: Comparison, given: Prepared, found: bool
    ) -> None:
        """Opens at the store of the first wrong pixel, with what it was made from."""
        operation = operations.of(self.session.lab, self.check.part)
        index, output = comparison.first(), comparison.output
        place = int(np.ravel_multi_index(index, output.shape)) * output.dtype.itemsize
        at = step_focus.store_of(recording, output.nbytes, place) if found else None
        want = compare.number(float(comparison.expected.value[index]), output.dtype)
        got = compare.number(float(comparison.got[index]), output.dtype)
        shown = operation.subscript(index)
        words = [f"out{shown} is {got}; it should be {want}"]
        if at is None:
            recording.focus = Focus(0, 0, [*words, "no thread stores it; this block could"])
            return
        step, lane = at
        recording.focus = Focus(step, 1 << lane, words)
        image = given.inputs.image
        if image.ndim != 2 or len(index) != 2:
            return
        taps, outside, stores = step_focus.pixels_read(recording, step, lane, image)
        centre = (index[1], index[0])
        wanted = None
        if operation.name in WINDOWS and "mask" in given.inputs.arrays:
            border = self.check.settings().get("border", "zero")
            wanted = step_focus.window(image.shape, centre, given.inputs.radius, border)
        found_taps = step_focus.taps_of(taps, wanted, centre, stores > 1)
        recording.pixel = Pixel(f"out{shown}", got, want, found_taps, outside)


def _limits(lab: Lab, part: str, kernel: str) -> list[Limit]:
    """What the part's technique checks ask of the kernel's counters that a page has."""
    asked = [t for t in lab.technique if t.part == part and t.per != "input"]
    return [
        Limit(t.counter, per, f"{words.counted}{words.unit}", t.at_most, t.at_least)
        for t in asked
        if fnmatchcase(kernel, t.kernel) and counters.is_of_accesses(t.counter)
        for words in [counters.in_words(t.counter, t.per)]
        for per in ["pixel" if t.per == "value" else t.per or ""]  # as a page calls it
    ]
