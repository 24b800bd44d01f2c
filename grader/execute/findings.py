"""What the simulator found while a program ran, with the source lines."""

import re
from pathlib import Path

import msgspec

from grader.execute import addr2line, records
from grader.execute.addr2line import Location
from grader.model.finding import Finding

MAX_FINDINGS = 50  # of each severity: no number of notes may hide an error
MOST_LINES = 1000
# The object that a message is about, as labs/sim/src/check/memcheck.c words it.
OBJECT = re.compile(
    r"(?:bytes of|past the end of|bytes before|bytes into|freed:|never written:) "
    r"(?:-?\d+ bytes into |element -?\d+ of )?(.+?)"
    r"(?:, with no barrier.*|, and either block.*|: element -?\d+|: \w+\[.*)?$"
)
INDICES = re.compile(r"(\w)(?:\[\d+\])+")
WHO = re.compile(r"thread \(\d+,\d+,\d+\) of block \(\d+,\d+,\d+\)")
VERB = re.compile(r" (?:reads|writes|atomically updates) ")


def findings_in(lines: bytes, binary: Path) -> list[Finding]:
    """The findings in lines of JSON, each with its source line where it is known."""
    findings = _read(lines)
    unknown = {f.pc for f in findings if f.pc and not f.line}
    unknown |= {f.other_pc for f in findings if f.other_pc and not f.other_line}
    locations = addr2line.locations(binary, unknown)
    found = _without_consequences(_once([_with_lines(f, locations) for f in findings]))
    return [f for f in found if f.severity == "error"][:MAX_FINDINGS] + [
        f for f in found if f.severity != "error"
    ][:MAX_FINDINGS]


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


def _subject(finding: Finding) -> tuple[object, ...]:
    lines = {(finding.file, finding.line), (finding.other_file, finding.other_line)}
    about: object = WHO.sub("", finding.message) if finding.line else finding.message
    if finding.line and (named := OBJECT.search(finding.message)):
        verb = VERB.search(finding.message)
        is_race = finding.kind.endswith("-race")
        about = (INDICES.sub(r"\1", named[1]), "" if is_race or not verb else verb[0])
    return finding.kind, finding.kernel, finding.step, frozenset(lines - {("", 0)}), about


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
