"""Programs that the tests step through: stepped.cu, built and run once; and those whose steps are
compared with what --profile counts: each solution that has kernels, and known submissions."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from grader import paths
from grader.compile import make
from grader.execute import program, step_lines, step_target, steps
from grader.execute.instrumented import Runner
from grader.execute.profile import Kernel, profile, read_launches
from grader.execute.program import Program, ToStep
from grader.execute.step_lines import Index
from grader.execute.step_target import Target
from grader.execute.steps import Recording
from grader.model import spec
from grader.model import submission as submissions
from grader.model.counters import Counters
from grader.model.lab import Input
from grader.tests.known_submissions import entries as known_submissions

FILE = Path(__file__).with_name("stepped.cu")
EVERYTHING, RACE, APART, OUTSIDE = LAUNCHES = range(4)
WITH_KERNELS = ["lab2", "lab3", "lab4", "lab5", "lab6", "lab7", "lab8"]  # lab 1 has none
KNOWN_SUBMISSIONS = [
    *("lab2/poor-lanes-down-a-column", "lab2/right-columns-of-warps", "lab2/right-grid-stride"),
    *("lab2/right-structs-and-lambdas", "lab3/poor-serialised-bank", "lab3/right-double-templates"),
    *("lab3/right-warps-in-z", "lab3/right-wide-constants", "lab4/poor-transposed-tile"),
    *("lab4/right-ring-of-rows", "lab4/right-two-by-two", "lab5/cheat-texture-instead-of-tile"),
    *("lab5/poor-grid-by-threads", "lab5/right-dynamic-columns-first"),
    *("lab5/right-shuffles-and-window", "lab6/poor-baseline", "lab6/poor-misaligned"),
    *("lab6/right-swizzled", "lab7/poor-global-memory", "lab7/right-one-kernel-dynamic"),
]
SMALL = {"lab4/right-two-by-two": (17, 9)}  # more of it is not recorded


@cache
def run() -> tuple[Program, ToStep]:
    """stepped.cu, and what it shows in a first run."""
    built = program.build([str(FILE)], True)
    done, shown = program.execute_to_step(built, [], 60)
    assert done.status == 0
    return built, shown


def target(launch: int) -> Target:
    """Of the first error in a launch of it; without one, of the costliest line."""
    seen, warps = run()[1].profile, run()[1].warps
    found = [f for f in step_target.with_errors(seen.findings) if f.launch == launch]
    return step_target.at_finding(found[0]) if found else step_target.costliest(seen, warps)


@cache
def raw(launch: int) -> Recording:
    found = program.record_block(run()[0], [], 60, target(launch).asked())
    assert found
    return found


def recording(launch: int) -> Recording:
    """As a page has it."""
    made = copy.deepcopy(raw(launch))
    made.sources = dict.fromkeys(made.files(), FILE.read_text().splitlines())
    step_target.finish(made, target(launch))
    return made


def line_of(text: str) -> int:
    """The number of the line of stepped.cu that holds the text."""
    return next(i for i, line in enumerate(FILE.read_text().splitlines(), 1) if text in line)


# ---- whole labs


@dataclass(frozen=True)
class Profiled:
    """A small run of a part's kernels, as --profile counts it."""

    runner: Runner
    check: Input
    kernels: list[Kernel]

    def blocks(self) -> dict[tuple[int, Index], Counters]:
        """What each block of a launch counts, in a run that records all of them."""
        made: dict[tuple[int, Index], list[steps.Step]] = {}
        for line in step_lines.lines(self.runner.recorded(self.check, "all").outcome.steps):
            assert not isinstance(line, step_lines.LeftOut)
            if isinstance(line, step_lines.Block):  # which may go on after others
                block = made.setdefault((line.launch, line.index), [])
            elif isinstance(line, step_lines.Access):
                block.append(line)
        return {which: steps.counted(done) for which, done in made.items()}

    def recording(self, launch: int, block: Index) -> Recording:
        asked = Target(launch, block).asked()
        raw = self.runner.recorded(self.check, asked).outcome.steps
        found = steps.read(raw, self.runner.binary)
        assert found and not found.cut
        return found


def profiled(which: str, work: Path) -> Iterator[Profiled]:
    """One run for each part of a lab that has kernels and technique checks."""
    lab = spec.load(which.split("/")[0])
    source = (
        known_submissions.write(known_submissions.find(which)) if "/" in which else paths.SOLUTIONS
    )
    submission = submissions.find(lab, str(source))
    made = make.build(make.BuildRequest(submission, "sim", "checked"))
    assert made.binary, made.errors
    runner = Runner(submission, made.binary, "sim", work)
    with_kernels = [t for t in lab.technique if lab.file_of(t).endswith(".cu")]
    for technique in {t.part: t for t in with_kernels}.values():
        size, channels = SMALL.get(which, (34, 13)), min(technique.channels, 2)
        check = msgspec.structs.replace(technique.at_public_size(), size=size, channels=channels)
        run = runner.forwards(check)
        launches = read_launches(run.outcome.profile)
        assert run.right and launches
        yield Profiled(runner, check, profile(runner.binary, launches, []).kernels)
