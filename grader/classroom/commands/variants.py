"""`./grade variants`: writes the variant.h of each student of a roster."""

from pathlib import Path
from typing import Annotated

import typer

from grader import files
from grader.classroom.bulk import variants as variants_of
from grader.classroom.commands import bulk_problems as problems
from grader.classroom.course import settings, student_id
from grader.classroom.course.person import Person
from grader.classroom.course.roster import load as load_roster
from grader.commands import output
from grader.commands.errors import UsageError
from grader.model import outline, spec, variant
from grader.model.lab import Lab
from grader.model.plain_text import cell, few, line, table

TABLE = "variants.csv"


def variants(
    roster: Annotated[Path, typer.Option("--roster", metavar="CSV", help="As for ./grade bulk.")],
    course: Annotated[Path, typer.Option("--course", metavar="course.toml", help="Likewise.")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where to write them.")],
) -> None:
    """Write each student's variant.h, and a table of them all."""
    with problems.of_usage():
        people = load_roster(roster).people
        rules = settings.load(course, frozenset(outline.available()))
    if not rules.variants:
        raise UsageError(f"{course} does not say variants = true")
    if nameless := [p.name for p in people if not variants_of.address(p)]:
        raise UsageError(f"{roster} has no address or login of {few([*map(line, nameless)], 5)}")
    labs = [lab for lab in map(spec.load, outline.available()) if lab.varies]
    rows = [["student", "lab", "variant"]]
    for person in people:
        for lab in labs:
            numbers = variant.draw(lab, variants_of.salt(rules), variants_of.address(person))
            rows.append(
                [cell(line(variants_of.address(person))), lab.id, variant.in_words(numbers)]
            )
            _write(out, person, lab, numbers)
    files.replace(out / TABLE, table(rows))
    output.say(f"{len(people)} students, {len(labs)} labs with variants: {out}")


def _write(out: Path, person: Person, lab: Lab, numbers: variant.Numbers) -> None:
    folder = out / student_id.of_name(variants_of.address(person)) / lab.folder
    folder.mkdir(parents=True, exist_ok=True)
    files.replace(folder / variant.FILE, variant.header(lab, numbers).encode())
