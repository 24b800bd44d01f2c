"""Grades a lab for the terminal: a line for each check as soon as it is known."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands import compare, options, output
from grader.commands.errors import UsageError
from grader.commands.grade_screen import Screen
from grader.execute.addr2line import shortened
from grader.grading import pipeline
from grader.model import result
from grader.model.lab import Lab, Technique
from grader.model.submission import Submission
from grader.render.terminal import Terminal
from grader.session.plan import Plan, matching, plan_for
from grader.student import exam, grade_log, progress

if TYPE_CHECKING:
    from grader.execute.profile import Profile
    from grader.session.report_data import ReportData
    from grader.session.session import Session


SEARCHED = 12.0  # seconds in which one change is looked for that makes a grade right


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
    corrected: bool = True
    compared: str | None = None


@dataclass
class StepPage:
    """The page that steps through a block of a check: made while the programs are still there."""

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


def grade(request: Request) -> int:
    """Grades, prints, writes what was asked for. Returns the exit status."""
    plan, submission = _planned(request)
    against = (
        compare.other(request.lab, request.compared, plan.backend) if request.compared else None
    )
    screen = _screen(request, plan)
    screen.header(submission)
    output.announce_first_build()
    if plan.backend == "sim":
        output.offer_nvcc()
    report = _report(request, submission)
    to_step = StepPage() if request.stepped else None
    graded = _graded(request, plan, submission, screen, report, to_step)
    _remember(request, submission, graded)  # first: the search may be killed
    screen.predictions(graded)
    if against:
        print(
            compare.text(graded.predictions, against),
            file=sys.stderr if screen.quiet else sys.stdout,
        )
    stream = sys.stderr if screen.quiet else sys.stdout
    if request.profiled:
        print(
            _tables(plan.lab, graded.checks, screen.profiles, output.width_of(stream)), file=stream
        )
    if to_step:
        print(to_step.written(), file=stream)
    if request.corrected and not exam.running():
        graded = _corrected(plan, submission, screen, graded)
    if request.json_file is not None:
        output.write(request.json_file, result.to_json(graded))
    if request.html_file and report:
        _write_page(request.html_file, graded, report, to_step, screen)
    return graded.exit_code


def _planned(request: Request) -> tuple[Plan, Submission]:
    """What to grade, and how. Raises UsageError where the request asks for what there is not."""
    if request.json_file == request.html_file == "-":
        raise UsageError("--json and --html cannot both go to stdout: give one a file")
    submission = options.submission(options.load(request.lab), request.src)
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
    return plan, submission


def _screen(request: Request, plan: Plan) -> Screen:
    return Screen(
        terminal=Terminal(min(output.columns(), 110), request.colour, request.verbose),
        plan=plan,
        again=options.again(plan.lab, request.src),
        quiet="-" in (request.json_file, request.html_file),
        reported=bool(request.html_file),
    )


def _report(request: Request, submission: Submission) -> ReportData | None:
    """Takes what a page shows beyond the grade; None where no page is asked for."""
    if not request.html_file:
        return None
    from grader.session.report_data import ReportData  # it imports NumPy: see pipeline.py

    return ReportData(submission)


def _graded(
    request: Request,
    plan: Plan,
    submission: Submission,
    screen: Screen,
    report: ReportData | None,
    to_step: StepPage | None,
) -> result.Result:
    fresh = request.fresh or request.profiled or report is not None or request.stepped
    try:
        return pipeline.grade(
            plan,
            submission,
            screen.observer(),
            request.verbose,
            keep_notes=progress.is_own(submission) and not fresh,
            report=report,
            cores=len(os.sched_getaffinity(0)),
            afterwards=to_step.record if to_step else None,
        )
    finally:
        screen.status.clear()


def _corrected(
    plan: Plan, submission: Submission, screen: Screen, graded: result.Result
) -> result.Result:
    """The grade, with the changes that would make it right, printed as its last lines: what is
    wrong is on the screen before they are looked for. Ctrl-C ends the search, not more."""
    from grader.grading import corrections  # it imports NumPy: see pipeline.py

    if not any(map(corrections.is_wrong, graded.checks)):
        return graded
    screen.status.show("looking for one change that makes it right; Ctrl-C ends the search")
    try:
        graded = corrections.explained(plan, submission, graded, SEARCHED)
    except KeyboardInterrupt:
        pass
    finally:
        screen.status.clear()
    screen.corrections(graded)
    return graded


def _remember(request: Request, submission: Submission, graded: result.Result) -> None:
    """Adds the grade of a student's own file to what ./grade log and ./grade list know."""
    if not progress.is_own(submission):
        return
    if problem := grade_log.append(submission, graded, request.why):
        print(f"grade: {problem}; ./grade log will not include this grade", file=sys.stderr)
    if graded.selected is None and (problem := progress.keep(submission, graded)):
        print(f"grade: {problem}; ./grade list will not include this grade", file=sys.stderr)


def _write_page(
    file: str,
    graded: result.Result,
    report: ReportData,
    to_step: StepPage | None,
    screen: Screen,
) -> None:
    from grader.render import html  # its libraries take a tenth of a second to load

    commands = {c.id: text for c in graded.checks if (text := screen.step_command(c))}
    opened = (to_step.check, to_step.file) if to_step else ("", None)
    page = html.page(graded, report, True, html.Steps(commands, *opened), screen.again)
    output.write(file, page.encode(errors="replace"))
    if not screen.quiet:
        print(f"  pictures: {file}")


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
        blocks.insert(0, "no counters: no technique check ran on a correct result")
    return "".join(f"\n{block}\n" for block in blocks).rstrip("\n")
