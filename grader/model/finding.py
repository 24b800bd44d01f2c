"""A finding: a bug that the simulator or a sanitizer noticed in a run."""

import msgspec

from grader.model import plain_text


class Finding(msgspec.Struct, frozen=True):
    """One finding, by file and line. severity: "error" or "note". block, thread: their indices,
    where they are known."""

    kind: str
    message: str
    severity: str = "error"
    kernel: str = ""
    file: str = ""
    line: int = 0
    block: list[int] = []
    thread: list[int] = []
    pc: int = 0  # the address in the binary, for when the line is not known
    other_file: str = ""  # of a data race: the other access
    other_line: int = 0
    other_pc: int = 0
    count: int = 1  # of findings with this line, or pair of lines, and this object
    launch: int = -1  # where a recording of steps was asked for
    step: int = -1  # of a sequence, where the run was one: grader/contract/

    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.file and self.line else ""

    def elsewhere(self) -> str:
        return f"{self.other_file}:{self.other_line}" if self.other_file and self.other_line else ""

    def render(self) -> str:
        """One line; the program may have written it."""
        where, other, message = self.where(), self.elsewhere(), self.message
        if where:  # its file is named once
            other = other.removeprefix(self.file) if self.other_file == self.file else other
            message = message.replace(f" at {self.file}:", " at line ")
        if other and other != f":{self.line}":
            where = f"{where} and {other}" if where else other
        times = f" ({self.count} times)" if self.count > 1 else ""
        text = f"{where}{times}: {message}" if where else message
        return plain_text.line(text, 400)
