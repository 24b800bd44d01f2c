"""Grades a lab for the terminal: a line for each check as soon as it is known."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from grader.commands import options, output
from grader.commands.errors import UsageError
from grader.execute.profile import Profile
from grader.grading import pipeline
from grader.grading.evidence import Evidence
from grader.model import result, spec
from grader.model.submission import Submission
from grader.render import profile as render_profile
from grader.render.terminal import Terminal
from grader.student import progress


@dataclass(frozen=True)
class Request:
    """What was asked on the command line. `colour` is decided already."""

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


class Progress:
    """What is happening now, on stderr: one line that is wiped, on a terminal that can."""

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
    lab = options.load(request.lab)
    _refuse_what_cannot_be(lab, request)
    submission = options.submission(lab, request.src)
    backend = options.backend(lab, request.backend)
    quiet = "-" in (request.json_file, request.html_file)
    width = min(output.columns(), 110)
    terminal = Terminal(width, request.colour, request.verbose)
    live = Progress()
    hints = {part.id: len(part.hints) for part in lab.part}

    def checked(check: result.Check) -> None:
        live.clear()
        text = terminal.check(check, lab.id, hints.get(check.part or "", 0))
        if text and not quiet:
            print(text, flush=True)

    if not quiet:
        files = [f"{submission.shown}/{name}" for name in lab.submit]
        print(terminal.header(lab.id, lab.title, files, backend), flush=True)
    output.announce_first_build()
    profiles: list[tuple[spec.Technique, Profile]] = []
    observer = pipeline.Observer(live.show, checked, lambda *seen: profiles.append(seen))
    evidence = Evidence(submission) if request.html_file else None
    fresh = request.fresh or request.profiled or evidence is not None
    try:
        graded = pipeline.grade(
            submission,
            backend,
            observer,
            request.pattern,
            request.verbose,
            request.timed,
            remember=progress.is_own(submission) and not fresh,
            evidence=evidence,
        )
    finally:
        live.clear()
    if not quiet:
        print(terminal.footer(graded, request.html_file), flush=True)
    if request.profiled:
        print(_tables(profiles), file=sys.stderr if quiet else sys.stdout)
    _keep(request, submission, graded)
    if request.html_file and evidence:
        from grader.render import html  # its libraries take a tenth of a second to load

        output.write(request.html_file, html.page(graded, evidence).encode(errors="replace"))
    return graded.exit_code


def _keep(request: Request, submission: Submission, graded: result.Result) -> None:
    """Notes the grade for `./grade list`, and writes it where --json says."""
    noted = graded.selected is None and progress.is_own(submission)
    if noted and (why := progress.keep(submission, graded)):
        print(f"grade: {why}; ./grade list will not know of this grade", file=sys.stderr)
    if request.json_file is not None:
        output.write(request.json_file, result.to_json(graded))


def _refuse_what_cannot_be(lab: spec.Lab, request: Request) -> None:
    if request.json_file == request.html_file == "-":
        raise UsageError("--json and --html cannot both go to stdout: give one a file")
    if request.profiled and not lab.technique:
        raise UsageError(f"{lab.id} counts nothing: it has no technique checks")
    if request.pattern is not None and not pipeline.matching(lab, request.pattern):
        names = "\n  ".join(f"{c.part}  {c.name}" for c in lab.shown_checks())
        raise UsageError(f"no check of {lab.id} matches '{request.pattern}'; they are\n  {names}")


def _tables(profiles: list[tuple[spec.Technique, Profile]]) -> str:
    """The counters of every traced case once, under the names of the checks that used them."""
    cases: dict[str, tuple[list[str], Profile]] = {}
    for technique, profile in profiles:
        heading = f"{technique.part}  {technique.name}"
        cases.setdefault(technique.signature(), ([], profile))[0].append(heading)
    if not cases:
        return "\nno counters: no technique check ran on a right result"
    tables = ["\n".join(["", *names, render_profile.tables(p)]) for names, p in cases.values()]
    return "\n".join([*tables, "", render_profile.LEGEND])
