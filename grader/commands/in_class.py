"""`./grade ask --room` and `--session`: what the terminal says of a session in class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grader import exit_codes
from grader.commands import output
from grader.commands.errors import CommandError

if TYPE_CHECKING:
    from grader.ask.room import Seat


def host(room: str, lab: str, part: str, questions: int, minutes: float) -> None:
    """Runs a session until its time is over. Raises CommandError."""
    from grader.ask import room as rooms

    folder = Path(room)
    try:
        session = rooms.open_room(folder, lab, part, questions, minutes)
        print(f"students: ./grade ask {lab} {part} --session {folder}")
        print(f"for the room: {(folder / rooms.PAGE).absolute().as_uri()}", flush=True)
        rooms.host(folder, session, lambda text: print(text, flush=True))
    except (OSError, rooms.RoomError) as problem:
        raise CommandError(_words(folder, problem), exit_codes.LESS) from problem
    print("the time is over")


def seat(room: str, lab: str, part: str) -> Seat:
    """The student's seat in a session. Raises CommandError."""
    from grader.ask import room as rooms

    folder = Path(room)
    try:
        return rooms.take_seat(folder, lab, part)
    except (OSError, rooms.RoomError) as problem:
        raise CommandError(_words(folder, problem), exit_codes.LESS) from problem


def note(seat: Seat | None, answered: int) -> None:
    """Counts an answer on the page, where there is a session."""
    try:
        if seat:
            seat.note(answered)
    except OSError as problem:
        output.say(f"the room does not see this answer: {problem.strerror}")


def _words(folder: Path, problem: Exception) -> str:
    why = problem.strerror if isinstance(problem, OSError) else problem
    return f"{folder}: {why}" if isinstance(problem, OSError) else f"{why}"
