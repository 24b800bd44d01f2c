"""Turns what AddressSanitizer, LeakSanitizer and UBSan print into findings."""

import re
from itertools import islice

from msgspec.structs import replace

from grader.execute import evidence
from grader.execute.addr2line import shortened
from grader.execute.evidence import Evidence
from grader.execute.finding_lines import MAX_FINDINGS
from grader.model.finding import Finding

_ERROR = re.compile(r"ERROR: AddressSanitizer: (?P<kind>[\w-]+)")
_ACCESS = re.compile(r"^(?P<way>READ|WRITE) of size (?P<bytes>\d{1,19})", re.MULTILINE)
# Two patterns, since one for both takes the square of a line's length, and a program prints here.
_FRAME = re.compile(r"^ +#\d+ 0x[0-9a-f]+ in .*? (?P<location>[^ ].*)$")
_LOCATION = re.compile(r":(?P<line>\d{1,9})(?::\d{1,9})?$")
MOST_LINES = 500  # of a report in which its stack trace is looked for
_NEAR = re.compile(
    r"is located (?P<off>\d{1,19}) bytes (?P<side>before|after|to the left of|to the right of) "
    r"(?P<size>\d{1,19})-byte region"
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
_LEAK = re.compile(r"^Direct leak of (?P<bytes>\d{1,19}) byte\(s\)", re.MULTILINE)
_RUNTIME = ("../", "<null>")  # how files of the sanitizers and of the C library begin


# AddressSanitizer's words for an error, or a part of them, and the kind and case of its finding.
ERRORS = {
    "use-after-free": ("use-after-free", "heap"),
    "use-after-return": ("use-after-free", "frame"),
    "use-after-scope": ("use-after-free", "frame"),
    "use-after-poison": ("out-of-bounds", "output"),
    "stack-overflow": ("stack-overflow", "crash"),
    "SEGV": ("crash", "foreign"),
    "attempting": ("crash", "bad-free"),
}
OTHER = ("crash", "other")
OUTSIDE = "out-of-bounds"
SIDES = {
    "before": "block-before",
    "to the left of": "block-before",
    "after": "block-after",
    "to the right of": "block-after",
}
NAMED, NOWHERE = "named", "nowhere"  # a variable, or nothing that is known
LEAKED, LEAKED_SOMEWHERE = ("leak", "sanitizer"), ("leak", "somewhere")
UNDEFINED = ("undefined", "")


def findings(stderr: str, reported: Evidence) -> list[Finding]:
    """What the sanitizers report on the stderr of a program that was built with them. That a leak
    was found is evidence; where, only stderr says."""
    findings = [
        Finding(
            *UNDEFINED,
            text=match["text"],
            file=shortened(match["file"]),
            line=int(match["line"]),
        )
        for match in islice(_UNDEFINED.finditer(stderr), MAX_FINDINGS)
    ]
    if error := _ERROR.search(stderr):
        findings.append(_access(error["kind"], stderr[error.start() :]))
    for leak in islice(_LEAK.finditer(stderr), MAX_FINDINGS):
        file, line = _frame(stderr[leak.start() :])
        findings.append(Finding(*LEAKED, bytes=int(leak["bytes"]), file=file, line=line))
    if reported.of(evidence.LEAK) and not any(f.kind == "leak" for f in findings):
        findings.append(Finding(*LEAKED_SOMEWHERE))
    return findings


def _access(error: str, report: str) -> Finding:
    """The finding for AddressSanitizer's error of that kind, with details from its report."""
    file, line = _frame(report)
    found = next((kind for words, kind in ERRORS.items() if words in error), OTHER)
    finding = Finding(*found, file=file, line=line)
    if access := _ACCESS.search(report):
        verb = "read" if access["way"] == "READ" else "write"
        finding = replace(finding, verb=verb, bytes=int(access["bytes"]))
    if found is not OTHER:
        return finding
    if "overflow" in error:
        return _outside(finding, report)
    return replace(finding, text=error)


def _outside(access: Finding, report: str) -> Finding:
    """The same, with the block or variable outside of whose bounds it is, and how far outside."""
    if near := _NEAR.search(report):
        off, size = int(near["off"]), int(near["size"])
        return replace(access, kind=OUTSIDE, case=SIDES[near["side"]], value=off, limit=size)
    if variable := _VARIABLE.search(report) or _GLOBAL.search(report):
        return replace(access, kind=OUTSIDE, case=NAMED, text=variable["name"])
    return replace(access, kind=OUTSIDE, case=NOWHERE)


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
