"""`./grade ask --room` and `--session`: what the terminal says of a session in class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grader import exit_codes
from grader.commands.errors import CommandError

if TYPE_CHECKING:
    from grader.ask.room import Seat


def host(folder: Path, lab: str, part: str, questions: int, minutes: float) -> None:
    """Runs a session until its time is over. Raises CommandError."""
    from grader.ask import room

    try:
        session = room.open_room(folder, lab, part, questions, minutes)
        print(f"students type ./grade ask {lab} {part} --session {folder}")
        print(f"page for the room: {(folder / room.PAGE).absolute().as_uri()}")
        room.host(folder, session, lambda text: print(text, flush=True))
    except KeyboardInterrupt:
        why = "the page stands still; the session goes on, and so does the same command"
        raise CommandError(why, exit_codes.INTERRUPTED) from None
    except OSError as problem:
        raise CommandError(f"{folder}: {problem.strerror}", exit_codes.LESS) from problem


def seat(folder: Path, lab: str, part: str) -> Seat:
    """The student's seat in a session. Raises CommandError."""
    from grader.ask import room

    try:
        return room.take_seat(folder, lab, part)
    except (OSError, room.RoomError) as problem:
        why = f"{folder}: {problem.strerror}" if isinstance(problem, OSError) else f"{problem}"
        raise CommandError(why, exit_codes.LESS) from problem
