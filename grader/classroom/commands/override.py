"""`./grade override`: points that the instructor sets by hand; they survive every regrade."""

import getpass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from grader import exit_codes, files
from grader.classroom.bulk import class_records
from grader.classroom.bulk.store import Store
from grader.classroom.commands import run_folder
from grader.classroom.course import decided, students
from grader.classroom.course.override import Override
from grader.classroom.export import grades, publish
from grader.commands.errors import CommandError, UsageError
from grader.model import outline, spec
from grader.model.plain_text import line
from grader.model.result import Check

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
    check: Annotated[
        str,
        typer.Option("--check", metavar="NAME", help="Set one check's points, not the lab's."),
    ] = "",
    replacing: Annotated[
        bool, typer.Option("--replace", help="Also change what another grader has set.")
    ] = False,
) -> None:
    """Set a student's points for a lab by hand. Without a student: list what was set."""
    with run_folder.opened(run) as store:
        if not student:
            print("\n".join(_listed(store)) or "no points were set by hand")
            return
        one = run_folder.student(store, student)
        one_check = _check(store, one, lab, check) if check else None
        total = one_check.max_points if one_check else _total(lab)
        number = _points(points, total)
        if not why.strip():
            raise UsageError('say why, for example --why "graded by hand: the file was cut off"')
        of = one_check.id if one_check else ""
        if (other := _of_another(store, one.id, lab, of)) and not replacing:
            raise UsageError(
                f"{_listing(other)}\nyou are another grader: ask, or add --replace to change it"
            )
        now = datetime.now(UTC)
        store.overrides.add(Override(one.id, lab, number, why.strip(), now, of, _login()))
        _publish(store)
        if number is None:
            print(f"{_named(one.id, lab, of)}: the override is taken back")
        else:
            said = f"set to {number:g} of {total:g}: {line(why.strip())}"
            print(f"{_named(one.id, lab, of)}: {said}")


def _of_another(store: Store, student: str, lab: str, check: str) -> Override | None:
    """What holds for this lab or check and was set by somebody else."""
    of_checks = store.overrides.of_checks().get((student, lab), [])
    of_lab = store.overrides.current().get((student, lab))
    found = next((each for each in of_checks if each.check == check), None) if check else of_lab
    return found if found and found.by not in ("", _login()) else None


def _publish(store: Store) -> None:
    """Writes what the points change. Raises CommandError when a file cannot be written."""
    try:
        publish.write(grades.of(store))
    except OSError as problem:
        remedy = files.remedy(problem) or "correct that"
        raise CommandError(
            f"the points are set, but {problem.filename or store.folder} could not be written: "
            f"{problem.strerror}; {remedy}, then repeat the command",
            exit_codes.FAULT,
        ) from problem


def _login() -> str:
    """Of whoever runs the command; "" where the system has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def _named(student: str, lab: str, check: str) -> str:
    return ", ".join(filter(None, [line(student), lab, line(check)]))


def _check(store: Store, student: students.Student, lab: str, name: str) -> Check:
    """The check of the student's grade that a name means. Raises UsageError."""
    everybody = class_records.finals(store, class_records.rules(store))
    grade = next((f for f in everybody if f.student.id == student.id and f.lab == lab), None)
    if grade is None or grade.result is None:
        raise UsageError(f"{line(student.id)} has no grade for {line(lab)} whose checks can be set")
    found = decided.find(grade.result, name)
    if len(found) != 1:
        known = found or [check for check in grade.result.checks if check.max_points]
        listed = "".join(f"\n  {check.id}" for check in known)
        raise UsageError(f'"{line(name)}" means {len(found)} checks; name one of these:{listed}')
    return found[0]


def _total(lab: str) -> float:
    known = list(outline.available())
    if lab not in known:
        raise UsageError(f'there is no lab "{line(lab)}"; the labs are {", ".join(known)}')
    return spec.load(lab).points.total()


def _points(text: str, total: float) -> float | None:
    if text == BACK:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= total:
        raise UsageError(f'"{line(text)}" is neither a number from 0 to {total:g} nor "{BACK}"')
    return number


def _listed(store: Store) -> list[str]:
    """Every override that there was, the oldest first."""
    return [_listing(each) for each in store.overrides.every()]


def _listing(each: Override) -> str:
    what = "taken back" if each.points is None else f"set to {each.points:g}"
    day = f"{each.at.astimezone():%Y-%m-%d %H:%M}"
    who = "  ".join(filter(None, [line(each.student), each.lab, line(each.check)]))
    by = f"  by {line(each.by)}" if each.by else ""
    return f"{day}{by}  {who}  {what}: {line(each.why)}"
