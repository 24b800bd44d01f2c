"""stepped.cu, built and run once, with the recordings of its blocks."""

import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.execute import program, step_target
from grader.execute.program import Program, ToStep
from grader.execute.step_target import Target
from grader.execute.steps import Recording

FILE = Path(__file__).with_name("stepped.cu")
EVERYTHING, RACE, APART, OUTSIDE = range(4)  # launches


@dataclass(frozen=True, eq=False)
class Stepped:
    """What the program shows in a first run, and what it records in others."""

    built: Program
    shown: ToStep

    def target(self, launch: int) -> Target:
        """Of the first error in a launch; without one, of the costliest line."""
        seen, warps = self.shown.profile, self.shown.warps
        found = [f for f in step_target.with_errors(seen.findings) if f.launch == launch]
        return step_target.at_finding(found[0]) if found else step_target.costliest(seen, warps)

    @cache  # noqa: B019
    def raw(self, launch: int) -> Recording:
        found = program.record_block(self.built, [], 60, self.target(launch).asked())
        assert found
        return found

    def recording(self, launch: int) -> Recording:
        """As a page has it."""
        recording = copy.deepcopy(self.raw(launch))
        recording.sources = dict.fromkeys(recording.files(), FILE.read_text().splitlines())
        step_target.finish(recording, self.target(launch))
        return recording


@cache
def stepped() -> Stepped:
    built = program.build([str(FILE)], True)
    done, shown = program.execute_to_step(built, [], 60)
    assert done.status == 0
    return Stepped(built, shown)


def line_of(text: str) -> int:
    """The number of the line that holds the text."""
    return next(i for i, line in enumerate(FILE.read_text().splitlines(), 1) if text in line)
