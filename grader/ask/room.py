"""A session in class. A folder that all can write to holds the clock, a seat for each student, and
a page that shows the room how many have answered. Nothing is sent over a network."""

import fcntl
import getpass
import html
import os
import re
import secrets
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from grader import files
from grader.ask.words import count
from grader.execute import records

SESSION, PAGE = "session.json", "room.html"
MOST_SEATS = 99  # of one user name
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
    schema: Literal["convlabs-session/v1"] = "convlabs-session/v1"

    def left(self) -> float:
        """Seconds, at least 0."""
        return max(self.ends - time.time(), 0)


class Answered(msgspec.Struct, frozen=True):
    """What a seat holds: how many questions of a session were answered, right or wrong."""

    number: str
    answered: int


@dataclass
class Seat:
    """A student's place in a session; `file` stays locked while it is taken."""

    session: Session
    name: str
    file: int

    @property
    def seed(self) -> str:
        """What makes the questions of this seat differ from those of all others."""
        return f"{self.session.number} {self.name}"

    def note(self, answered: int) -> None:
        """Counts the answers. Raises OSError."""
        data = msgspec.json.encode(Answered(self.session.number, answered))
        os.ftruncate(self.file, 0)
        os.pwrite(self.file, data, 0)

    def read(self, prompt: str) -> str:
        """A line of input; raises EOFError when the time is over."""

        def over(*_: object) -> None:
            raise EOFError

        before = signal.signal(signal.SIGALRM, over)
        try:
            signal.setitimer(signal.ITIMER_REAL, max(self.session.left(), 0.001))
            return input(prompt)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def open_room(folder: Path, lab: str, part: str, questions: int, minutes: float) -> Session:
    """Starts a session; one of the same part that has not ended goes on. Raises OSError, and
    RoomError where one of another part has not ended."""
    if not folder.exists():
        folder.mkdir(parents=True)
        folder.chmod(0o1777)  # all may take a seat, and none may remove another's
    running = _session(folder)
    if running and running.left():
        if (running.lab, running.part) != (lab, part):
            raise RoomError(f"a session of {running.lab} {running.part} has not ended in {folder}")
        return running
    session = Session(lab, part, questions, time.time() + 60 * minutes, secrets.token_hex(8))
    files.replace(folder / SESSION, msgspec.json.encode(session), sync=False)
    (folder / SESSION).chmod(0o644)
    return session


def take_seat(folder: Path, lab: str, part: str) -> Seat:
    """A seat under the user's name; who comes back gets the same one, and two at once get two.
    Raises OSError and RoomError."""
    session = _session(folder)
    if session is None or not session.left():
        start = f"./grade ask {lab} {part} --room {folder}"
        raise RoomError(f"no session runs in {folder}; the instructor starts one: {start}")
    if (session.lab, session.part) != (lab, part):
        raise RoomError(f"this session asks about {session.lab} {session.part}")
    user = re.sub(r"\W", "_", _user())[:40]
    for name in (f"{user}-{number}" for number in range(1, MOST_SEATS + 1)):
        way = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(folder / f"{name}.seat", way, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            continue
        os.fchmod(file, 0o644)
        seat = Seat(session, name, file)
        before = records.readable(os.pread(file, 1000, 0), Answered)
        if before is None or before.number != session.number:
            seat.note(0)
        return seat
    raise RoomError(f"all seats of {user} are taken")


def host(folder: Path, session: Session, say: Callable[[str], None]) -> None:
    """Keeps the page up to date until the time is over, or the user ends it. Raises OSError."""
    before: list[int] | None = None
    while True:
        answered = seats(folder, session)
        files.replace(folder / PAGE, page(session, answered), sync=False)
        (folder / PAGE).chmod(0o644)
        if answered != before:
            say(summary(answered))
        before = answered
        if not session.left():
            return
        time.sleep(min(REFRESH, session.left() + 0.01))


def seats(folder: Path, session: Session) -> list[int]:
    """How many questions each student of a session has answered."""
    found = []
    for path in sorted(folder.glob("*.seat")):
        try:
            seat = records.readable(files.read_regular(path, 1000), Answered)
        except OSError:
            continue
        if seat and seat.number == session.number:
            found.append(min(max(seat.answered, 0), session.questions))
    return found


def summary(answered: Sequence[int]) -> str:
    """Such as "3 students, 2 with an answer, 7 answers in all"."""
    began = sum(n > 0 for n in answered)
    answers = count(sum(answered), "answer")
    return f"{count(len(answered), 'student')}, {began} with an answer, {answers} in all"


def page(session: Session, answered: Sequence[int]) -> bytes:
    """The page for the room, which loads itself again; it names nobody and holds no answer."""
    left, of = session.left(), len(answered)
    ends = f"ends at {datetime.fromtimestamp(session.ends):%H:%M:%S}" if left else "has ended"
    rows = "".join(
        f"<tr><th>question {number}<td><meter max={max(of, 1)} value={done}></meter>"
        f"<td>{done} of {of}"
        for number in range(1, session.questions + 1)
        for done in [sum(n >= number for n in answered)]
    )
    again = f'<meta http-equiv="refresh" content="{REFRESH}">' if left else ""
    title = html.escape(f"{session.lab} {session.part}")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8">{again}<title>{title}</title>'
        "<style>body { font: 2rem sans-serif; margin: 3rem } meter { width: 40vw }</style>"
        f"<h1>{title}</h1><p>The session {ends}. Answered:<table>{rows}</table></html>\n"
    ).encode()


def _session(folder: Path) -> Session | None:
    try:
        return records.readable(files.read_regular(folder / SESSION), Session)
    except OSError:
        return None


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return f"{os.getuid()}"
