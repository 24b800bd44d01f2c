"""A session in class. A folder that all can write to holds the clock, a seat for each student, and
a page that shows the room how many have answered. Nothing is sent over a network."""

import fcntl
import os
import re
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

import msgspec

from grader import files
from grader.execute import records

SESSION, PAGE, SEAT = "session.json", "room.html", ".seat"
REFRESH = 2  # seconds


class RoomError(Exception):
    """The folder holds no session for this student; in words."""


class Session(msgspec.Struct, frozen=True):
    """ends: in seconds since 1970. number: what no other session has."""

    lab: str
    part: str
    questions: int
    ends: float
    number: str

    def left(self) -> float:
        """Seconds, at least 0."""
        return max(self.ends - time.time(), 0)


class Answered(msgspec.Struct, frozen=True):
    """What a seat holds: how many questions of a session were answered, right or wrong."""

    number: str
    answered: int


@dataclass
class Seat:
    """A student's place in a session. seed: no other has it. file: locked while it is taken."""

    session: Session
    seed: str
    file: int

    def note(self, answered: int) -> None:
        """Counts the answers; the room does not see them where the disk is full."""
        with suppress(OSError):
            os.ftruncate(self.file, 0)
            os.pwrite(self.file, msgspec.json.encode(Answered(self.session.number, answered)), 0)


def open_room(folder: Path, lab: str, part: str, questions: int, minutes: float) -> Session:
    """Starts a session, or goes on with one of the part that has not ended. Raises OSError."""
    if not folder.exists():
        folder.mkdir(parents=True)
        folder.chmod(0o1777)  # all may take a seat, and none may remove another's
    session = running(folder)
    if session is None or (session.lab, session.part) != (lab, part):
        session = Session(lab, part, questions, time.time() + 60 * minutes, secrets.token_hex(8))
        _write(folder / SESSION, msgspec.json.encode(session))
    return session


def take_seat(folder: Path, lab: str, part: str) -> Seat:
    """A seat under the user's name; who comes back gets the same one, and two at once get two.
    Raises OSError and RoomError."""
    session = running(folder)
    if session is None:
        start = f"./grade ask {lab} {part} --room {folder}"
        raise RoomError(f"no session runs in {folder}; the instructor starts one: {start}")
    if (session.lab, session.part) != (lab, part):
        raise RoomError(f"this session asks about {session.lab} {session.part}")
    user = re.sub(r"\W", "_", os.environ.get("USER", ""))[:40] or f"{os.getuid()}"
    for number in count(1):
        way = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(folder / f"{user}-{number}{SEAT}", way, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            os.close(file)
    os.fchmod(file, 0o644)
    seat = Seat(session, f"{session.number} {user} {number}", file)
    before = records.readable(os.pread(file, 1000, 0), Answered)
    if before is None or before.number != session.number:
        seat.note(0)
    return seat


def host(folder: Path, session: Session, say: Callable[[str], None]) -> None:
    """Keeps the page up to date until the time is over. say: gets a line with each change. Raises
    OSError."""
    said, left = "", 1.0
    while left:
        left, answered = session.left(), seats(folder, session)
        _write(folder / PAGE, page(session, answered))
        now = f"students: {len(answered)}, answers: {sum(answered)}"
        if now != said:
            say(now)
        said = now
        time.sleep(min(REFRESH, left))


def seats(folder: Path, session: Session) -> list[int]:
    """How many questions each student of a session has answered."""
    found = []
    for path in sorted(folder.glob(f"*{SEAT}")):
        with suppress(OSError):
            seat = records.readable(files.read_regular(path, 1000), Answered)
            if seat and seat.number == session.number:
                found.append(min(max(seat.answered, 0), session.questions))
    return found


def page(session: Session, answered: Sequence[int]) -> bytes:
    """The page for the room, which loads itself again. It names nobody and holds no answer."""
    left, of = session.left(), len(answered)
    ends = f"ends at {datetime.fromtimestamp(session.ends):%H:%M:%S}" if left else "has ended"
    numbers = range(1, session.questions + 1)
    done = {number: sum(n >= number for n in answered) for number in numbers}
    rows = "".join(f"<tr><th>question {n}<td>{done[n]} of {of}" for n in numbers)
    again = f'<meta http-equiv="refresh" content="{REFRESH}">' if left else ""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8">{again}<title>Session</title>'
        "<style>body { font: 2rem sans-serif; margin: 3rem }</style>"
        f"<h1>{session.lab} {session.part}</h1><p>The session {ends}.<table>"
        f"<caption>Who has answered</caption>{rows}</table></html>\n"
    ).encode()


def running(folder: Path) -> Session | None:
    """The session of a folder; None where there is none, or where it has ended."""
    with suppress(OSError):
        session = records.readable(files.read_regular(folder / SESSION), Session)
        return session if session and session.left() else None
    return None


def _write(path: Path, data: bytes) -> None:
    files.replace(path, data, sync=False)
    path.chmod(0o644)
