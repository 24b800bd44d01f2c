"""What the process that carries out a call tells the server: lines of JSON."""

import msgspec

from grader.model.counters import Counters
from grader.model.question import Asked
from grader.model.result import Result


class Counted(msgspec.Struct, frozen=True):
    """What a line of the student's file cost in one launch of a kernel, for one check."""

    check: str
    kernel: str
    launch: int
    file: str
    line: int
    counters: Counters


class Graded(msgspec.Struct, frozen=True):
    """A grade, and what its technique checks counted."""

    result: Result
    counted: list[Counted]


class Stepped(msgspec.Struct, frozen=True):
    """A page that steps through a block. opens: what it shows first, in words."""

    check: str
    page: str
    kernel: str
    block: str
    opens: list[str]


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: what is under way, or the outcome."""

    progress: str = ""
    graded: Graded | None = None
    stepped: Stepped | None = None
    asked: Asked | None = None

    def is_outcome(self) -> bool:
        return bool(self.graded or self.stepped or self.asked)
