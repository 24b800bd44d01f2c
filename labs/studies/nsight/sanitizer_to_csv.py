"""Turn measure.sh's logs of compute-sanitizer into one table.

usage: sanitizer_to_csv.py CHECKS LOGS > sanitizer.csv

CHECKS contains the programs, and LOGS a file `path.with.dots.TOOL` per program and tool, whose last
line is `exit STATUS`.  `first_line` is the source line that the first report names, or both lines
of a race ("20 24"); it is empty if the tool names none.
"""

import csv
import re
import sys
from pathlib import Path

TOOLS = ("plain", "memcheck", "racecheck", "initcheck", "synccheck")
PREFIX = "========= "
SUMMARY = re.compile(r"ERROR SUMMARY: (\d+) error")
RACES = re.compile(r"RACECHECK SUMMARY: \d+ hazards? displayed \((\d+) errors?, (\d+) warnings?\)")
# Headers, progress and summaries: not reports.
NOISE = re.compile(
    r"COMPUTE-SANITIZER|.*SUMMARY|Target application|No attachable process|Internal Sanitizer"
)
RACE = re.compile(r"((?:Error|Warning): Race reported between \w+ access)")
ADDRESS = re.compile(r"0x[0-9a-f]+")


def reports(log: str) -> list[list[str]]:
    """Split a log into reports: each the lines between the tool's blank lines, prefix removed."""
    complete: list[list[str]] = []
    current: list[str] = []
    for line in log.splitlines():
        if not line.startswith(PREFIX.rstrip()):
            continue
        text = line[len(PREFIX) :].rstrip()
        if not text or NOISE.match(text):
            if current:
                complete.append(current)
            current = []
        elif current and not text.startswith(" ") and not text.startswith("and "):
            complete.append(current)
            current = [text]
        else:
            current.append(text)
    if current:
        complete.append(current)
    return complete


def kind(report: list[str]) -> str:
    """Return the kind of a report, without addresses and source lines."""
    race = RACE.match(report[0])
    text = race.group(1) if race else report[0].split(" at 0x")[0]
    return ADDRESS.sub("0x", text).strip()


def source_lines(report: list[str], name: str) -> str:
    """Return the source lines that a report names: all lines of a race, else the innermost.

    For a refused launch the innermost is the line of the kernel's stub, which is skipped.
    """
    at = re.compile(re.escape(name) + r":(\d+)")
    lines = [m for text in report for m in at.findall(text)]
    if report[0].endswith("cudaLaunchKernel."):
        lines = lines[1:]
    if not RACE.match(report[0]):
        lines = lines[:1]
    return " ".join(dict.fromkeys(lines))


def count(log: str) -> int | None:
    """Return the errors that a tool's summary counts, with warnings of races; None without one."""
    race = RACES.search(log)
    if race:
        return int(race.group(1)) + int(race.group(2))
    summary = SUMMARY.search(log)
    return int(summary.group(1)) if summary else None


def row(path: str, tool: str, log: str) -> dict[str, str | int]:
    """Return one row of the table for the log of one program under one tool."""
    *_, last = log.splitlines() or [""]
    status = last.removeprefix("exit ") if last.startswith("exit ") else "?"
    out: dict[str, str | int] = {"file": path, "tool": tool, "exit": status}
    if tool == "plain":
        return out
    first = reports(log)
    errors = count(log)
    out["errors"] = len(first) if errors is None else errors
    if first:
        out["first_kind"] = kind(first[0])
        out["first_line"] = source_lines(first[0], Path(path).name)
    elif errors is None:
        out["first_kind"] = "timeout" if status in ("124", "137") else "no summary"
    return out


def main(argv: list[str]) -> int:
    """Write the table of all programs; exit status 1 if no log was found."""
    if len(argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    checks, logs = Path(argv[1]), Path(argv[2])
    writer = csv.DictWriter(
        sys.stdout,
        ["file", "tool", "errors", "first_kind", "first_line", "exit"],
        lineterminator="\n",
    )
    writer.writeheader()
    written = 0
    for source in sorted(checks.rglob("*.cu")):
        path = source.relative_to(checks)
        flat = ".".join(path.with_suffix("").parts)
        for tool in TOOLS:
            log = logs / f"{flat}.{tool}"
            if log.exists():
                writer.writerow(row(str(path), tool, log.read_text(errors="replace")))
                written += 1
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
