"""The instructor's commands: `./grade bulk` and `./grade export`."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Annotated

import typer

from grader import exit_codes, files
from grader import export as exports
from grader.bulk.batch import Batch
from grader.bulk.cache_key import Options
from grader.bulk.intake.discover import discover
from grader.bulk.isolation import probe
from grader.bulk.pool import Pool
from grader.bulk.store import Store, StoreError
from grader.commands import output
from grader.commands.bulk_progress import Bar
from grader.commands.errors import UsageError
from grader.execute.backend import BackendError
from grader.export import feedback, gradebook
from grader.export.summary import summary
from grader.model import spec
from grader.sandbox import bubblewrap

TRUSTED = "--i-trust-these-submissions"
FREE = 256 << 20  # bytes of disk that a run needs at least


def add_to(app: typer.Typer) -> None:
    app.command(name="bulk")(bulk)
    app.command(name="export")(export)


def bulk(
    submissions: Annotated[
        Path,
        typer.Argument(
            help="A folder with a folder, zip or tarball per student, or Canvas's download."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="RUN", help="The folder for the grades.")],
    labs: Annotated[
        str,
        typer.Option(
            metavar="lab1,lab3", help="The labs to grade; every lab of the course if left out."
        ),
    ] = "",
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            max=256,
            help="Submissions graded at a time; by default one more than the cores.",
        ),
    ] = len(os.sched_getaffinity(0)) + 1,  # one often waits while the kernel sets a sandbox up
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue the run in RUN; grade only what is new or changed."
        ),
    ] = False,
    backend: Annotated[
        str,
        typer.Option(metavar="auto|cpu|sim|gpu", help="auto never takes a GPU."),
    ] = "auto",
    timed: Annotated[
        bool,
        typer.Option(
            "--speed/--no-speed", help="Whether to measure speed, one submission at a time."
        ),
    ] = True,
    seconds: Annotated[
        float | None,
        typer.Option(min=0.1, help="Processor time that a case may use, instead of the lab's own."),
    ] = None,
    pages: Annotated[
        bool,
        typer.Option(
            "--html/--no-html",
            help="Whether to make a report.html for each submission; takes longer.",
        ),
    ] = True,
    trusted: Annotated[
        bool,
        typer.Option(
            TRUSTED, help="Grade even without a sandbox, and do not test the sandbox first."
        ),
    ] = False,
) -> None:
    """Grade a folder of submissions, each in a sandbox."""
    chosen = _labs(labs)
    _check_folders(submissions, out)
    output.announce_first_build()
    _check_sandbox(trusted, backend == "gpu")
    try:
        store = Store(out, resume)
    except StoreError as problem:
        raise UsageError(str(problem)) from problem
    try:
        if shutil.disk_usage(out).free < FREE:
            raise UsageError(f"the disk of {out} is nearly full: free at least {FREE >> 20} MB")
        options = Options(backend, timed, seconds, pages)
        bar = Bar()
        batch = Batch(store, chosen, options, bar)
        batch.prepare()
        with Pool(jobs, store.own) as pool, bar:
            batch.run(submissions, pool)
        feedback.write(store)
        gradebook.write(store)
        print(summary(store))
        print(f"gradebook: {out / gradebook.NAME}")
        raise typer.Exit(exit_codes.FAULT if store.count("error") else exit_codes.FULL_MARKS)
    except BackendError as problem:
        if problem.usage:
            raise UsageError(str(problem)) from problem
        raise
    except KeyboardInterrupt:
        _say(f"stopped; {out} has the grades so far: continue with the same command and --resume")
        raise typer.Exit(exit_codes.INTERRUPTED) from None
    except sqlite3.OperationalError as problem:
        _say(f"{out} cannot be written ({problem}); correct that, then continue with --resume")
        raise typer.Exit(exit_codes.FAULT) from None
    finally:
        store.close()


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    form: Annotated[str, typer.Option("--format", metavar="|".join(exports.FORMATS))] = "csv",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="PATH", help="The file to write; a folder if each student gets a file."
        ),
    ] = None,
) -> None:
    """Write the grades of a run in the format of another program."""
    if form not in exports.FORMATS:
        raise UsageError(f"there is no format {form}; the formats are {', '.join(exports.FORMATS)}")
    try:
        store = Store(run, resume=True)
    except StoreError as problem:
        raise UsageError(str(problem)) from problem
    try:
        written: list[Path] = []
        for name, data in exports.FORMATS[form](store):
            whole = "/" not in name  # the only file, for all students
            if whole and out is None:
                sys.stdout.buffer.write(data)
                continue
            target = out if whole and out else (out or run / "export" / form) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            files.update(target, data)
            written.append(target)
        if written:
            where = os.path.commonpath(written)
            _say(f"{len(written)} files in {where}" if len(written) > 1 else f"wrote {where}")
    finally:
        store.close()


def _check_folders(submissions: Path, out: Path) -> None:
    """Raises UsageError when the folders cannot be what the instructor meant."""
    if not submissions.is_dir():
        raise UsageError(f"{submissions} is not a folder")
    if out.resolve().is_relative_to(submissions.resolve()):
        raise UsageError(
            f"{out} is inside {submissions}, where every folder is taken for a student's; "
            "name a folder outside of it"
        )
    if not discover(submissions):
        raise UsageError(
            f"{submissions} has no submissions: it needs a folder, zip or tarball per student"
        )


def _labs(listed: str) -> list[spec.Lab]:
    """The labs of --labs; every lab when it is empty. Raises UsageError for an unknown name."""
    known = list(spec.available())
    names = [name.strip() for name in listed.split(",") if name.strip()] or known
    for name in names:
        if name not in known:
            raise UsageError(f"there is no {name}; the labs are {', '.join(known)}")
    return [spec.load(name) for name in dict.fromkeys(names)]


def _check_sandbox(trusted: bool, gpu: bool) -> None:
    """Raises UsageError where a submission could escape from its sandbox. With `trusted`, a sandbox
    is used where there is one, and not tested."""
    reason = bubblewrap.missing_for_gpus() if gpu else bubblewrap.missing()
    if trusted:
        if reason is not None:
            _say(f"submissions run without a sandbox: {reason}")
        return
    if reason is None:
        if sys.stderr.isatty():
            _say("testing the sandbox that submissions run in (a few seconds)")
        problems = probe.problems(probe.run_all(gpu))
        if not problems:
            os.environ[bubblewrap.REQUIRED] = "1"  # the workers inherit it
            return
        reason = "the sandbox failed its tests: " + "; ".join(problems[:3])
    raise UsageError(
        f"submissions cannot be isolated on this machine: {reason}. A submitted program could "
        "read, change and send away whatever you can. If you trust every submission, add "
        f"{TRUSTED}"
    )


def _say(text: str) -> None:
    print(f"grade: {text}", file=sys.stderr)
