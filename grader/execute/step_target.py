"""Which block of a run is worth stepping through, and at which of its steps a page opens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.execute import step_focus, steps
from grader.execute.accesses import WarpAccess
from grader.execute.profile import Kernel, LineCounters, Profile
from grader.execute.step_lines import SECTOR, Barrier, Index
from grader.execute.steps import Focus, Recording
from grader.model.finding import Finding


@dataclass(frozen=True)
class Target:
    """The block that is recorded, and what the page is to show there. words: why this block."""

    launch: int
    block: Index
    words: tuple[str, ...] = ()
    finding: Finding | None = None
    line: tuple[str, int] | None = None

    def asked(self) -> str:
        """As CONVLABS_SIM_STEPS asks for it."""
        return f"{self.launch}:{','.join(map(str, self.block))}"


def middle(kernel: Kernel) -> Index:
    x, y, z = kernel.grid
    return x // 2, y // 2, z // 2


def with_errors(findings: Sequence[Finding]) -> list[Finding]:
    """The errors in a block that is known."""
    return [f for f in findings if f.severity == "error" and f.launch >= 0 and len(f.block) == 3]


def at_finding(finding: Finding) -> Target:
    x, y, z = finding.block
    return Target(finding.launch, (x, y, z), finding=finding)


def at_line(
    kernel: Kernel, line: tuple[str, int], samples: list[WarpAccess], words: tuple[str, ...]
) -> Target:
    """The block with the costliest access of a line."""
    same = [s for s in samples if (s.launch, s.file, s.line) == (kernel.launch, *line)]
    worst = max(same, key=lambda s: s.cost - s.ideal(), default=None)
    return Target(kernel.launch, worst.block if worst else middle(kernel), words, line=line)


def waste(line: LineCounters) -> tuple[int, int]:
    """What the accesses of a line cost beyond what they need, in sectors, wavefronts and words; and
    what they need."""
    c = line.counters
    bytes_, requests = c.global_load_bytes + c.global_store_bytes, c.global_load_requests
    moved = max(-(-bytes_ // SECTOR), requests + c.global_store_requests)
    conflicts = c.shared_load_conflicts + c.shared_store_conflicts
    wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts
    extra = max(0, c.global_load_sectors + c.global_store_sectors - moved)
    extra += conflicts + c.constant_words - c.constant_requests
    return extra, moved + wavefronts - conflicts + c.constant_requests


def costliest(seen: Profile, samples: list[WarpAccess]) -> Target:
    """The block with the access that wastes most; where none costs twice what it needs, the middle
    of the first launch."""
    lines = [(waste(line), kernel, line) for kernel in seen.kernels for line in kernel.lines]
    nothing = (0, 0), seen.kernels[0], None
    (extra, needed), kernel, line = max(lines, key=lambda one: one[0][0], default=nothing)
    if line is None or not line.line or extra <= needed:
        return Target(seen.kernels[0].launch, middle(seen.kernels[0]))
    words = f"{line.file}:{line.line} has the largest avoidable cost"
    return at_line(kernel, (line.file, line.line), samples, (words,))


def of_run(seen: Profile, samples: list[WarpAccess]) -> Target | None:
    """What a run shows: its first error, or its costliest line. None: it launched nothing."""
    if errors := with_errors(seen.findings):
        return at_finding(errors[0])
    return costliest(seen, samples) if any(k.lines for k in seen.kernels) else None


def finish(recording: Recording, target: Target) -> None:
    """Sets the step at which the page opens, if that is not known yet, and adds what a page needs.
    The warps of that step stay in a page that has not all."""
    focus, words = recording.focus, list(target.words)
    if finding := target.finding:
        focus = focus or step_focus.at_finding(recording, finding)
        focus = focus or Focus(0, 0, [finding.render()])
    if target.line:
        focus = focus or step_focus.at_line(recording, *target.line, words)
    focus = recording.focus = focus or (Focus(0, 0, words) if words else None)
    shown = (focus.step, focus.other) if focus and recording.steps else ()  # a block may have none
    of_focus = [recording.steps[i] for i in shown if i >= 0]
    first = [step.warp for step in of_focus if not isinstance(step, Barrier)]
    steps.complete(recording, first)
