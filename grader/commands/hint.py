"""`./grade hint labN`."""

from __future__ import annotations

from typing import Annotated

import typer

from grader.commands import common


def hint(
    lab: common.LabName,
    part: Annotated[str, typer.Argument(help="A, B, ...")] = "A",
    number: Annotated[int, typer.Argument(min=1, help="1 is the gentlest.")] = 1,
) -> None:
    """A hint for a part of a lab: first a question, last nearly the code."""
    loaded = common.load(lab)
    parts = {p.id: p for p in loaded.part}
    if part.upper() not in parts:
        raise common.UsageError(f"{lab} has no part {part}; it has {', '.join(parts)}")
    hints = parts[part.upper()].hints
    if number > len(hints):
        raise common.UsageError(f"part {part.upper()} of {lab} has {len(hints)} hints")
    print(f"{lab} {part.upper()}, {parts[part.upper()].title}: hint {number} of {len(hints)}\n")
    print(hints[number - 1].strip())
    if number < len(hints):
        print(f"\nnext: ./grade hint {lab} {part.upper()} {number + 1}")
