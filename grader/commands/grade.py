"""Grades a lab for the terminal: a line for each check as soon as it is known."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands import options, output
from grader.commands.errors import UsageError
from grader.execute.addr2line import shortened
from grader.grading import pipeline
from grader.model import result, variant
from grader.model.lab import Lab, Technique
from grader.render.terminal import Terminal
from grader.session.observer import Observer
from grader.session.plan import matching, plan_for
from grader.student import grade_log, progress

if TYPE_CHECKING:
    from grader.execute.profile import Profile
    from grader.session.session import Session


@dataclass(frozen=True)
class Request:
    """What the command line asks for. colour: whether to use it, decided already."""

    lab: str
    src: str
    backend: str
    pattern: str | None
    json_file: str | None
    html_file: str | None
    colour: bool
    verbose: bool
    timed: bool
    profiled: bool
    fresh: bool
    stepped: bool
    why: str = ""


@dataclass
class StepPage:
    """The page that steps through a block of a check: made while the programs are still there."""

    lab: str
    check: str = ""  # its id
    file: Path | None = None
    why_not: str = ""

    def record(self, session: Session) -> None:
        from grader.grading import stepping
        from grader.render import step_page

        session.observer.starting("recording a block")
        try:
            check, recording = stepping.stepped(session)
        except stepping.NotSteppedError as problem:
            self.why_not = str(problem)
            return
        self.check = check.id
        self.file = output.step_file(check.id, step_page.page(recording))

    def written(self) -> str:
        """What to say of it."""
        if self.file is None:
            return f"  no page to step through: {self.why_not}"
        return f"  step through it: {shortened(str(self.file))}"


class Progress:
    """What is happening now: one line on stderr that is overwritten, on a terminal that can."""

    def __init__(self) -> None:
        self.live = output.understands_escapes(sys.stderr)

    def show(self, what: str) -> None:
        if self.live:
            print(f"\r\x1b[K  ...   {what}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def grade(request: Request) -> int:
    """Grades, prints, writes what was asked for. Returns the exit status."""
    if request.json_file == request.html_file == "-":
        raise UsageError("--json and --html cannot both go to stdout: give one a file")
    lab = options.load(request.lab)
    submission = options.submission(lab, request.src)
    lab = submission.lab
    backend = options.backend(lab, request.backend)
    plan = plan_for(lab, backend, request.pattern, request.timed)
    if request.profiled and not lab.technique:
        raise UsageError(f"{lab.id} counts nothing: it has no technique checks")
    if request.pattern is not None and not matching(lab, request.pattern):
        names = "\n  ".join(f"{c.part}  {c.name}" for c in lab.shown_checks())
        raise UsageError(
            f"no check of {lab.id} matches '{request.pattern}'; its checks are\n  {names}"
        )
    quiet = "-" in (request.json_file, request.html_file)
    terminal = Terminal(min(output.columns(), 110), request.colour, request.verbose)
    live = Progress()
    hints = {part.id: len(part.hints) for part in lab.part}
    profiles: list[tuple[Technique, Profile]] = []
    again = options.again(lab, request.src)

    def command(check: result.Check) -> str:
        if check.verdict != "fail":
            return ""
        from grader.grading import stepping  # it imports NumPy: see pipeline.py

        return stepping.command(lab, check, plan.backend, again)

    def checked(check: result.Check) -> None:
        live.clear()
        text = terminal.check(check, lab.id, hints.get(check.part or "", 0), command(check))
        if text and not quiet:
            print(text, flush=True)

    def failing(check: result.Check) -> None:
        live.clear()
        if not quiet and (text := terminal.failing(check)):
            print(text, flush=True)

    is_scored = False

    def scored(graded: result.Result) -> None:
        nonlocal is_scored
        live.clear()
        if not quiet and not is_scored:
            print(terminal.score(graded, again, bool(request.html_file)), flush=True)
        is_scored = True

    if not quiet:
        files = [submission.path(name) for name in lab.submit]
        print(terminal.header(lab.id, lab.title, files, plan.backend), flush=True)
        if lab.variant:
            print(f"      your variant: {variant.in_words(lab.variant)}", flush=True)
    output.announce_first_build()
    report = None
    if request.html_file:
        from grader.session.report_data import ReportData  # it imports NumPy: see pipeline.py

        report = ReportData(submission)
    fresh = request.fresh or request.profiled or report is not None or request.stepped
    to_step = StepPage(lab.id) if request.stepped else None
    try:
        graded = pipeline.grade(
            plan,
            submission,
            Observer(
                live.show,
                checked,
                lambda *profile: profiles.append(profile),
                scored,
                failing=failing,
            ),
            request.verbose,
            keep_notes=progress.is_own(submission) and not fresh,
            report=report,
            cores=len(os.sched_getaffinity(0)),
            afterwards=to_step.record if to_step else None,
        )
    finally:
        live.clear()
    scored(graded)
    if not quiet and (predictions := terminal.predictions(graded)):
        print(predictions, flush=True)
    if request.profiled:
        stream = sys.stderr if quiet else sys.stdout
        tables = _tables(lab, graded.checks, profiles, output.width_of(stream))
        print(tables, file=stream)
    if to_step:
        print(to_step.written(), file=sys.stderr if quiet else sys.stdout)
    own = progress.is_own(submission)
    if own and (problem := grade_log.append(submission, graded, request.why)):
        print(f"grade: {problem}; ./grade log will not know of this grade", file=sys.stderr)
    recorded = graded.selected is None and own
    if recorded and (why := progress.keep(submission, graded)):
        print(f"grade: {why}; ./grade list will not know of this grade", file=sys.stderr)
    if request.json_file is not None:
        output.write(request.json_file, result.to_json(graded))
    if request.html_file and report:
        from grader.render import html  # its libraries take a tenth of a second to load

        commands = {check.id: text for check in graded.checks if (text := command(check))}
        opened = (to_step.check, to_step.file) if to_step else ("", None)
        page = html.page(graded, report, True, html.Steps(commands, *opened), again)
        output.write(request.html_file, page.encode(errors="replace"))
        if not quiet:
            print(f"  pictures: {request.html_file}")
    return graded.exit_code


def _tables(
    lab: Lab,
    checks: list[result.Check],
    profiles: list[tuple[Technique, Profile]],
    width: int | None,
) -> str:
    """The technique checks, each with its counter and limit, above the table of the input that they
    count; each input once. Those that counted nothing come last. width: of the terminal, if it is
    one."""
    techniques = {lab.id_of(technique): technique for technique in lab.technique}
    from grader.render import profile as render_profile
    from grader.render import technique_counters

    lines = {
        check.id: technique_counters.line(techniques[check.id], check, width)
        for check in checks
        if check.kind == "technique"
    }
    cases: dict[str, tuple[list[str], Profile]] = {}
    for technique, profile in profiles:
        line = lines.pop(lab.id_of(technique))
        cases.setdefault(technique.signature(), ([], profile))[0].append(line)
    blocks = ["\n".join([*above, render_profile.tables(p, width)]) for above, p in cases.values()]
    blocks += ["\n".join(lines.values())] if lines else []
    if cases:
        blocks.append(render_profile.legend(width))
    else:
        blocks.insert(0, "no counters: no technique check ran on a right result")
    return "".join(f"\n{block}\n" for block in blocks).rstrip("\n")
