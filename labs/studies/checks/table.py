"""What the simulator finds in programs with planted bugs, compared with compute-sanitizer.

    table.py [--write] [--only TEXT]

Runs every program of bugs/ and correct/ on the simulator with all checks on, and compares the
findings with what its file says (README.md). The exit status is 1 if a program is not as expected.
--write writes the table to RESULTS.md.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from grader.execute.finding_lines import findings_in  # noqa: E402
from grader.execute.program import build  # noqa: E402 - needs the path set above
from grader.model import spec  # noqa: E402

RESULTS = HERE / "RESULTS.md"
SANITIZER = HERE.parent / "nsight" / "sanitizer.csv"
NOTE = "// expect: note "
PROGRAM = re.compile(r"PROGRAM\((\w+)\)")


@dataclass(frozen=True)
class Program:
    """One PROGRAM() of a file, and what its file and its comments expect."""

    path: Path
    argument: str  # its name in the file
    severity: str  # error, note or nothing
    kind: str
    lines: frozenset[int]  # those marked BUG

    @property
    def name(self) -> str:
        return f"{self.path.relative_to(HERE).with_suffix('')}/{self.argument}"


@dataclass(frozen=True)
class Finding:
    severity: str
    kind: str
    lines: frozenset[int]  # one, or two for a race
    message: str


@dataclass(frozen=True)
class Verdict:
    program: Program
    found: bool  # the expected finding, at the right line
    stray: list[Finding]  # errors that are not expected
    status: int

    def right(self) -> bool:
        correct = self.program.severity != "error"
        return self.found and not self.stray and not (correct and self.status)


def programs() -> list[Program]:
    """Every program, bugs first."""
    return [program for path in files() for program in of_file(path)]


def files() -> list[Path]:
    return sorted(HERE.glob("bugs/*.cu")) + sorted(HERE.glob("correct/*.cu"))


def of_file(path: Path) -> list[Program]:
    """What stands in front of a program, from the end of the one before, belongs to it."""
    found: list[Program] = []
    begin, argument = 0, ""
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if match := PROGRAM.match(line):
            argument = match[1]
        elif line == "}" and argument:
            own = range(begin, number)
            notes = [lines[n].removeprefix(NOTE) for n in own if lines[n].startswith(NOTE)]
            severity = "error" if path.parent.name == "bugs" else "note" if notes else "nothing"
            kind = path.stem if severity == "error" else "".join(notes)
            marked = frozenset(n + 1 for n in own if "// BUG" in lines[n])
            found.append(Program(path, argument, severity, kind, marked))
            begin, argument = number + 1, ""
    return found


def run(path: Path) -> list[Verdict]:
    """Builds a file and runs its programs with all checks on, as `./grade run --check` does."""
    built = build([str(path)], profiled=True)
    return [_run(program, built.binary) for program in of_file(path)]


def run_all(paths: list[Path]) -> list[Verdict]:
    """The verdicts on all programs of these files, two files at a time."""
    spec.load("lab1")  # msgspec crashes where two threads are the first to decode a type
    with ThreadPoolExecutor(2) as pool:
        return [verdict for of_one in pool.map(run, paths) for verdict in of_one]


def _run(program: Program, binary: Path) -> Verdict:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "findings.jsonl"
        variables = {"CONVLABS_SIM_CHECK": "1", "CONVLABS_SIM_FINDINGS": str(report)}
        process = subprocess.run(
            [binary, program.argument],
            env=os.environ | variables,
            capture_output=True,
            check=False,
            timeout=300,
        )
        findings = [
            Finding(
                f.severity, f.kind, frozenset(n for n in (f.line, f.other_line) if n), f.message
            )
            for f in findings_in(report.read_bytes() if report.exists() else b"", binary)
        ]
    return judge(program, findings, process.returncode)


def judge(program: Program, findings: list[Finding], status: int) -> Verdict:
    """Compares the findings with what the program expects."""
    if program.severity == "error":
        right = [
            f
            for f in findings
            if f.severity == "error"
            and f.kind == program.kind
            and (f.lines <= program.lines if f.lines else False)
        ]
    else:
        right = [f for f in findings if f.severity == "note" and f.kind == program.kind]
    stray = [
        f
        for f in findings
        if f.severity == "error" and f not in right and not (f.lines and f.lines <= program.lines)
    ]
    found = bool(right) or program.severity == "nothing"
    return Verdict(program, found, stray, status)


def sanitizer() -> dict[str, bool]:
    """Whether any of compute-sanitizer's four tools reported something on an H200, by program."""
    reported: dict[str, bool] = {}
    with SANITIZER.open() as file:
        for row in csv.DictReader(file):
            errors = row["tool"] != "plain" and row["errors"] not in ("", "0")
            reported[row["program"]] = reported.get(row["program"], False) or errors
    return reported


def report(verdicts: list[Verdict]) -> str:
    """The table of RESULTS.md: one row for each kind of bug."""
    theirs = sanitizer()
    rows = [
        "| kind | programs | found here, kind and line right "
        "| compute-sanitizer reported something |",
        "|---|---|---|---|",
    ]
    bugs = [v for v in verdicts if v.program.severity == "error"]
    for kind in sorted({v.program.kind for v in bugs}):
        of_kind = [v for v in bugs if v.program.kind == kind]
        rows.append(_row(kind, of_kind, theirs))
    rows.append(_row("all", bugs, theirs))
    correct = [v for v in verdicts if v.program.severity != "error"]
    alarms = sum(bool(v.stray) for v in correct)
    reported = sum(theirs.get(v.program.name, False) for v in correct)
    noted = [v for v in correct if v.program.severity == "note"]
    rows += [
        "",
        f"Correct programs: {len(correct)}. False alarms here: {alarms}; compute-sanitizer: "
        f"{reported}. Of {len(noted)} that deserve a note, "
        f"{sum(v.found for v in noted)} get it.",
    ]
    missed = [v.program.name for v in bugs if not v.found]
    if missed:
        rows += ["", "Not found: " + ", ".join(missed)]
    return "\n".join(rows)


def _row(kind: str, verdicts: list[Verdict], theirs: dict[str, bool]) -> str:
    ours = sum(v.right() for v in verdicts)
    other = sum(theirs.get(v.program.name, False) for v in verdicts)
    return f"| {kind} | {len(verdicts)} | {ours} | {other} |"


def main() -> int:
    parser = argparse.ArgumentParser(description="Findings in programs with planted bugs.")
    parser.add_argument("--write", action="store_true", help="write RESULTS.md")
    parser.add_argument("--only", default="", help="only files whose name contains this")
    options = parser.parse_args()
    chosen = [path for path in files() if options.only in str(path.relative_to(HERE))]
    verdicts = run_all(chosen)
    for verdict in verdicts:
        if not verdict.right():
            why = "not found" if not verdict.found else "false alarm"
            why = why if verdict.stray or not verdict.found else f"exit status {verdict.status}"
            print(f"{verdict.program.name}: {why}")
            for f in verdict.stray:
                print(f"    {f.kind} at {sorted(f.lines)}: {f.message}")
    table = report(verdicts)
    print(table)
    if options.write:
        head = "# What the checks find\n\n`make check-planted` makes this table.\n\n"
        RESULTS.write_text(f"{head}{table}\n")
    return 0 if all(v.right() for v in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
