"""`./grade proctor FOLDER --course course.toml`: holds the exam that a course.toml states."""

import secrets
import time
from pathlib import Path
from typing import Annotated

import typer

from grader import exit_codes, files
from grader.classroom.commands import bulk_problems as problems
from grader.classroom.course import settings
from grader.classroom.exam import collect
from grader.classroom.exam.page import page
from grader.commands import output
from grader.commands.errors import CommandError, UsageError
from grader.model import outline, plain_text
from grader.student import exam
from grader.student.exam import Exam, ExamError

PAGE = "proctor.html"
EVERY = 1.0  # seconds between two looks
GRACE = 3.0  # seconds in which a copy that was made before the end may still arrive


def proctor(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="All must reach it, as on a shared disk.")
    ],
    course: Annotated[
        Path, typer.Option("--course", metavar="course.toml", help="The one with [exam].")
    ],
) -> None:
    """Hold an exam: collect each save and log, show who works, and stop at the end."""
    with problems.of_usage():
        rules = settings.load(course, frozenset(outline.available()))
    if rules.exam is None:
        raise UsageError(f"{course} has no [exam]: see handouts/exam.md")
    starts, ends = (rules.in_zone(t).timestamp() for t in (rules.exam.start, rules.exam.end))
    if time.time() >= ends:
        raise UsageError(f"the exam of {course} ended at {rules.exam.end}")
    its = Exam(secrets.token_hex(8), rules.exam.lab, starts, ends)
    try:
        its = collect.open_exam(folder, its)
        print(f"students type ./grade exam {folder}")
        print(f"your page, which has names: {(folder / PAGE).absolute().as_uri()}", flush=True)
        seen = _held(folder, exam.by_own_clock(its, folder))
    except KeyboardInterrupt:
        why = "nothing is collected any more; the exam goes on, and so does the same command"
        raise CommandError(why, exit_codes.INTERRUPTED) from None
    except ExamError as problem:
        raise CommandError(str(problem), exit_codes.LESS) from problem
    except OSError as problem:
        raise CommandError(f"{problem.filename}: {problem.strerror}", exit_codes.LESS) from problem
    for each in sorted(seen.values(), key=lambda each: each.student):
        for note in each.notes + each.log:
            print(f"  look at {plain_text.name(each.student)}: {plain_text.line(note)}")
    print(
        f"{len(seen)} handed in: ./grade bulk {folder / collect.COLLECTED} --labs {its.lab} "
        f"--course {course} --out RUN"
    )


def _held(folder: Path, its: Exam) -> dict[str, collect.Seen]:
    """Collects until the exam is over. What arrives later is not taken."""
    seen, said = collect.known(folder), -1
    while True:
        over = time.time() >= its.ends + GRACE
        new = collect.look(folder, its, seen)
        files.update(folder / PAGE, page(its, [*seen.values()], time.time()), sync=False)
        (folder / PAGE).chmod(0o600)
        if new and len(seen) != said:
            said = len(seen)
            output.say(f"students: {said}")
        if over:
            return seen
        time.sleep(EVERY)
