"""Turns what AddressSanitizer, LeakSanitizer and UBSan print into findings."""

import re
from itertools import islice

from grader.execute import evidence
from grader.execute.addr2line import shortened
from grader.execute.evidence import Evidence
from grader.execute.findings import MAX_FINDINGS
from grader.model.finding import Finding

_ERROR = re.compile(r"ERROR: AddressSanitizer: (?P<kind>[\w-]+)")
_ACCESS = re.compile(r"^(?P<way>READ|WRITE) of size (?P<bytes>\d+)", re.MULTILINE)
# Two patterns, since one for both takes the square of a line's length, and a program prints here.
_FRAME = re.compile(r"^ +#\d+ 0x[0-9a-f]+ in .*? (?P<location>[^ ].*)$")
_LOCATION = re.compile(r":(?P<line>\d{1,9})(?::\d{1,9})?$")
MOST_LINES = 500  # of a report in which its stack trace is looked for
_NEAR = re.compile(
    r"is located (?P<off>\d+) bytes (?P<side>before|after|to the left of|to the right of) "
    r"(?P<size>\d+)-byte region"
)
_VARIABLE = re.compile(
    r"'(?P<name>\w+)'(?: \(line \d+\))? <== Memory access at offset \d+ (?:overflows|underflows)"
)
_GLOBAL = re.compile(
    r"is located \d+ bytes (?:after|to the right of) global variable '(?P<name>\w+)'"
)
_UNDEFINED = re.compile(
    r"^(?P<file>\S.*?):(?P<line>\d{1,9})(?::\d+)?: runtime error: (?P<text>.*)$", re.MULTILINE
)
_LEAK = re.compile(r"^Direct leak of (?P<bytes>\d+) byte\(s\)", re.MULTILINE)
_RUNTIME = ("../", "<null>")  # how files of the sanitizers and of the C library begin


def findings(stderr: str, reported: Evidence) -> list[Finding]:
    """What the sanitizers report on the stderr of a program that was built with them. That a leak
    was found is evidence; where, only stderr says."""
    findings = [
        Finding(
            "undefined",
            f"{match['text']}; the C standard does not define what happens then",
            file=shortened(match["file"]),
            line=int(match["line"]),
        )
        for match in islice(_UNDEFINED.finditer(stderr), MAX_FINDINGS)
    ]
    if error := _ERROR.search(stderr):
        findings.append(_access(error["kind"], stderr[error.start() :]))
    for leak in islice(_LEAK.finditer(stderr), MAX_FINDINGS):
        file, line = _frame(stderr[leak.start() :])
        findings.append(
            Finding("leak", f"{leak['bytes']} bytes are never freed", file=file, line=line)
        )
    if reported.of(evidence.LEAK) and not any(f.kind == "leak" for f in findings):
        findings.append(Finding("leak", "memory is never freed"))
    return findings


def _access(kind: str, report: str) -> Finding:
    """The finding for AddressSanitizer's error of that kind, with details from its report."""
    file, line = _frame(report)
    access = _ACCESS.search(report)
    verb = "accesses memory"
    if access:
        verb = f"{'reads' if access['way'] == 'READ' else 'writes'} {access['bytes']} bytes"
    if "use-after-free" in kind:
        text = f"{verb} of memory that was already freed"
        return Finding("use-after-free", text, file=file, line=line)
    if "use-after-return" in kind or "use-after-scope" in kind:
        text = f"{verb} of a local variable that no longer exists"
        return Finding("use-after-free", text, file=file, line=line)
    if "overflow" in kind and kind != "stack-overflow":
        return Finding("out-of-bounds", f"{verb} {_outside(report)}", file=file, line=line)
    words = {
        "use-after-poison": f"{verb} just outside of the output",
        "stack-overflow": "endless recursion, or local arrays that are too large",
        "SEGV": f"{verb} that your program does not own",
        "attempting": "frees memory that was not allocated or was already freed",
    }
    name = "out-of-bounds" if kind == "use-after-poison" else "crash"
    return Finding(name, words.get(kind, f"{kind} (AddressSanitizer)"), file=file, line=line)


def _outside(report: str) -> str:
    """Which block or variable was accessed outside of its bounds, and how far outside."""
    if near := _NEAR.search(report):
        before = near["side"] in ("before", "to the left of")
        side = "before the beginning" if before else "past the end"
        return f"{near['off']} bytes {side} of a block of {near['size']} bytes"
    if variable := _VARIABLE.search(report) or _GLOBAL.search(report):
        return f"outside of {variable['name']}"
    return "outside of any variable or block"


def _frame(report: str) -> tuple[str, int]:
    """File and line of the innermost call in the first stack trace that is in the program itself;
    ("", 0) when there is none."""
    inside = False
    for text in report.split("\n", MOST_LINES)[:MOST_LINES]:
        frame = _FRAME.match(text)
        at = _LOCATION.search(frame["location"]) if frame else None
        if frame and at and not frame["location"].startswith(_RUNTIME):
            return shortened(frame["location"][: at.start()]), int(at["line"])
        if inside and not text.strip():
            break
        inside = inside or bool(frame and at)
    return "", 0
