"""The options of `./grade bulk`, in groups. bulk.py carries it out."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from grader.classroom.commands import bulk_machine

JOBS = len(os.sched_getaffinity(0)) + 1  # one often waits while the kernel sets a sandbox up

# ---- what is graded, and by which rules

Submissions = Annotated[
    Path,
    typer.Argument(
        help="The download of Canvas, Moodle, Gradescope or Autolab, as it is or unzipped; "
        "or a folder with a folder, git clone, zip or tarball per student."
    ),
]
Out = Annotated[Path, typer.Option("--out", metavar="RUN", help="The folder for the grades.")]
Labs = Annotated[
    str,
    typer.Option(
        metavar="lab1,lab3", help="The labs to grade; every lab of the course if left out."
    ),
]
CourseFile = Annotated[
    Path | None,
    typer.Option(
        "--course",
        metavar="course.toml",
        help="The course's due dates, late days, groups and weights; kept for the next run.",
    ),
]
RosterFile = Annotated[
    Path | None,
    typer.Option(
        "--roster",
        metavar="CSV",
        help="Who should hand in: a gradebook, a worksheet or a roster of Canvas, Moodle or "
        "Gradescope, or a table with columns such as name,email,id,login.",
    ),
]


@dataclass(frozen=True)
class Class:
    """What is graded, and by which rules."""

    submissions: Submissions
    out: Out
    labs: Labs = ""
    course: CourseFile = None
    roster: RosterFile = None


# ---- how the run goes on

Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue the run in RUN; grade only what is new or changed. Without a run in RUN, "
        "start one.",
    ),
]
Check = Annotated[
    str,
    typer.Option(
        "--check",
        metavar="NAME",
        help="With --resume: also grade the checks with this in their names again, and no others.",
    ),
]
Keep = Annotated[
    bool,
    typer.Option(
        "--keep",
        help="With --resume: leave the grades that another version or machine made.",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        min=1,
        max=256,
        help="Submissions graded at a time; by default one more than the cores.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Trusted = Annotated[
    bool,
    typer.Option(
        bulk_machine.TRUSTED,
        help="Grade even without a sandbox, and do not test the sandbox first.",
    ),
]


@dataclass(frozen=True)
class Run:
    """How the run goes on."""

    jobs: Jobs = JOBS
    resume: Resume = False
    check: Check = ""
    keep: Keep = False
    quiet: Quiet = False
    trusted: Trusted = False


# ---- how a submission is graded, and what is made of it

Backend = Annotated[
    str,
    typer.Option(metavar="auto|cpu|sim|gpu", help="auto never takes a GPU."),
]
Timed = Annotated[
    bool,
    typer.Option("--speed/--no-speed", help="Whether to measure speed, one submission at a time."),
]
Seconds = Annotated[
    float | None,
    typer.Option(min=0.1, help="Processor time that a case may use, instead of the lab's own."),
]
Pages = Annotated[
    bool,
    typer.Option(
        "--html/--no-html",
        help="Whether to make a report.html for each submission; takes longer.",
    ),
]


@dataclass(frozen=True)
class Grading:
    """How a submission is graded, and what is made of it."""

    backend: Backend = "auto"
    timed: Timed = True
    seconds: Seconds = None
    pages: Pages = True


# ---- where it is graded

Executor = Annotated[
    str,
    typer.Option(metavar="local|slurm", help="Where to grade: here, or as a Slurm job array."),
]
SlurmOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--slurm", metavar="NAME=VALUE", help="An option of sbatch, such as partition=short."
    ),
]
PerTask = Annotated[int, typer.Option(min=1, help="Grades in one task of a Slurm job array.")]


@dataclass(frozen=True)
class Where:
    """Where it is graded."""

    executor: Executor = "local"
    slurm_options: SlurmOptions = None
    per_task: PerTask = 8


# ---- questions

ASK = "Also generate N questions about each graded program, for ./grade export --format moodle-xml "
ASK += "or qti; takes some seconds for each student."
ANSWERS = "What students answered: a CSV file with the columns question and answer."
Ask = Annotated[int, typer.Option("--ask", min=0, max=20, metavar="N", help=ASK)]
SHEETS = "With --ask: also write RUN/sheets, the questions of the whole class to print, a page for "
SHEETS += "each student, with keys and without."
Sheets = Annotated[bool, typer.Option("--sheets", help=SHEETS)]
AnswersFile = Annotated[Path | None, typer.Option("--answers", metavar="FILE", help=ANSWERS)]


@dataclass(frozen=True)
class Questions:
    """What students are asked about their programs."""

    ask: Ask = 0
    sheets: Sheets = False
    answers: AnswersFile = None
