"""What compilers and the linker say about a student's files."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.model.submission import Submission

_DIAGNOSTIC = re.compile(
    r"^(?P<file>.+?)[:(](?P<line>\d+)(?:[:,]\d+)?\)?:? ?:?\s*(?P<kind>fatal error|error|warning)\s*"
    r"(?:#[\w-]+)?: (?P<text>.*)$"
)
_UNDEFINED = re.compile(r"undefined reference to `(?P<name>[^'(]+)")
_TWICE = re.compile(r"multiple definition of `(?P<name>[^'(]+)")


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler about the student's file."""

    file: str
    line: int
    severity: str
    text: str

    def render(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def diagnostics_in(log: str, shown: str) -> list[Diagnostic]:
    """What gcc, g++ or nvcc say about the student's files, in their order."""
    found = []
    for line in log.splitlines():
        match = _DIAGNOSTIC.match(line)
        if match and match["file"].startswith(shown + "/"):
            severity = "warning" if match["kind"] == "warning" else "error"
            found.append(Diagnostic(match["file"], int(match["line"]), severity, match["text"]))
    return list(dict.fromkeys(found))  # two builds of one file say the same twice


def unlinked(log: str, submission: Submission) -> list[str]:
    """What the linker says of the student's functions, in words; [] when it says nothing."""
    if twice := sorted({m["name"] for m in _TWICE.finditer(log)}):
        return [
            f"{name} is defined twice: in your file and in the lab's own code; remove yours"
            for name in twice
        ]
    if missing := sorted({m["name"] for m in _UNDEFINED.finditer(log)}):
        names = ", ".join(f"{n}()" for n in missing)
        return [
            f"your file does not define {names}",
            f"labs/{submission.lab.folder}/lab.h says what each must do; "
            "a function of another name or with other parameters does not count",
        ]
    return []


def listed(errors: list[Diagnostic], submission: Submission) -> list[str]:
    """The first of some errors with the student's own line below it, and a few of the others."""
    source = submission.line(errors[0].file, errors[0].line)
    shown = [errors[0].render(), *([f"    {source}"] if source else [])]
    shown += [d.render() for d in errors[1:4]]
    if len(errors) > 4:
        shown.append(f"and {len(errors) - 4} more; the first one often causes the others")
    return shown
