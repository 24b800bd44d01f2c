"""`./grade ask labN [PART]`: questions about one's own program, whose answers its runs give."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from grader import exit_codes
from grader.commands import in_class, options, output
from grader.commands.errors import CommandError, UsageError
from grader.model.question import Asked
from grader.model.submission import Submission
from grader.student import progress, understood

SEED = "The same text and file give the same questions; by default they differ each time. "
SEED += "Keep the seed of an exam secret."
SESSION = "Take part in class: questions of your own until the time is over; the folder of --room."
ROOM = "Start a session in class; FOLDER, which all can write to, gets a page for the room."
SHEET = "Instead of asking, write a page for an oral exam, with answer keys; .html or .pdf."


def ask(
    lab: options.LabName,
    part: Annotated[str, typer.Argument(metavar="[PART]", help="A, B, ...; A by default.")] = "A",
    src: options.Src = options.STARTER,
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=50, help="How many.")] = 5,
    seed: Annotated[str, typer.Option("--seed", metavar="TEXT", help=SEED)] = "",
    sheet: Annotated[str, typer.Option("--sheet", metavar="FILE", help=SHEET)] = "",
    session: Annotated[str, typer.Option("--session", metavar="FOLDER", help=SESSION)] = "",
    room: Annotated[str, typer.Option("--room", metavar="FOLDER", help=ROOM)] = "",
    minutes: Annotated[float, typer.Option(min=0.1, max=600, help="Of --room.")] = 6,
    colour: options.ColourOption = output.Colour.auto,
) -> None:
    """Ask questions about your own program; its runs give the answers."""
    if sum(map(bool, (sheet, session, room))) > 1:
        raise UsageError("--sheet, --session and --room exclude one another")
    loaded = options.load(lab)
    part, names = part.upper(), [p.id for p in loaded.part]
    if part not in names:
        raise UsageError(f"{lab} has no part {part}; it has {', '.join(names)}")
    if room:
        in_class.host(Path(room), lab, part, count, minutes)
        return
    submission = options.submission(loaded, src)
    if submission.problems:
        raise CommandError("\n       ".join(submission.problems), exit_codes.LESS)
    output.announce_first_build()
    from grader.ask.program import NoQuestionsError
    from grader.ask.quiz import quiz
    from grader.ask.terminal import Terminal

    seat = in_class.seat(Path(session), lab, part) if session else None
    count = seat.session.questions if seat else count
    own = progress.is_own(submission) and not sheet
    record = understood.read_understood(lab)
    terminal = Terminal(min(output.columns(), 88), output.coloured(colour))
    right = asked = 0
    # The owner of the file could print the same sheet, with the keys, from a seed that is known.
    seed = (
        seat.seed if seat else seed or (secrets.token_hex(8) if sheet else f"{record.asked(part)}")
    )
    with quiz(submission, part, seed) as part_quiz:
        try:
            if sheet:
                _write_sheet(submission, part_quiz.questions(), count, sheet)
                output.say(f"{sheet} contains answer keys; for instructors only")
                output.say(f"to write the same page again: --seed {seed}")
                return

            def is_certain() -> bool:
                if not part_quiz.program.is_built():
                    print("  (your file is being built, which takes a few seconds)")
                return part_quiz.is_certain()

            for question in part_quiz.questions(
                first=record.again(part) if own and not seat else [], at_once=True
            ):
                answer = terminal.ask(asked + 1, count, question, is_certain)
                if answer is not None and seat and not seat.session.left():
                    print("\n  the time is over: this answer does not count")
                    break
                if answer is not None:
                    asked, right = asked + 1, right + answer
                    if seat:
                        seat.note(asked)
                    record.note(part, question.question.kind, answer)
                    if own and (why := understood.keep(record)):
                        output.say(f"{why}; ./grade list will not count this answer")
                        own = False
                if asked >= count or terminal.has_left:
                    break
        except NoQuestionsError as reason:
            raise CommandError(f"{reason}", exit_codes.LESS) from reason
    for fault in part_quiz.tally.withheld:
        output.say(f"an error in the grader withheld a question; please report it: {fault}")
    more = own and right < asked and record.again(part)
    again = f"; to repeat the others: ./grade ask {lab} {part}" if more else ""
    print(f"\n{right} of {asked} right at first{again}" if asked else "no question was answered")


def _write_sheet(submission: Submission, asked: Iterator[Asked], count: int, target: str) -> None:
    from grader.ask import sheet

    form = sheet.pdf if target.endswith(".pdf") else sheet.html
    try:
        output.write(target, form([sheet.of(submission, [*islice(asked, count)])], keys=True))
    except ImportError as missing:
        raise UsageError("a PDF needs ./grade setup --handouts; or name a .html file") from missing
