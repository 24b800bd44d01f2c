"""`./grade hint labN`."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from grader.commands import common
from grader.model import spec
from grader.student import progress


def _parts(context: typer.Context) -> list[str]:
    """For the shell: the parts of the lab that was typed."""
    try:
        return [part.id for part in spec.load(context.params.get("lab") or "").part]
    except spec.SpecError:
        return []


def hint(
    lab: common.LabName,
    part: Annotated[
        str | None,
        typer.Argument(
            help="A, B, ...; left out: the part of the first check that failed when the whole lab "
            "was last graded, else A.",
            autocompletion=_parts,
        ),
    ] = None,
    number: Annotated[
        int | None, typer.Argument(help="1, the gentlest, when left out. hint lab3 2 is one too.")
    ] = None,
) -> None:
    """A hint for a part of a lab: first a question, last nearly the code."""
    loaded = common.load(lab)
    parts = {p.id: p for p in loaded.part}
    if number is None and part is not None and part.isdecimal() and part not in parts:
        number, part = int(part), None
    chosen = _first_failed(loaded) if part is None else part.upper()
    if chosen not in parts:
        raise common.UsageError(f"{lab} has no part {part}; it has {', '.join(parts)}")
    hints = parts[chosen].hints
    number = 1 if number is None else number
    if not 1 <= number <= len(hints):
        raise common.UsageError(f"part {chosen} of {lab} has hints 1 to {len(hints)}, no {number}")
    print(f"{lab} {chosen}, {parts[chosen].title}: hint {number} of {len(hints)}\n")
    width = min(common.columns(), 100)
    for line in hints[number - 1].strip().splitlines():
        print(textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False))
    if number < len(hints):
        print(f"\nnext: ./grade hint {lab} {chosen} {number + 1}")


def _first_failed(lab: spec.Lab) -> str:
    """The part that a hint is most likely wanted for."""
    record = progress.read(lab.id)
    failed = record.last.failed if record else None
    parts = [part.id for part in lab.part]
    return failed.part if failed and failed.part in parts else parts[0]
