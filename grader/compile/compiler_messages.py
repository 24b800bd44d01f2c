"""Reads the messages of compilers and the linker about a student's files."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.model.submission import Submission

_DIAGNOSTIC = re.compile(
    r"^(?P<file>.+?)[:(](?P<line>\d+)(?:[:,]\d+)?\)?:? ?:?\s*(?P<kind>fatal error|error|warning)\s*"
    r"(?:#[\w-]+)?: (?P<text>.*)$"
)
_UNDEFINED = re.compile(r"undefined reference to `(?P<name>[^'(]+)")
_MISSING = re.compile(r"undefined reference to `(?P<name>[^']+)'")
_TWICE = re.compile(r"multiple definition of `(?P<name>[^'(]+)")


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler about a student's file. severity: "error" or "warning"."""

    file: str
    line: int
    severity: str
    text: str

    def render(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def diagnostics_in(log: str, shown: str) -> list[Diagnostic]:
    """The messages of gcc, g++ or nvcc about files in the folder `shown`, in order and without
    repetitions: two builds of one file give the same messages twice."""
    diagnostics = []
    for line in log.splitlines():
        match = _DIAGNOSTIC.match(line)
        if match and match["file"].startswith(shown + "/"):
            severity = "warning" if match["kind"] == "warning" else "error"
            line_number = int(match["line"])
            diagnostics.append(Diagnostic(match["file"], line_number, severity, match["text"]))
    return list(dict.fromkeys(diagnostics))


def unlinked(log: str, submission: Submission) -> list[str]:
    """The linker's errors about the student's functions, in words; [] when there are none."""
    if twice := sorted({m["name"] for m in _TWICE.finditer(log)}):
        return [
            f"{name} is defined twice: in your file and in the lab's own code; remove it from yours"
            for name in twice
        ]
    if missing := sorted({m["name"] for m in _UNDEFINED.finditer(log)}):
        names = ", ".join(f"{n}()" for n in missing)
        return [
            f"your file does not define {names}",
            f"labs/{submission.lab.folder}/lab.h says what each must do; "
            "its name and parameters must be exactly those of lab.h",
        ]
    return []


def undefined(log: str) -> list[str]:
    """The linker's complaints that functions of a user's own program are defined nowhere, one
    sentence each; [] when there are none."""
    names = list(dict.fromkeys(m["name"] for m in _MISSING.finditer(log)))
    sentences = [f"{name} is used, but none of the files defines it" for name in names
                 if name != "main"]  # fmt: skip
    if "main" in names:
        why = "the program has no main(): ./grade run needs all of its files, one with a main()"
        sentences.insert(0, why)
    return sentences


def listed(errors: list[Diagnostic], submission: Submission) -> list[str]:
    """The first error with the student's source line below it, and a few of the other errors."""
    source = submission.line(errors[0].file, errors[0].line)
    shown = [errors[0].render(), *([f"    {source}"] if source else [])]
    shown += [d.render() for d in errors[1:4]]
    if len(errors) > 4:
        shown.append(f"and {len(errors) - 4} more; the first one often causes the others")
    return shown
