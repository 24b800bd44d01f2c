"""`./grade diff`: who moved between two runs of a class, by how much, and why."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from grader.classroom.bulk import comparison
from grader.classroom.bulk.comparison import Change
from grader.classroom.bulk.store import Store
from grader.classroom.commands import run_folder
from grader.commands.errors import UsageError
from grader.model import outline, plain_text


def diff(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    before: Annotated[
        int | None,
        typer.Option("--from", metavar="N", help="The older run; the one before --to if left out."),
    ] = None,
    after: Annotated[
        int | None, typer.Option("--to", metavar="N", help="The newer run; the last if left out.")
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also name those whose points are the same after a regrade."),
    ] = False,
) -> None:
    """Say whose grades changed between two runs, by how much, by which check and why."""
    with run_folder.opened(run) as store:
        numbers = store.history.numbers()
        if len(numbers) < 2 and before is None:
            runs = f"{len(numbers)} finished run{'s' * (len(numbers) != 1)}"
            raise UsageError(f"{run} has {runs}; there is nothing to compare")
        last = after if after is not None else numbers[-1]
        earlier = [number for number in numbers if number < last]
        first = before if before is not None else (earlier or numbers)[-1]
        for number in (first, last):
            if number not in numbers:
                known = ", ".join(map(str, numbers))
                raise UsageError(f"there is no run {number}; the runs are {known}")
        print("\n".join(words(store, first, last, everything)))


def words(store: Store, before: int, after: int, everything: bool) -> list[str]:
    """The comparison of two runs, line by line."""
    changes = comparison.changes(store, before, after)
    moved = [change for change in changes if change.moved]
    total = len(store.history.of(after))
    lines = [
        f"run {after} ({_time(store, after)}) compared with run {before} ({_time(store, before)}): "
        f"{len(moved)} of {total} grades changed",
        *_versions(store, changes),
    ]
    for lab in outline.in_order(change.lab for change in changes):
        of_lab = [change for change in changes if change.lab == lab]
        lines += ["", _headline(lab, of_lab)]
        for change in of_lab if everything else [c for c in of_lab if c.moved]:
            lines += comparison.lines(change)
    return lines


def _time(store: Store, number: int) -> str:
    return f"{store.history.at(number).astimezone():%Y-%m-%d %H:%M}"


def _versions(store: Store, changes: list[Change]) -> list[str]:
    """Under which versions of the course the two runs made what differs, and what that came to in
    points; [] where it is the same version."""
    then = comparison.versions(store, (change.before for change in changes))
    now = comparison.versions(store, (change.after for change in changes))
    if not then or not now or then == now:
        return []
    gains = [change.gain for change in changes if change.gain]
    up, down = [g for g in gains if g > 0], [-g for g in gains if g < 0]
    points = (
        f"{len(up)} gained {sum(up):g} points, {len(down)} lost {sum(down):g}"
        if gains
        else "no points changed"
    )
    made, makes = (", ".join(map(plain_text.line, each)) for each in (then, now))
    return [f"made with {made}, then with {makes}: {points}"]


def _headline(lab: str, changes: list[Change]) -> str:
    """What changed under all grades of a lab, and how many grades are the same after it."""
    causes = Counter(cause for change in changes for cause in change.causes)
    texts = [f"{cause} changed ({count})" for cause, count in causes.most_common()]
    same = sum(not change.moved for change in changes)
    if same:
        texts.append(f"{same} graded again, with the same points")
    return f"{lab}: {'; '.join(texts)}" if texts else f"{lab}:"
