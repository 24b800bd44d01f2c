"""A finding: a bug that the simulator or a sanitizer noticed in a run."""

from grader.findings.record import Record
from grader.findings.sentence import sentence
from grader.model import plain_text


class Finding(Record, frozen=True):
    """One finding, by file and line. severity: "error" or "note"."""

    count: int = 1  # of findings with this line, or pair of lines, and this object

    @property
    def message(self) -> str:
        """Its sentence; lines that it names have their files."""
        return sentence(self)

    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.file and self.line else ""

    def elsewhere(self) -> str:
        return f"{self.other_file}:{self.other_line}" if self.other_file and self.other_line else ""

    def render(self) -> str:
        """One line; the program may have written it."""
        where, other = self.where(), self.elsewhere()
        message = sentence(self, self.file if where else "")
        if where and self.other_file == self.file:  # its file is named once
            other = other.removeprefix(self.file)
        if other and other != f":{self.line}":
            where = f"{where} and {other}" if where else other
        times = f" ({self.count} times)" if self.count > 1 else ""
        text = f"{where}{times}: {message}" if where else message
        return plain_text.line(text, 400)
