"""stepped.cu, built and run once, with the recordings of its blocks."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from grader.execute import program, step_target
from grader.execute.program import Program, ToStep
from grader.execute.step_target import Target
from grader.execute.steps import Recording
from grader.render import step_page

FILE = Path(__file__).with_name("stepped.cu")
EVERYTHING, RACE, APART, OUTSIDE = range(4)  # launches


@dataclass(frozen=True, eq=False)
class Stepped:
    """What the program shows in a first run, and what it records in others."""

    built: Program
    shown: ToStep

    def target(self, launch: int) -> Target:
        """Of the first error in a launch; without one, of its line with bank conflicts."""
        errors = step_target.with_errors(self.shown.profile.findings)
        if found := [f for f in errors if f.launch == launch]:
            return step_target.at_finding(found[0])
        kernel = self.shown.profile.kernels[launch]
        line = max(kernel.lines, key=lambda line: line.counters.shared_store_conflicts)
        return step_target.at_line(kernel, (line.file, line.line), self.shown.warps, ("conflicts",))

    @cache  # noqa: B019
    def raw(self, launch: int) -> Recording:
        found = program.record_block(self.built, [], 60, self.target(launch).asked())
        assert found
        return found

    def recording(self, launch: int) -> Recording:
        """As a page has it."""
        recording = msgspec.convert(msgspec.to_builtins(self.raw(launch)), Recording)
        recording.sources = dict.fromkeys(recording.files(), FILE.read_text().splitlines())
        step_target.finish(recording, self.target(launch))
        return recording

    def page(self, launch: int) -> str:
        return step_page.page(self.recording(launch))


@cache
def stepped() -> Stepped:
    built = program.build([str(FILE)], True)
    done, shown = program.execute_to_step(built, [], 60)
    assert done.status == 0
    return Stepped(built, shown)


def line_of(text: str) -> int:
    """The number of the line that holds the text."""
    return next(i for i, line in enumerate(FILE.read_text().splitlines(), 1) if text in line)
