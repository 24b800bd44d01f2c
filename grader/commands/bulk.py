"""The instructor's commands: ./grade bulk and ./grade export."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Annotated

import typer

from grader import export as exports
from grader.bulk.batch import Batch
from grader.bulk.cache_key import Options
from grader.bulk.intake import collect
from grader.bulk.isolation import probe
from grader.bulk.pool import Pool
from grader.bulk.store import Store, StoreError
from grader.commands import common
from grader.commands.bulk_progress import Bar
from grader.commands.common import UsageError
from grader.execute.backend import BackendError
from grader.export import feedback
from grader.export.summary import summary
from grader.grading import score
from grader.model import spec
from grader.sandbox import bubblewrap

TRUSTED = "--i-trust-these-submissions"
FREE = 256 << 20  # bytes of disk that a run needs to begin


def add_to(app: typer.Typer) -> None:
    app.command(name="bulk")(bulk)
    app.command(name="export")(export)


def bulk(
    submissions: Annotated[
        Path, typer.Argument(help="A folder of folders, zips or tarballs; or Canvas's download.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="RUN", help="Where the grades go.")],
    labs: Annotated[
        str, typer.Option(metavar="lab1,lab3", help="Without it: every lab of the course.")
    ] = "",
    jobs: Annotated[
        int,
        typer.Option(min=1, max=256, help="Submissions at a time; else one more than the cores."),
    ] = len(os.sched_getaffinity(0)) + 1,  # one waits for the kernel to put up or take down walls
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in RUN, and keep what is graded.")
    ] = False,
    backend: Annotated[
        str,
        typer.Option(metavar="auto|cpu|sim|gpu", help="auto takes no GPU."),
    ] = "auto",
    timed: Annotated[
        bool, typer.Option("--speed/--no-speed", help="Time what is right, one at a time.")
    ] = True,
    seconds: Annotated[
        float | None,
        typer.Option(min=0.1, help="Time limit of a case, in place of the lab's own."),
    ] = None,
    pages: Annotated[
        bool, typer.Option("--html/--no-html", help="A report.html for each; some more time.")
    ] = True,
    trusted: Annotated[
        bool,
        typer.Option(TRUSTED, help="Grade even where nothing isolates them; nothing is probed."),
    ] = False,
) -> None:
    """Grade a folder of submissions, each behind walls of its own."""
    chosen = _labs(labs)
    _refuse_what_cannot_be(submissions, out)
    common.announce_first_build()
    _sure_of_walls(trusted, backend == "gpu")
    try:
        store = Store(out, resume)
    except StoreError as problem:
        raise UsageError(str(problem)) from problem
    try:
        if shutil.disk_usage(out).free < FREE:
            raise UsageError(f"the disk of {out} is full: free {FREE >> 20} MB and more")
        options = Options(backend, timed, seconds, pages)
        bar = Bar()
        batch = Batch(store, chosen, options, bar)
        batch.prepare()
        with Pool(jobs, store.own) as pool, bar:
            batch.run(submissions, pool)
        feedback.write(store)
        print(summary(store))
        print(f"the gradebook: {out / 'gradebook.csv'}")
        raise typer.Exit(score.FAULT if store.count("error") else score.FULL_MARKS)
    except BackendError as problem:
        if problem.usage:
            raise UsageError(str(problem)) from problem
        raise
    except KeyboardInterrupt:
        _say(f"stopped; nothing is lost: the same command with --resume goes on in {out}")
        raise typer.Exit(score.INTERRUPTED) from None
    except sqlite3.OperationalError as problem:
        _say(f"{out} cannot be written ({problem}); when it can, --resume goes on")
        raise typer.Exit(score.FAULT) from None
    finally:
        store.close()


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    form: Annotated[str, typer.Option("--format", metavar="|".join(exports.FORMATS))] = "csv",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="A file; a folder where each student gets one."),
    ] = None,
) -> None:
    """The grades of a run for another program."""
    if form not in exports.FORMATS:
        raise UsageError(f"there is no format {form}; they are {', '.join(exports.FORMATS)}")
    try:
        store = Store(run, resume=True)
    except StoreError as problem:
        raise UsageError(str(problem)) from problem
    try:
        files = exports.FORMATS[form](store)
        written: list[Path] = []
        for name, data in files.items():
            if out is None and len(files) == 1 and "/" not in name:
                sys.stdout.buffer.write(data)
                continue
            place = out if out and "/" not in name else (out or run / "export" / form) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            feedback.put(place, data)
            written.append(place)
        if written:
            where = os.path.commonpath(written)
            _say(f"{len(written)} files in {where}" if len(written) > 1 else f"wrote {where}")
    finally:
        store.close()


def _refuse_what_cannot_be(submissions: Path, out: Path) -> None:
    if not submissions.is_dir():
        raise UsageError(f"{submissions} is not a folder")
    if out.resolve().is_relative_to(submissions.resolve()):
        raise UsageError(
            f"{out} lies in {submissions}, where every folder is taken for a student's; "
            "name one that does not"
        )
    if not collect.discover(submissions):
        raise UsageError(f"{submissions} holds no submission: a folder, zip or tarball a student")


def _labs(named: str) -> list[spec.Lab]:
    known = list(spec.available())
    wanted = [name.strip() for name in named.split(",") if name.strip()] or known
    for name in wanted:
        if name not in known:
            raise UsageError(f"there is no {name}; the labs are {', '.join(known)}")
    return [spec.load(name) for name in dict.fromkeys(wanted)]


def _sure_of_walls(trusted: bool, gpu: bool) -> None:
    """Refuses to run strangers' programs where they could reach what is not theirs. Walls that are
    there stand in any case."""
    reason = bubblewrap.missing_for_gpus() if gpu else bubblewrap.missing()
    if trusted:
        if reason is not None:
            _say(f"not isolated: {reason}")
        return
    if reason is None:
        if sys.stderr.isatty():
            _say("trying the walls that submissions run behind, some seconds")
        found = probe.surprises(probe.all_seen(gpu))
        if not found:
            os.environ[bubblewrap.REQUIRED] = "1"  # of the workers
            return
        reason = "its walls have holes here: " + "; ".join(found[:3])
    raise UsageError(
        f"submissions cannot be isolated here: {reason}. What you can reach, a program in one "
        f"of them could read, change and send away. If you trust every one: {TRUSTED}"
    )


def _say(text: str) -> None:
    print(f"grade: {text}", file=sys.stderr)
