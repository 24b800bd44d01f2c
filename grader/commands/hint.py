"""`./grade hint labN [PART] [NUMBER]`. The standard library alone."""

import textwrap
from collections.abc import Sequence

from grader import exit_codes
from grader.commands import output, overview
from grader.commands.errors import CommandError, UsageError
from grader.commands.parser import Parser
from grader.model import outline
from grader.model.outline import Outline
from grader.student import exam, progress


def run(arguments: Sequence[str]) -> int:
    """Prints one hint. Returns the exit status."""
    parser = Parser("hint")
    parser.add_argument("lab", metavar="LAB", help="lab1, lab2, ...")
    parser.add_argument(
        "part",
        metavar="PART",
        nargs="?",
        help="A, B, ...; without it, the part of the first check that failed when all of the lab "
        "was last graded, else A",
    )
    parser.add_argument(
        "number",
        metavar="NUMBER",
        nargs="?",
        type=int,
        help="1, the gentlest, is the default; `hint lab3 2` works too",
    )
    options = parser.parse_args(arguments)
    overview.require_lab(options.lab)
    if its := exam.running():
        raise CommandError(
            f"there are no hints until {its.until()}: an exam is running", exit_codes.LESS
        )
    lab = outline.load(options.lab)
    parts = {part.id: part for part in lab.parts}
    part_id: str | None = options.part
    number: int | None = options.number
    if number is None and part_id is not None and part_id.isdecimal() and part_id not in parts:
        number, part_id = int(part_id), None
    part = parts.get(_first_failed(lab) if part_id is None else part_id.upper())
    if part is None:
        raise UsageError(f"{lab.id} has no part {part_id}; it has {', '.join(parts)}")
    count = len(part.hints)
    number = 1 if number is None else number
    if not 1 <= number <= count:
        raise UsageError(f"part {part.id} of {lab.id} has hints 1 to {count}, but no hint {number}")
    print(f"{lab.id} {part.id}, {part.title}: hint {number} of {count}\n")
    width = min(output.columns(), 100)
    for line in part.hints[number - 1].strip().splitlines():
        print(textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False))
    if number < count:
        print(f"\nnext: ./grade hint {lab.id} {part.id} {number + 1}")
    return 0


def _first_failed(lab: Outline) -> str:
    """The part of the first check that failed in the last grading; else the lab's first part."""
    record = progress.read_progress(lab.id)
    failed = record.last.failed if record else None
    parts = [part.id for part in lab.parts]
    return failed.part if failed and failed.part in parts else parts[0]
