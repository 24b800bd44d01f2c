"""`./grade bulk`: grades a class."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from grader import exit_codes
from grader.classroom.bulk import final
from grader.classroom.bulk.batch import Batch
from grader.classroom.bulk.cache_key import Options
from grader.classroom.bulk.cluster.executor import HandedOverError
from grader.classroom.bulk.cluster.slurm import SlurmError
from grader.classroom.bulk.database import FILE, HIDDEN, StoreError
from grader.classroom.bulk.intake import discover
from grader.classroom.bulk.intake.discover import DOWNLOAD, Download
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import DiskFolder
from grader.classroom.bulk.intake.on_roster import attendance
from grader.classroom.bulk.pool import Pool
from grader.classroom.bulk.store import Store
from grader.classroom.commands import bulk_machine, cluster_options
from grader.classroom.commands.bulk_progress import Bar
from grader.classroom.course import settings
from grader.classroom.course.roster import Roster, RosterError
from grader.classroom.course.roster import load as load_roster
from grader.classroom.course.settings import SettingsError
from grader.classroom.export import gradebook, leaderboard, publish
from grader.classroom.export.summary import summary
from grader.classroom.leaderboard import standings
from grader.commands import output
from grader.commands.errors import UsageError
from grader.execute.backend import BackendError
from grader.model import plain_text, spec

NO_SUBMISSIONS = "{} has no submissions: it needs a folder, zip or tarball per student"


def add_to(app: typer.Typer) -> None:
    app.command(name="bulk")(bulk)


def bulk(
    submissions: Annotated[
        Path,
        typer.Argument(
            help="The download of Canvas, Moodle, Gradescope or Autolab, as it is or unzipped; "
            "or a folder with a folder, git clone, zip or tarball per student."
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
    course: Annotated[
        Path | None,
        typer.Option(
            "--course",
            metavar="course.toml",
            help="The course's due dates, late days, groups and weights; kept for the next run.",
        ),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(
            "--roster",
            metavar="CSV",
            help="Who should hand in: a gradebook, a worksheet or a roster of Canvas, Moodle or "
            "Gradescope, or a table with columns such as name,email,id,login.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue the run in RUN; grade only what is new or changed. Without a run in "
            "RUN, begin one.",
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
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
    executor: Annotated[
        str,
        typer.Option(metavar="local|slurm", help="Where to grade: here, or as a Slurm job array."),
    ] = "local",
    slurm_options: Annotated[
        list[str] | None,
        typer.Option(
            "--slurm", metavar="NAME=VALUE", help="An option of sbatch, such as partition=short."
        ),
    ] = None,
    per_task: Annotated[
        int, typer.Option(min=1, help="Grades in one task of a Slurm job array.")
    ] = 8,
    print_script: Annotated[
        bool,
        typer.Option("--print-script", help="Write a script for sbatch instead of submitting."),
    ] = False,
    board: Annotated[
        bool | None,
        typer.Option(
            "--leaderboard/--no-leaderboard",
            help="Whether to make a leaderboard of those who hand in a leaderboard.txt; kept for "
            "the next run. By default as course.toml says.",
        ),
    ] = None,
    trusted: Annotated[
        bool,
        typer.Option(
            bulk_machine.TRUSTED,
            help="Grade even without a sandbox, and do not test the sandbox first.",
        ),
    ] = False,
) -> None:
    """Grade a folder of submissions, each in a sandbox."""
    chosen = _labs(labs)
    cluster = cluster_options.Cluster.of(executor, slurm_options or [], per_task, print_script)
    _check_folders(submissions, out)
    expected, given = _roster(roster), _course(course)
    bulk_machine.check_disk(out)
    output.announce_first_build()
    bulk_machine.check_sandbox(trusted, backend == "gpu")
    download, entries = _submissions(submissions, expected)
    if resume and not (out / HIDDEN / FILE).exists():
        output.say(f"{out} has no run yet: beginning one")
        resume = False
    try:
        store = Store(out, resume)
    except StoreError as problem:
        raise UsageError(str(problem)) from problem
    try:
        if given:
            store.keep_setting(final.COURSE, given)
        if board is not None:
            store.keep_setting(standings.SETTING, b"on" if board else b"off")
        rules = final.rules(store)
        seeds = {
            lab: its.hidden_seed for lab, its in rules.lab.items() if its.hidden_seed is not None
        }
        options = Options(backend, timed, seconds, pages, seeds, rules.predicted_speed)
        bar = Bar(quiet)
        batch = Batch(store, chosen, options, bar, rules.attempts == "best")
        batch.prepare()
        store.keep_setting(DOWNLOAD, str(download).encode())
        store.keep_setting(final.COLLECTED, datetime.now(UTC).isoformat().encode())
        with Pool(jobs, store.own) as pool, bar:
            batch.run(entries, cluster.executor(pool, batch, trusted) if cluster else pool)
        grades = publish.write(store)
        for text in leaderboard.warnings(grades):
            output.say(text)
        if unknown := final.strangers(rules, final.students(store.submissions(), rules)):
            names = ", ".join(plain_text.line(name) for name in unknown)
            output.say(f"course.toml has names that no student of this run has: {names}")
        print(summary(store))
        print(f"gradebook: {out / gradebook.NAME}")
        if standings.is_on(store):
            print(f"leaderboard: {out / leaderboard.NAME}")
        raise typer.Exit(exit_codes.FAULT if store.count("error") else exit_codes.FULL_MARKS)
    except HandedOverError as how:
        print(how)
        raise typer.Exit(exit_codes.FULL_MARKS) from None
    except SlurmError as problem:
        output.say(f"{problem}; {out} has the grades so far: continue with --resume")
        raise typer.Exit(exit_codes.FAULT) from None
    except SettingsError as problem:
        raise UsageError(str(problem)) from problem
    except BackendError as problem:
        if problem.usage:
            raise UsageError(str(problem)) from problem
        raise
    except KeyboardInterrupt:
        output.say(
            f"stopped; {out} has the grades so far: continue with the same command and --resume"
        )
        raise typer.Exit(exit_codes.INTERRUPTED) from None
    except sqlite3.OperationalError as problem:
        output.say(
            f"{out} cannot be written ({problem}); correct that, then continue with --resume"
        )
        raise typer.Exit(exit_codes.FAULT) from None
    finally:
        store.close()


def _check_folders(submissions: Path, out: Path) -> None:
    """Raises UsageError when the folders cannot be what the instructor meant."""
    if submissions.is_file() and submissions.suffix.lower() == ".zip":
        return
    if not submissions.is_dir():
        raise UsageError(f"{submissions} is not a folder, and not the zip of a class")
    if out.resolve().is_relative_to(submissions.resolve()):
        raise UsageError(
            f"{out} is inside {submissions}, where every folder is taken for a student's; "
            "name a folder outside of it"
        )
    if not DiskFolder(submissions).children():
        raise UsageError(NO_SUBMISSIONS.format(submissions))


def _course(file: Path | None) -> bytes:
    """The text of --course, which can be used; b"" for none. Raises UsageError."""
    if file is None:
        return b""
    try:
        settings.load(file, frozenset(spec.available()))
        return file.read_bytes()
    except SettingsError as problem:
        raise UsageError(str(problem)) from problem
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror}") from problem


def _roster(file: Path | None) -> Roster | None:
    """The people of --roster. Raises UsageError."""
    try:
        return load_roster(file) if file else None
    except RosterError as problem:
        raise UsageError(str(problem)) from problem


def _submissions(place: Path, expected: Roster | None) -> tuple[Download, list[Entry]]:
    """What was handed in, and an empty entry for each student of the roster who handed in nothing.
    Says on stderr what was recognized. Raises UsageError."""
    try:
        download = discover.download(place)
    except OSError as problem:
        raise UsageError(f"{place} cannot be read: {problem.strerror}") from problem
    if not download.entries:
        raise UsageError(NO_SUBMISSIONS.format(place))
    output.say(str(download))
    if download.doubt:
        output.say(download.doubt)
    if expected is None:
        return download, download.entries
    present = attendance(download.entries, expected)
    for line in present.lines():
        output.say(line)
    return download, present.entries


def _labs(listed: str) -> list[spec.Lab]:
    """The labs of --labs; every lab when it is empty. Raises UsageError for an unknown name."""
    known = list(spec.available())
    names = [name.strip() for name in listed.split(",") if name.strip()] or known
    for name in names:
        if name not in known:
            raise UsageError(f"there is no {name}; the labs are {', '.join(known)}")
    return [spec.load(name) for name in dict.fromkeys(names)]
