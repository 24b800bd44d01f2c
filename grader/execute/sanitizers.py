"""What AddressSanitizer, LeakSanitizer and UBSan print, as findings in our own words."""

from __future__ import annotations

import re

from grader.execute.addr2line import nearer
from grader.model.finding import Finding

_ERROR = re.compile(r"ERROR: AddressSanitizer: (?P<kind>[\w-]+)")
_ACCESS = re.compile(r"^(?P<way>READ|WRITE) of size (?P<bytes>\d+)", re.MULTILINE)
_FRAME = re.compile(r"^ +#\d+ 0x[0-9a-f]+ in .*? (?P<file>[^ ].*?):(?P<line>\d+)(?::\d+)?$")
_NEAR = re.compile(
    r"is located (?P<off>\d+) bytes (?P<side>before|after|to the left of|to the right of) "
    r"(?P<size>\d+)-byte region"
)
_VARIABLE = re.compile(
    r"'(?P<name>\w+)'.*<== Memory access at offset \d+ (?P<how>overflows|underflows)"
)
_GLOBAL = re.compile(
    r"is located \d+ bytes (?:after|to the right of) global variable '(?P<name>\w+)'"
)
_UNDEFINED = re.compile(
    r"^(?P<file>\S.*?):(?P<line>\d+)(?::\d+)?: runtime error: (?P<text>.*)$", re.MULTILINE
)
_LEAK = re.compile(r"^Direct leak of (?P<bytes>\d+) byte\(s\)", re.MULTILINE)
_RUNTIME = ("../", "<null>")  # files of the sanitizers' own, and of the C library


def findings(said: str) -> list[Finding]:
    """What the sanitizers found, in the stderr of a run that they watched."""
    found = [
        Finding(
            "undefined",
            f"{match['text']}; what happens then is not defined in C",
            file=nearer(match["file"]),
            line=int(match["line"]),
        )
        for match in _UNDEFINED.finditer(said)
    ]
    if error := _ERROR.search(said):
        found.append(_access(error["kind"], said[error.start() :]))
    for leak in _LEAK.finditer(said):
        file, line = _frame(said[leak.start() :])
        found.append(
            Finding("leak", f"{leak['bytes']} bytes are never freed", file=file, line=line)
        )
    return found


def _access(kind: str, report: str) -> Finding:
    file, line = _frame(report)
    access = _ACCESS.search(report)
    verb = "touches memory"
    if access:
        verb = f"{'reads' if access['way'] == 'READ' else 'writes'} {access['bytes']} bytes"
    if "use-after-free" in kind or "use-after-return" in kind or "use-after-scope" in kind:
        return Finding("use-after-free", f"{verb} of what is gone by then", file=file, line=line)
    if "overflow" in kind and kind != "stack-overflow":
        return Finding("out-of-bounds", f"{verb} {_outside(report)}", file=file, line=line)
    words = {
        "use-after-poison": f"{verb} just outside of the output",
        "stack-overflow": "endless recursion, or local arrays that are too large",
        "SEGV": f"{verb} that is not the program's",
        "attempting": "frees what was not allocated, or twice",
    }
    name = "out-of-bounds" if kind == "use-after-poison" else "crash"
    return Finding(name, words.get(kind, f"{kind} (AddressSanitizer)"), file=file, line=line)


def _outside(report: str) -> str:
    """Outside of what, and how far."""
    if near := _NEAR.search(report):
        before = near["side"] in ("before", "to the left of")
        side = "before the beginning" if before else "past the end"
        return f"{near['off']} bytes {side} of a block of {near['size']} bytes"
    if variable := _VARIABLE.search(report) or _GLOBAL.search(report):
        return f"outside of {variable['name']}"
    return "outside of any variable or block"


def _frame(report: str) -> tuple[str, int]:
    """The innermost call of the first stack that is the program's own."""
    inside = False
    for text in report.splitlines():
        match = _FRAME.match(text)
        if match and not match["file"].startswith(_RUNTIME):
            return nearer(match["file"]), int(match["line"])
        if inside and not text.strip():
            break
        inside = inside or bool(match)
    return "", 0
