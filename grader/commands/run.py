"""`./grade run FILE...`: runs a CUDA program that has its own main() on the simulator."""

from __future__ import annotations

import contextlib
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from grader import exit_codes
from grader.commands import output
from grader.commands.errors import CommandError
from grader.commands.nvcc_options import Given
from grader.compile.compiler_messages import Diagnostic
from grader.execute.addr2line import shortened
from grader.files import read_regular
from grader.model import plain_text
from grader.model.finding import Finding
from grader.model.result import to_json
from grader.sandbox.ending import Finished, early_end, shell_status

if TYPE_CHECKING:
    from grader.execute.profile import Profile
    from grader.execute.program import Program, ToStep

MOST_CHARACTERS = 1000  # of a sentence
MOST_WARNINGS = 10  # of the compiler that are shown
PREDICT_SAMPLE = 16  # blocks of each launch that are run for a prediction


def run(
    context: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=".cu, .cpp, .cc, .c, ...")],
    profiled: Annotated[
        bool, typer.Option("--profile", help="Count memory traffic by launch and source line.")
    ] = False,
    checked: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Report data races, out-of-bounds and uninitialized accesses, and barriers that "
            "some threads do not reach. Exit status 1 if there is an error and the program "
            "itself exits with 0.",
        ),
    ] = False,
    stepped: Annotated[
        bool,
        typer.Option(
            "--step",
            help="Check, and write a page that steps through a block lane by lane: where the first "
            "error is, or the costliest access. Runs the program twice.",
        ),
    ] = False,
    coded: Annotated[
        bool,
        typer.Option("--code", help="Show what nvcc makes of each line, and how often it ran."),
    ] = False,
    sample: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Count about N blocks of each launch and scale the result; 0: count all. Exact "
            "where the blocks inside the grid's edge all do the same.",
        ),
    ] = 0,
    predicted: Annotated[
        bool,
        typer.Option(
            "--predict",
            help="Predict how long each kernel takes on a GPU. Runs only a few blocks of each "
            "launch, so the program's results are wrong.",
        ),
    ] = False,
    gpu: Annotated[
        str, typer.Option("--gpu", metavar="NAME", help="The GPU to predict for.")
    ] = "h200",
    seconds: Annotated[
        float,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            min=0,
            help="Stop the program after this many seconds (0: never).",
        ),
    ] = 300,
    json_file: Annotated[
        str | None,
        typer.Option(
            "--json",
            metavar="FILE",
            help="Write convlabs-profile/v1; with --predict, convlabs-prediction/v1.",
        ),
    ] = None,
) -> None:
    """Run a CUDA program that has its own main() on the simulator. Its arguments follow --."""
    from grader.execute import program
    from grader.render import profile as render_profile

    if (predicted or coded) and (profiled or checked or stepped):
        alone = "--predict" if predicted else "--code"
        raise typer.BadParameter(f"{alone} cannot be combined with --profile, --check or --step")
    checked |= stepped
    given: Given = context.obj
    for option in given.ignored:
        print(f"grade: {option} has no meaning here and is ignored", file=sys.stderr)
    if predicted:
        raise typer.Exit(_predict(files, given, seconds, sample, gpu, json_file))
    if coded:
        raise typer.Exit(_code(files, given, seconds, sample))
    traced = profiled or checked or json_file is not None
    counted = profiled or json_file is not None
    given.program.columns = checked and not counted and not stepped
    built = _build(files, traced, given)
    if given.output is not None:
        shutil.copy(built.binary, given.output)
    try:
        progress = output.understands_escapes(sys.stderr)
        to_step = None
        if stepped:
            done, to_step = program.execute_to_step(built, given.arguments, seconds, progress)
            profile = to_step.profile
        else:
            done, profile = program.execute(
                built, given.arguments, seconds, checked, sample if counted else None, progress
            )
    except program.LostError as problem:
        raise CommandError(f"no counters and findings: {problem}", exit_codes.FAULT) from problem
    profile = _without_leaks_as_errors(profile)
    ending = _early_end(done)
    if profiled or checked or profile.findings or ending is not None:
        output.begin_line(sys.stderr)
    width = output.width_of(sys.stderr)
    if profiled:
        print(render_profile.render(profile, width), file=sys.stderr)
    if checked:
        found = render_profile.findings(profile, ending is not None, width)
        print(f"\n{found}" if profiled else found, file=sys.stderr)
    else:
        _show_findings(profile.findings)
    if ending is not None:
        print(f"grade: {ending}", file=sys.stderr)
    if json_file is not None:
        output.write(json_file, to_json(profile))
    if to_step is not None:
        print(_step_page(built, given.arguments, seconds, to_step, files), file=sys.stderr)
    status = _status(done)
    if status == 0 and checked and profile.findings:
        status = _found(profile.findings)
    raise typer.Exit(status)


def _without_leaks_as_errors(profile: Profile) -> Profile:
    """What was never freed is no error beside a race: the program has ended, and all is free."""
    found = [replace(f, severity="note") if f.kind == "leak" else f for f in profile.findings]
    return replace(profile, findings=found)


def _found(findings: Sequence[Finding]) -> int:
    if any(f.severity == "error" for f in findings):
        return exit_codes.LESS
    return exit_codes.LEAKED if any(f.kind == "leak" for f in findings) else 0


def _build(files: list[str], traced: bool, given: Given, coded: bool = False) -> Program:
    """Builds the program, and shows the compiler's warnings. coded: also its machine code."""
    from grader.execute import program

    try:
        built = program.build(files, traced, given.program, output.announce_first_build, coded)
    except program.ProgramError as problem:
        raise CommandError(str(problem), exit_codes.LESS) from problem
    _show_warnings(built.warnings)
    return built


def _step_page(
    built: Program, arguments: list[str], seconds: float, to_step: ToStep, files: list[str]
) -> str:
    """Writes the page; returns what to say of it."""
    from grader.execute import program, step_target
    from grader.render import step_page

    target = step_target.of_run(to_step.profile, to_step.warps)
    if target is None:
        return "no page to step through: no kernel was launched"
    recording = program.record_block(built, arguments, seconds, target.asked())
    if recording is None:
        return "no page to step through: the program did not reach the same launch again"
    for file in recording.files() - {""}:
        with contextlib.suppress(OSError):
            text = read_regular(Path(file)).decode(errors="replace")
            recording.sources[file] = text.splitlines()
    step_target.finish(recording, target)
    page = output.step_file(Path(files[0]).stem, step_page.page(recording))
    return f"step through it: {shortened(str(page))}"


def _predict(
    files: list[str], given: Given, seconds: float, sample: int, name: str, json_file: str | None
) -> int:
    """Prints a prediction for each kernel; returns the exit status."""
    from grader.execute import program
    from grader.predict import gpu, nvcc, times
    from grader.render import predicted_kernels
    from grader.sass import compiled

    if name not in gpu.names():
        raise typer.BadParameter(f"--gpu is one of {', '.join(gpu.names())}")
    coded = not compiled.missing()
    built = _build(files, True, given, coded)
    code = None
    with contextlib.suppress(compiled.NoCodeError):  # --check and --code say what nvcc refuses
        code = compiled.of_program(built.binary) if coded else None
    progress = output.understands_escapes(sys.stderr)
    done, launches, findings = program.execute_sampled(
        built, given.arguments, seconds, sample or PREDICT_SAMPLE, progress
    )
    _show_sentences(findings)
    found = times.of_program(nvcc.of_launches(built.binary, launches, code), gpu.gpu(name))
    print(predicted_kernels.render(found, output.width_of(sys.stderr)), file=sys.stderr)
    if json_file is not None:
        output.write(json_file, to_json(found))
    ending = _early_end(done)
    if ending is not None:
        print(f"grade: {ending}", file=sys.stderr)
    return _status(done)


def _code(files: list[str], given: Given, seconds: float, sample: int) -> int:
    """Prints the machine code by line; returns the exit status."""
    from grader.commands import code
    from grader.execute import program

    code.require_nvcc()
    built = _build(files, True, given, coded=True)
    progress = output.understands_escapes(sys.stderr)
    done, launches, findings = program.execute_counted(
        built, given.arguments, seconds, sample, progress
    )
    _show_findings(findings)
    print(code.program(files, built.binary, launches), file=sys.stderr)
    if ending := _early_end(done):
        print(f"grade: {ending}", file=sys.stderr)
    return _status(done)


def _show_warnings(warnings: list[Diagnostic]) -> None:
    """Prints the first of the compiler's warnings, as g++ does, and how many there are more."""
    for warning in warnings[:MOST_WARNINGS]:
        print(f"{warning.file}:{warning.line}: warning: {warning.text}", file=sys.stderr)
    more = len(warnings) - MOST_WARNINGS
    if more > 0:
        print(f"and {more} more warning{'s' if more > 1 else ''}", file=sys.stderr, flush=True)


def _show_findings(findings: Sequence[Finding]) -> None:
    _show_sentences(findings)
    _show_faults(findings)


def _show_sentences(findings: Sequence[Finding]) -> None:
    """What a run without checks has found, in its order, at the lines that the simulator knew."""
    for finding in findings:
        where = "" if finding.pc else finding.where()
        text = f"{where}: {finding.message}" if where else finding.message
        print(f"convlabs-sim: {plain_text.line(text, MOST_CHARACTERS)}", file=sys.stderr)


def _show_faults(findings: Sequence[Finding]) -> None:
    """Says once where an instruction of a run without checks faulted, or ran when the program was
    stopped: the simulator knows only its address. In its own code that is the fault of a kernel
    that wrote over its stack."""
    said: dict[str, None] = {}
    for fault in findings:
        what = f"kernel {fault.kernel}" if fault.kernel else "your program"
        is_known = fault.line and not fault.file.startswith("labs/sim/src/")
        if fault.pc and fault.kind == "stopped" and is_known:
            said[f"grade: {plain_text.line(f'{fault.where()}: {what} ran here', 400)}"] = None
        if fault.pc and fault.severity == "error":
            where = f"{fault.where()}: {what} faulted here" if is_known else f"{what} faulted"
            hint = "" if fault.kind == "stack-overflow" else "; run it with --check"
            said[f"grade: {plain_text.line(where, 400)}{hint}"] = None
    for line in said:
        print(line, file=sys.stderr)


def _early_end(done: Finished) -> str | None:
    """Why the program did not exit by itself, and what to do; None where it did."""
    early = early_end(done)
    # A shell says nothing either where a pipe's reader, such as head, has read enough.
    if early is None or done.signal == signal.SIGPIPE:
        return None
    if done.signal == signal.SIGINT:
        return "your program was interrupted"
    if early.kind == "timeout":
        return (
            f"your program {early.reason}: a kernel or a loop may never end; "
            "--time-limit SECONDS gives it more time"
        )
    return f"your program {early.reason}"


def _status(done: Finished) -> int:
    """The program's own exit status; what a shell reports where a limit or a signal ended it."""
    if done.stopped_by is not None:
        return exit_codes.TIMED_OUT
    return done.status if done.status is not None else shell_status(-(done.signal or 0))
