"""What a check of the simulator or a sanitizer noticed in a run."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """What the simulator noticed, by file and line."""

    kind: str
    message: str
    severity: str = "error"
    kernel: str = ""
    file: str = ""
    line: int = 0
    block: list[int] = []
    thread: list[int] = []
    pc: int = 0  # where in the binary it happened, when the line is not known
    other_file: str = ""  # of a race: the other access
    other_line: int = 0
    other_pc: int = 0

    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.file and self.line else ""

    def elsewhere(self) -> str:
        return f"{self.other_file}:{self.other_line}" if self.other_file and self.other_line else ""

    def render(self) -> str:
        """One line; what a program wrote is never trusted to be printable."""
        places = dict.fromkeys([self.where(), self.elsewhere()])
        where = " and ".join(place for place in places if place)
        text = f"{where}: {self.message}" if where else self.message
        return "".join(c if c.isprintable() else "?" for c in text)[:400]
