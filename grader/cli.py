"""The command line: ./grade labN, build, hint, doctor.

A command per lab is made from the specs in labs/, so a new lab needs nothing here.
"""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from grader import backend as backends
from grader import bootstrap, doctor, nvcc, paths, pipeline, program, result, score, spec
from grader import build as builder
from grader.profile import Profile
from grader.render import profile as render_profile
from grader.render.terminal import Terminal


class BackendName(StrEnum):
    auto = "auto"
    cpu = "cpu"
    sim = "sim"
    gpu = "gpu"


class Colour(StrEnum):
    auto = "auto"
    always = "always"
    never = "never"


Src = Annotated[
    str,
    typer.Option("--src", metavar="PATH", help="A folder with the lab's files, or with labN_*."),
]
BackendOption = Annotated[BackendName, typer.Option(help="auto takes a GPU where one answers.")]
ColourOption = Annotated[Colour, typer.Option("--color", help="auto: on a terminal only.")]

app = typer.Typer(
    help="Grade a lab, and find out why. Start with: make lab1 && ./grade lab1",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 full marks of what was measured, 1 less, 2 usage, "
    "3 the grader or the machine is at fault, 130 interrupted.",
)


class UsageError(Exception):
    """A call that cannot be taken; the message says what to call instead."""


def _load(lab_id: str) -> spec.Lab:
    if lab_id not in spec.available():
        raise UsageError(f"there is no {lab_id}; the labs are {', '.join(spec.available())}")
    return spec.load(lab_id)


def _submission(lab: spec.Lab, src: str) -> builder.Submission:
    try:
        return builder.find(lab, src)
    except builder.SourceError as problem:
        raise UsageError(str(problem)) from problem


def _backend(lab: spec.Lab, wanted: str) -> backends.Backend:
    try:
        return backends.choose(lab, wanted)
    except backends.BackendError as problem:
        if problem.usage:
            raise UsageError(str(problem)) from problem
        raise


def _coloured(choice: Colour) -> bool:
    if choice is Colour.auto:
        return sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return choice is Colour.always


class Progress:
    """What is happening now, on stderr: one line that is wiped, on a terminal only."""

    def __init__(self) -> None:
        self.live = sys.stderr.isatty()

    def show(self, what: str) -> None:
        if self.live:
            print(f"\r\x1b[K  ...   {what}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _announce_first_build() -> None:
    if not builder.runtime_is_built():
        print("building the simulator and the runner (once, about 15 s)", file=sys.stderr)


def _grade(
    lab_id: str,
    src: str,
    wanted: str,
    pattern: str | None,
    json_file: str | None,
    colour: bool,
    verbose: bool,
    timed: bool,
    profiled: bool,
) -> int:
    lab = _load(lab_id)
    if profiled and not lab.technique:
        raise UsageError(f"{lab_id} counts nothing: it has no technique checks")
    if pattern is not None and not pipeline.matching(lab, pattern):
        shown = [c for c in lab.checks() if not (isinstance(c, spec.Case) and c.hidden)]
        names = "\n  ".join(f"{c.part}  {c.name}" for c in shown)
        raise UsageError(f"no check of {lab_id} matches '{pattern}'; they are\n  {names}")
    submission = _submission(lab, src)
    backend = _backend(lab, wanted)
    quiet = json_file == "-"
    width = min(shutil.get_terminal_size((100, 24)).columns, 110)
    terminal = Terminal(width, colour, verbose)
    progress = Progress()
    hints = {part.id: len(part.hints) for part in lab.part}

    def checked(check: result.Check) -> None:
        progress.clear()
        if not quiet:
            print(terminal.check(check, lab.id, hints.get(check.part or "", 0)), flush=True)

    if not quiet:
        files = [f"{submission.shown}/{name}" for name in lab.submit]
        print(terminal.header(lab.id, lab.title, files, backend), flush=True)
    _announce_first_build()
    profiles: list[tuple[spec.Technique, Profile]] = []
    observer = pipeline.Observer(progress.show, checked, lambda *seen: profiles.append(seen))
    try:
        graded = pipeline.grade(submission, backend, observer, pattern, verbose, timed)
    finally:
        progress.clear()
    if not quiet:
        print(terminal.footer(graded), flush=True)
    if profiled:
        print(_tables(profiles), file=sys.stderr if quiet else sys.stdout)
    if json_file is not None:
        _write_json(json_file, result.to_json(graded))
    return graded.exit_code


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


def _write_json(target: str, data: bytes) -> None:
    """Whole or not at all: a reader never sees half a file."""
    if target == "-":
        sys.stdout.buffer.write(data)
        return
    path = Path(target)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as problem:
        part.unlink(missing_ok=True)
        raise UsageError(f"{target} cannot be written: {problem.strerror}") from problem


def _lab_command(lab_id: str) -> Callable[..., None]:
    def command(
        src: Src = "starter",
        backend: BackendOption = BackendName.auto,
        pattern: Annotated[
            str | None,
            typer.Option("-k", metavar="PATTERN", help="Only the checks whose name has this text."),
        ] = None,
        json_file: Annotated[
            str | None,
            typer.Option("--json", metavar="FILE", help="Write convlabs-grade/v1; - for stdout."),
        ] = None,
        colour: ColourOption = Colour.auto,
        verbose: Annotated[
            bool, typer.Option("-v", "--verbose", help="Times, every message, the build commands.")
        ] = False,
        timed: Annotated[
            bool, typer.Option("--speed/--no-speed", help="Time what is right; some seconds more.")
        ] = True,
        profiled: Annotated[
            bool,
            typer.Option("--profile", help="The counters of the technique checks, line by line."),
        ] = False,
    ) -> None:
        code = _grade(
            lab_id,
            src,
            backend.value,
            pattern,
            json_file,
            _coloured(colour),
            verbose,
            timed,
            profiled,
        )
        raise typer.Exit(code)

    return command


@app.command()
def build(
    lab: str,
    src: Src = "starter",
    backend: BackendOption = BackendName.auto,
    unit_tests: Annotated[
        bool, typer.Option(help="Build the lab's unit tests and run them.")
    ] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show the commands.")] = False,
) -> None:
    """Build your file of a lab; `make labN` calls this."""
    loaded = _load(lab)
    submission = _submission(loaded, src)
    chosen = _backend(loaded, backend.value)
    if submission.problems:
        raise UsageError("; ".join(submission.problems))
    _announce_first_build()
    asked = chosen == "sim" and not unit_tests and nvcc.here()
    made = builder.build(submission, chosen, verbose, "unit" if unit_tests else "run", nvcc=asked)
    for warning in made.warnings:
        print(f"warning: {warning.render()}", file=sys.stderr)
    if made.binary is None:
        print("\n".join(made.errors), file=sys.stderr)
        raise typer.Exit(score.LESS)
    if unit_tests:
        environment = os.environ | ({"CK_FORK": "no"} if chosen == "gpu" else {})
        os.execve(made.binary, [str(made.binary)], environment)
    print(f"{lab}: {submission.shown} builds for {chosen}; now ./grade {lab}")
    if made.nvcc and (told := nvcc.check(submission, made.nvcc)).message:
        print("\n".join(told.message), file=sys.stderr)
        raise typer.Exit(score.LESS if told.verdict == "fail" else score.FULL_MARKS)


@app.command()
def hint(
    lab: str,
    part: Annotated[str, typer.Argument(help="A, B, ...")] = "A",
    number: Annotated[int, typer.Argument(min=1, help="1 is the gentlest.")] = 1,
) -> None:
    """A hint for a part of a lab: first a question, last nearly the code."""
    loaded = _load(lab)
    parts = {p.id: p for p in loaded.part}
    if part.upper() not in parts:
        raise UsageError(f"{lab} has no part {part}; it has {', '.join(parts)}")
    hints = parts[part.upper()].hints
    if number > len(hints):
        raise UsageError(f"part {part.upper()} of {lab} has {len(hints)} hints")
    print(f"{lab} {part.upper()}, {parts[part.upper()].title}: hint {number} of {len(hints)}\n")
    print(hints[number - 1].strip())
    if number < len(hints):
        print(f"\nnext: ./grade hint {lab} {part.upper()} {number + 1}")


@app.command()
def run(
    context: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=".cu, .cpp or .c")],
    include: Annotated[
        list[str] | None, typer.Option("-I", metavar="DIR", help="Where #includes are looked for.")
    ] = None,
    profiled: Annotated[
        bool, typer.Option("--profile", help="Count memory traffic, per launch and source line.")
    ] = False,
    checked: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Look for races, stray and uninitialised accesses, barriers that not all reach.",
        ),
    ] = False,
    sample: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Count about N blocks of each launch, for all; 0: all. Exact where the blocks "
            "between the edges of the grid do the same.",
        ),
    ] = 0,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write convlabs-profile/v1.")
    ] = None,
) -> None:
    """Run a CUDA program with its own main() on the simulator; its arguments follow after --."""
    _announce_first_build()
    traced = profiled or checked or json_file is not None
    built = program.make(files, include or [], traced)
    status, seen = program.execute(built, context.obj, checked, sample)
    if profiled:
        print(render_profile.render(seen), file=sys.stderr)
    if checked:
        print(render_profile.findings(seen), file=sys.stderr)
    if json_file is not None:
        _write_json(json_file, msgspec.json.format(msgspec.json.encode(seen), indent=2) + b"\n")
    raise typer.Exit(status)


@app.command()
def setup(
    dev: Annotated[
        bool, typer.Option(help="Also what the tests need: Check, clang, pytest.")
    ] = False,
) -> None:
    """Install what is missing, and nothing else; every command does so when it must."""
    raise typer.Exit(bootstrap.command(["--dev"] if dev else []))


@app.command(name="doctor")
def doctor_command(colour: ColourOption = Colour.auto) -> None:
    """What this machine has, what it lacks, and what to do about it."""
    rows = doctor.report()
    print(doctor.render(rows, _coloured(colour)))
    raise typer.Exit(doctor.exit_code(rows))


def main() -> int:
    """Runs the command line. Returns the exit status; a student never sees a traceback."""
    try:
        for lab_id in spec.available():
            title = spec.load(lab_id).title
            app.command(name=lab_id, help=f"Grade {lab_id}: {title}.")(_lab_command(lab_id))
        own, rest = _split(sys.argv[1:])
        code = app(own or ["--help"], prog_name="./grade", standalone_mode=False, obj=rest)
        return int(code or 0)
    except program.ProgramError as problem:
        return _say(str(problem), score.LESS)
    except UsageError as problem:
        return _say(str(problem), score.USAGE)
    except typer.TyperException as problem:  # an option that is not one, and the like
        return _say(f"{problem.format_message()}; see ./grade --help", problem.exit_code)
    except typer.Exit as leave:
        return int(leave.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted; nothing is left behind", score.INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return score.FAULT
    except (spec.SpecError, backends.BackendError, builder.BuildError) as fault:
        log = getattr(fault, "log", "")
        return _say(f"{fault}\n{log}".strip(), score.FAULT)
    except OSError as problem:
        what = f"{problem.filename}: " if problem.filename else ""
        return _say(f"this machine stops the grader: {what}{problem.strerror}", score.FAULT)
    except Exception:  # noqa: BLE001 - the last resort: whatever else is wrong is the grader's
        return _say(_our_mistake(), score.FAULT)


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and those after -- for the program that `run` runs."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _our_mistake() -> str:
    log = paths.BUILD / "grader-fault.log"
    try:
        log.write_text(traceback.format_exc())
        where = f"the details are in {log}"
    except OSError:
        where = "the details could not be written to build/"
    return f"the grader made a mistake, not you; your points are safe. Please report it; {where}"


def _say(text: str, code: int) -> int:
    print(f"grade: {text}", file=sys.stderr)
    return code
