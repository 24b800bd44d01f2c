"""`./grade override`: points that the instructor sets by hand; they survive every regrade."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from grader import exit_codes, files
from grader.classroom.bulk import final
from grader.classroom.bulk.overrides import Override
from grader.classroom.bulk.store import Store
from grader.classroom.commands import run_folder
from grader.classroom.export import publish
from grader.commands.errors import CommandError, UsageError
from grader.model import spec
from grader.model.plain_text import line

BACK = "none"


def override(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    student: Annotated[
        str, typer.Argument(help="A name in the gradebook, an address or a number.")
    ] = "",
    lab: Annotated[str, typer.Argument(metavar="[lab3]")] = "",
    points: Annotated[
        str, typer.Argument(metavar="[POINTS]", help='Of the lab\'s total; "none" takes it back.')
    ] = "",
    why: Annotated[str, typer.Option("--why", help="The reason, which the student reads.")] = "",
) -> None:
    """Set a student's points for a lab by hand. Without a student: list what was set."""
    with run_folder.opened(run) as store:
        if not student:
            print("\n".join(_listed(store)) or "no points were set by hand")
            return
        one = _student(store, student)
        number = _points(lab, points)
        if not why.strip():
            raise UsageError('say why, for example --why "graded by hand: the file was cut off"')
        store.overrides.add(Override(one.id, lab, number, why.strip(), datetime.now(UTC)))
        _publish(store)
        if number is None:
            print(f"{line(one.id)}, {lab}: the override is taken back")
        else:
            total = spec.load(lab).points.total()
            print(f"{line(one.id)}, {lab}: set to {number:g} of {total}: {line(why.strip())}")


def _publish(store: Store) -> None:
    """Writes what the points change. Raises CommandError when a file cannot be written."""
    try:
        publish.write(store)
    except OSError as problem:
        remedy = files.remedy(problem) or "correct that"
        raise CommandError(
            f"the points are set, but {problem.filename or store.folder} could not be written: "
            f"{problem.strerror}; {remedy}, then repeat the command",
            exit_codes.FAULT,
        ) from problem


def _student(store: Store, name: str) -> final.Student:
    everybody = final.students(store.submissions(), final.rules(store))
    meant = final.matching(everybody, name)
    if len(meant) > 1:
        listed = ", ".join(line(each.id) for each in meant)
        raise UsageError(f'"{line(name)}" means {len(meant)} students: {listed}; name one of these')
    if not meant:
        raise UsageError(f'no student of this run is called "{line(name)}"; see gradebook.csv')
    return meant[0]


def _points(lab: str, text: str) -> float | None:
    known = list(spec.available())
    if lab not in known:
        raise UsageError(f'there is no lab "{line(lab)}"; the labs are {", ".join(known)}')
    if text == BACK:
        return None
    total = spec.load(lab).points.total()
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= total:
        raise UsageError(f'"{line(text)}" is neither a number from 0 to {total} nor "{BACK}"')
    return number


def _listed(store: Store) -> list[str]:
    """Every override that there was, the oldest first."""
    lines = []
    for each in store.overrides.every():
        what = "taken back" if each.points is None else f"set to {each.points:g}"
        day = f"{each.at.astimezone():%Y-%m-%d %H:%M}"
        lines.append(f"{day}  {line(each.student)}  {each.lab}  {what}: {line(each.why)}")
    return lines
