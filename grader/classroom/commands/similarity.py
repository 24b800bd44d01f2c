"""`./grade similarity`: which submissions of a class are more alike than the lab explains."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from grader import files, paths
from grader.classroom.bulk.store import Store
from grader.classroom.commands import run_folder
from grader.classroom.similarity import given, likeness, report
from grader.classroom.similarity.likeness import ComparedProgram, Together
from grader.commands.errors import UsageError
from grader.model import outline, spec


def similarity(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a bulk run.")],
    lab: Annotated[
        str, typer.Option("--lab", metavar="LAB", help="Compare this lab alone, such as lab3.")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The page; RUN/similarity.html if left out."),
    ] = None,
    pseudonyms: Annotated[
        bool,
        typer.Option(
            "--pseudonyms", help="Replace students' names by numbers; names in their code are kept."
        ),
    ] = False,
) -> None:
    """Rank the pairs of submissions that are more alike than their lab explains, and write a page
    that shows them side by side."""
    if not paths.SOLUTIONS.is_dir():
        raise UsageError("this copy of the course has no solutions/ to subtract")
    with run_folder.opened(run) as store:
        labs = outline.in_order(row.lab for row in store.rows() if row.key)
        if lab and lab not in labs:
            listed = ", ".join(labs) or "none"
            raise UsageError(f"{run} has no submissions of {lab}; the labs there are {listed}")
        if not labs:
            raise UsageError(f"{run} holds no submissions to compare")
        name: Callable[[str], str] = lambda student: student  # noqa: E731
        if pseudonyms:
            name = report.pseudonyms(row.student for row in store.rows())
        reports = [of_lab(store, each, name) for each in ([lab] if lab else labs)]
    page = out or run / "similarity.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    files.replace(page, report.page(reports))
    print(report.text(reports))
    print(f"\nside by side: {page}")


def of_lab(store: Store, lab: str, name: Callable[[str], str]) -> report.LabReport:
    """Compares the latest attempts of one lab. Holds one submission's text at a time."""
    texts = given.load(spec.load(lab))

    def files_of(key: str) -> dict[str, bytes]:
        found = store.files(key)
        return {name: found[name] for name in texts.submit if name in found}

    def programs() -> Iterator[ComparedProgram]:
        for row in store.rows():
            if row.lab == lab and row.key:
                yield likeness.program(row.student, files_of(row.key), texts, row.key)

    found = likeness.compare(programs(), texts, groups(store))
    return report.lab_report(lab, found, texts, lambda each: files_of(each.key), name)


def groups(store: Store) -> Together:
    """Do two submissions share a person? Then they are one group's, and are not compared."""
    people = {
        each.student: {i for person in each.people for i in person.identifiers()}
        for each in store.submissions()
    }
    nobody: set[str] = set()
    return lambda a, b: bool(people.get(a, nobody) & people.get(b, nobody))
