"""What the simulator found while a program ran, with the source lines."""

from collections import Counter
from pathlib import Path

import msgspec

from grader.execute import addr2line, records
from grader.execute.addr2line import Location
from grader.model.finding import Finding

MAX_FINDINGS = 50  # of each severity: no number of notes may hide an error
MOST_LINES = 1000


def findings_in(lines: bytes, binary: Path) -> list[Finding]:
    """The findings in lines of JSON, each with its source line where it is known."""
    findings = _read(lines)
    unknown = {f.pc for f in findings if f.pc and not f.line}
    unknown |= {f.other_pc for f in findings if f.other_pc and not f.other_line}
    locations = addr2line.locations(binary, unknown)
    return _without_consequences(_once([_with_lines(f, locations) for f in findings]))


def _read(lines: bytes) -> list[Finding]:
    """The first findings; a line that is none is skipped: a user's own program can write there."""
    findings: list[Finding] = []
    count: Counter[str] = Counter()
    for line in lines.splitlines()[:MOST_LINES]:
        if finding := records.readable(line, Finding):
            count[finding.severity] += 1
            if count[finding.severity] <= MAX_FINDINGS:
                findings.append(finding)
    return findings


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
    """Without repetitions that differ only in their program counters: one line of source may have
    several instructions, as the loop of an atomicAdd() of floats has."""
    shown = [msgspec.structs.replace(f, pc=0, other_pc=0) for f in findings]
    return [f for i, f in enumerate(findings) if shown[i] not in shown[:i]]


def _without_consequences(findings: list[Finding]) -> list[Finding]:
    """Without uninitialized reads at a line that has a race, or in a kernel that runs too early: in
    the order that the simulator chose, the read came before its write, and the race already says
    so. And without the crash that another finding explains."""
    races = [f for f in findings if f.kind.endswith("-race")]
    racing = {(f.file, f.line) for f in races} | {(f.other_file, f.other_line) for f in races}
    if any(f.severity == "error" and f.kind != "aborted" for f in findings):
        findings = [f for f in findings if f.kind != "aborted"]  # which says less
    early = {f.kernel for f in races if f.kind == "async-race" and f.kernel}
    return [
        f
        for f in findings
        if f.kind != "uninitialised-read"
        or ((f.file, f.line) not in racing and f.kernel not in early)
    ]
