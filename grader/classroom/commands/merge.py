"""`./grade merge`: speed that another machine measured, into a class that was graded without."""

from pathlib import Path
from typing import Annotated

import typer

from grader.classroom.bulk.elsewhere import combined, same_course
from grader.classroom.bulk.store import Store
from grader.classroom.commands import run_folder
from grader.classroom.export import grades, publish
from grader.commands.errors import UsageError


def merge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    other: Annotated[
        Path,
        typer.Argument(
            metavar="GPU_RUN", help="A run of the same submissions on a machine with a GPU."
        ),
    ],
) -> None:
    """Fill in the checks for speed that another run measured of the same files."""
    if run.resolve() == other.resolve():
        raise UsageError(f"{run} cannot be merged with itself; name a run of another machine")
    # An error in the block is reported for the run that is written, the last one opened.
    with run_folder.opened(other) as source, run_folder.opened(run) as store:
        print(_merged(store, source))
        publish.write(grades.of(store))


def _merged(store: Store, source: Store) -> str:
    """Takes over what is new, and says how much that is."""
    theirs = {}
    for row in source.attempts():
        if row.status == "graded":
            theirs[row.lab, source.files_digest(row.key)] = row.key
    filled = unknown = stale = 0
    keys = dict.fromkeys((r.lab, r.key) for r in store.attempts() if r.status == "graded")
    for lab, key in keys:
        digest = store.files_digest(key)
        if (lab, digest) not in theirs:
            unknown += 1
            continue
        result, found = store.result(key), source.result(theirs[lab, digest])
        made = source.made(theirs[lab, digest])
        if result is None or found is None:
            continue
        if not same_course(store.made(key), made):
            stale += 1
        elif combined(result, found) is not result:
            store.others.add(lab, digest, found, made)
            filled += 1
    text = f"{filled} of {len(keys)} grades got checks for speed from the other run"
    if unknown:
        text += f"; {unknown} are of files that it does not have"
    if stale:
        text += (
            f"; {stale} were made by another state of the course: grade both runs again with the "
            "same copy of it"
        )
    return text
