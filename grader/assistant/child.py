"""Carries out one call in a process of its own: `python -m grader.assistant.child TOOL ARGUMENTS`.

The sandbox's launcher must be alone in its process, and a call that takes too long is killed. What
the process has to say goes to stdout as messages; what the grader prints goes to stderr.
"""

import os
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from grader import exit_codes, paths
from grader.assistant import own, tools
from grader.assistant.messages import Counted, Graded, Message, Stepped
from grader.commands import options, output
from grader.commands.errors import CommandError, reported
from grader.compile import make
from grader.compile.make_process import BuildError
from grader.execute.backend import BackendError
from grader.execute.profile import Profile
from grader.execute.steps import Recording
from grader.grading import pipeline
from grader.model import outline, plain_text
from grader.model.lab import Technique
from grader.model.result import Check, Result
from grader.model.submission import Submission
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.session.session import Session
from grader.student import grade_log, progress


@dataclass
class Call:
    """A call under way. say: takes its messages."""

    say: Callable[[Message], None]
    profiles: list[tuple[Technique, Profile]] = field(default_factory=list)

    def carry_out(self, request: tools.Request) -> None:
        """Raises CommandError, and the exceptions of the course's faults."""
        submission = own.submission(request.lab)
        if not make.runtime_is_built():
            self._under_way("building the simulator and the runner, once")
        if isinstance(request, tools.Grade):
            self._grade(submission, request)
        elif isinstance(request, tools.Step):
            self._step(submission, request)
        elif isinstance(request, tools.Ask):
            self._ask(submission, request)

    def _grade(self, submission: Submission, asked: tools.Grade) -> None:
        lab = submission.lab
        pattern = own.part(lab, asked.part) if asked.part else None
        graded = self._graded(submission, pattern, asked.speed)
        problem = grade_log.append(submission, graded, by="assistant")
        if not (problem or pattern or paths.hidden_cases(lab.folder).exists()):
            problem = progress.keep(submission, graded)
        if problem:
            raise CommandError(problem, exit_codes.FAULT)
        own_files = {*map(submission.path, submission.contents)}
        counted = [
            Counted(check.name, kernel.name, kernel.launch, at.file, at.line, at.counters)
            for check, profile in self.profiles
            for kernel in profile.kernels
            for at in kernel.lines
            if at.line and at.file in own_files
        ]
        self.say(Message(graded=Graded(graded, counted)))

    def _step(self, submission: Submission, asked: tools.Step) -> None:
        from grader.grading import stepping  # it imports NumPy: see pipeline.py
        from grader.render import step_page

        check = own.check(submission.lab, asked.check)
        found: list[tuple[Check, Recording] | str] = []

        def record(session: Session) -> None:
            self._under_way("recording a block")
            try:
                found.append(stepping.stepped(session))
            except stepping.NotSteppedError as problem:
                found.append(str(problem))

        full = f"{check.part} {check.name}"  # the name alone may be the end of another one
        self._graded(submission, full, timed=False, afterwards=record)
        outcome = found[0] if found else "nothing ran"
        if isinstance(outcome, str):
            raise CommandError(f"no page to step through: {outcome}", exit_codes.LESS)
        line, recording = outcome
        file = output.step_file(line.id, step_page.page(recording))
        page, head = str(file.relative_to(paths.ROOT)), recording.head
        opens = opens_at(recording)
        self.say(Message(stepped=Stepped(line.title(), page, head.kernel, f"{head.index}", opens)))

    def _ask(self, submission: Submission, asked: tools.Ask) -> None:
        from grader.ask.program import NoQuestionsError
        from grader.ask.quiz import quiz

        part = own.part(submission.lab, asked.part)
        self._under_way("building the program, and asking it")
        try:
            with quiz(submission, part, secrets.token_hex(8)) as part_quiz:
                question = next(part_quiz.questions(), None)
        except NoQuestionsError as reason:
            raise CommandError(f"{reason}", exit_codes.LESS) from reason
        if question is None:
            raise CommandError(f"nothing can be asked about part {part}", exit_codes.LESS)
        self.say(Message(asked=question))

    def _graded(
        self,
        submission: Submission,
        pattern: str | None,
        timed: bool,
        afterwards: Callable[[Session], None] | None = None,
    ) -> Result:
        backend = options.backend(submission.lab, "auto")
        return pipeline.grade(
            plan_for(submission.lab, backend, pattern, timed),
            submission,
            Observer(
                starting=self._under_way,
                checked=lambda check: self._under_way(f"{check.verdict}: {check.title()}"),
                profiled=lambda check, profile: self.profiles.append((check, profile)),
            ),
            cores=len(os.sched_getaffinity(0)),
            afterwards=afterwards,
        )

    def _under_way(self, what: str) -> None:
        self.say(Message(progress=plain_text.line(what, 120)))


def opens_at(recording: Recording) -> list[str]:
    """What a page to step through shows first, in words: why, and what a wrong pixel lacks."""
    words = list(recording.focus.words) if recording.focus else []
    taps = recording.pixel.taps if recording.pixel else []
    missing = [f"({tap.dx}, {tap.dy})" for tap in taps if tap.wanted and tap.step < 0]
    others = [f"({tap.dx}, {tap.dy})" for tap in taps if not tap.wanted]
    if missing:
        words.append(f"pixels, relative to it, that no load brought: {plain_text.few(missing, 8)}")
    if others:
        words.append(f"pixels, relative to it, loaded without need: {plain_text.few(others, 8)}")
    return words


def main(name: str, arguments: str) -> int | None:
    """Returns the exit status."""
    messages = os.dup(1)
    os.dup2(2, 1)  # what prints would otherwise speak for this process
    with os.fdopen(messages, "wb") as stream:

        def say(message: Message) -> None:
            stream.write(msgspec.json.encode(message) + b"\n")
            stream.flush()

        def run() -> None:
            try:
                Call(say).carry_out(tools.request(name, msgspec.json.decode(arguments)))
            except (outline.SpecError, BackendError, BuildError) as fault:
                log = getattr(fault, "log", "")
                raise CommandError(f"{fault}\n{log}".strip(), exit_codes.FAULT) from fault

        return reported(run)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
