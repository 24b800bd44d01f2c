"""What the simulator found while a program ran, with the source lines."""

from pathlib import Path

import msgspec

from grader.execute import addr2line, records
from grader.execute.addr2line import Location
from grader.model.finding import Finding

MAX_FINDINGS = 50  # of each severity: no number of notes may hide an error
MOST_LINES = 1000
# Fields that do not distinguish findings: an error replaces the same note.
INCIDENTAL = {"severity": "error", "cause": "", "pc": 0, "other_pc": 0, "launch": -1}
WHO: dict[str, list[int]] = {"block": [], "thread": [], "block_size": [], "other_thread": []}


def findings_in(lines: bytes, binary: Path) -> list[Finding]:
    """The findings in lines of JSON, errors first, each with its source line where it is known."""
    return sorted(in_order(lines, binary), key=lambda f: f.severity != "error")


def in_order(lines: bytes, binary: Path) -> list[Finding]:
    """The same in the order in which they were found."""
    findings = _read(lines)
    unknown = {f.pc for f in findings if f.pc and not f.line}
    unknown |= {f.other_pc for f in findings if f.other_pc and not f.other_line}
    locations = addr2line.locations(binary, unknown)
    found = _without_consequences(_once([_with_lines(f, locations) for f in findings]))
    left = {True: MAX_FINDINGS, False: MAX_FINDINGS}
    kept = []
    for finding in found:
        is_error = finding.severity == "error"
        if left[is_error] > 0:
            kept.append(finding)
        left[is_error] -= 1
    return kept


def _read(lines: bytes) -> list[Finding]:
    """A line that is no finding is skipped: a user's own program can write there."""
    read = (records.readable(line, Finding) for line in lines.splitlines()[:MOST_LINES])
    return [finding for finding in read if finding]


def _with_lines(finding: Finding, locations: dict[int, Location]) -> Finding:
    """The finding with the source lines of its program counters, where they are known."""
    if not finding.line:
        file, line = locations.get(finding.pc, addr2line.UNKNOWN)
        if line:
            finding = msgspec.structs.replace(finding, file=file, line=line)
    if not finding.other_line:
        file, line = locations.get(finding.other_pc, addr2line.UNKNOWN)
        if line:
            finding = msgspec.structs.replace(finding, other_file=file, other_line=line)
    return finding


def _once(findings: list[Finding]) -> list[Finding]:
    """One finding for each line, or pair of lines, and object, with how many there were: one line
    of source has several instructions, as an unrolled loop or the loop of an atomicAdd() of floats
    has. A note goes where the same is an error."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_subject(finding), []).append(finding)
    once = []
    for group in groups.values():
        same = [f for f in group if f.severity == "error"] or group
        once.append(msgspec.structs.replace(same[0], count=len(same)))
    return once


def _subject(f: Finding) -> tuple[object, ...]:
    lines = {(f.file, f.line), (f.other_file, f.other_line)}
    return f.kind, f.kernel, f.step, frozenset(lines - {("", 0)}), _about(f)


def _about(f: Finding) -> object:
    """At a known line the memory and how it is accessed, whichever thread and element it is; or
    else all that is known, of a known line without the threads."""
    verb = "" if f.kind.endswith("-race") else f.verb
    if f.line and f.kind == "leak":
        return f.case, f.object and f.object.space, f.number
    if f.line and f.object:
        return f.object, verb, f.value, 0 if f.thread else f.offset
    if f.line and verb and not f.address:
        return f.case, verb
    plain = msgspec.structs.replace(f, **INCIDENTAL, **(WHO if f.line else {}))
    return msgspec.json.encode(plain)


def _without_consequences(findings: list[Finding]) -> list[Finding]:
    """Without uninitialized reads of what has a race at this line, or in a kernel that runs too
    early: in the order that the simulator chose, the read came before its write, and the race
    already says so. But not of what the reader itself was the first to write: no order sets that.
    And without the crash that another finding explains."""
    races = [f for f in findings if f.kind.endswith("-race")]
    racing = {(f.file, f.line, f.object) for f in races}
    racing |= {(f.other_file, f.other_line, f.object) for f in races}
    if any(f.severity == "error" and f.kind != "aborted" for f in findings):
        findings = [f for f in findings if f.kind != "aborted"]  # which says less
    early = {f.kernel for f in races if f.kind == "async-race" and f.kernel}
    return [
        f
        for f in findings
        if f.kind != "uninitialised-read"
        or ((f.file, f.line, f.object) not in racing and f.kernel not in early)
        or any(_was_first_write(race, f) for race in races)
    ]


def _was_first_write(race: Finding, read: Finding) -> bool:
    """Does another thread race with what the thread of this read wrote to the same bytes?"""
    return (
        (race.object, race.offset, race.kernel) == (read.object, read.offset, read.kernel)
        and (race.verb, race.other_verb) == ("read", "write")
        and race.block == read.block
        and race.other_thread == read.thread != []
        and race.line == read.line
    )
