"""What the terminal shows of a grade while it is made."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.commands import errors, output
from grader.model import variant
from grader.model.lab import Technique
from grader.model.result import Check, Result
from grader.model.submission import Submission
from grader.render.terminal import Terminal
from grader.session.observer import Observer
from grader.session.plan import Plan
from grader.student import exam

if TYPE_CHECKING:
    from grader.execute.profile import Profile


class StatusLine:
    """What is happening now: one line on stderr that is overwritten, on a terminal that can."""

    def __init__(self) -> None:
        self.live = output.understands_escapes(sys.stderr)

    def show(self, what: str) -> None:
        if self.live:
            print(f"\r\x1b[K  ...   {what}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@dataclass
class Screen:
    """Prints a line for each check as soon as it is known.

    again: the command that grades the same file. quiet: stdout takes a document instead. reported:
    an HTML report follows. profiles: what the technique checks have read so far.
    """

    terminal: Terminal
    plan: Plan
    again: str
    quiet: bool
    reported: bool
    status: StatusLine = field(default_factory=StatusLine)
    profiles: list[tuple[Technique, Profile]] = field(default_factory=list)

    def observer(self) -> Observer:
        """Tells the screen what happens."""
        return Observer(
            starting=self.status.show,
            checked=self._checked,
            profiled=self._profiled,
            scored=self._scored,
            failing=self._failing,
        )

    def header(self, submission: Submission) -> None:
        lab = self.plan.lab
        files = [submission.path(name) for name in lab.submit]
        self._print(self.terminal.header(lab.id, lab.title, files, self.plan.backend))
        if lab.variant:
            self._print(f"      your variant: {variant.in_words(lab.variant)}")

    def predictions(self, graded: Result) -> None:
        self._print(self.terminal.predictions(graded))

    def corrections(self, graded: Result) -> None:
        self._print(self.terminal.corrections(graded))

    def step_command(self, check: Check) -> str:
        """The command that steps through a check; "" where it did not fail."""
        if check.verdict != "fail":
            return ""
        from grader.grading import stepping  # it imports NumPy: see pipeline.py

        return stepping.command(self.plan.lab, check, self.plan.backend, self.again)

    def _checked(self, check: Check) -> None:
        lab = self.plan.lab
        hints = next((len(part.hints) for part in lab.part if part.id == check.part), 0)
        hints = 0 if exam.running() else hints
        self._print(self.terminal.check(check, lab.id, hints, self.step_command(check)))

    def _failing(self, check: Check) -> None:
        self._print(self.terminal.failing(check))

    def _profiled(self, technique: Technique, profile: Profile) -> None:
        self.profiles.append((technique, profile))

    def _scored(self, graded: Result) -> None:
        self._print(self.terminal.score(graded, self.again, self.reported))

    def _print(self, text: str) -> None:
        self.status.clear()
        if text and not self.quiet:
            try:
                print(text, flush=True)
            except BrokenPipeError:  # ./grade lab3 | head: the grade goes on, for ./grade log
                errors.forget_stdout()
