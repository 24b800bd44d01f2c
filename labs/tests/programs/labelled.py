"""Runs programs whose faults are known with `./grade run --check`, and says which it finds.

    python -m labs.tests.programs.labelled --from FOLDER [--only TEXT] [--jobs N] [--nvcc]

FOLDER has a clone of each repository of SUITES (suites.py), named as there: none of their code is
part of this project. labelled.csv keeps the label of each program and what was found here; with
--nvcc, what compute-sanitizer's memcheck and racecheck find on this machine's GPU. Its column
`explained` is written by hand: why what is found is right where it differs. LABELLED.md is the
table.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from labs.tests.programs.run import GRADE, HERE, table
from labs.tests.programs.suites import SUITES, Labelled

OUTCOMES, TABLE = HERE / "labelled.csv", HERE / "LABELLED.md"
COLUMNS = ("suite", "program", "label", "here", "gpu", "why", "explained")
SECONDS = 60
# What a finding is in the words of a label; other findings say nothing about these suites' labels.
KINDS = {
    "race": ("global-race", "shared-race"),
    "memory": ("out-of-bounds", "misaligned", "wrong-space", "use-after-free"),
    "unset": ("uninitialised-read",),
}
SAME_VALUE = "same-value"  # a note: all threads of a race store one value; verifiers call it a race
# Verifiers take what was never set for any value: so memory of malloc() is not 0 here.
UNSET = os.environ | {"MALLOC_PERTURB_": "85"}
# Of cudaDeviceProp, and gone in CUDA 13; the programs that name them print them.
OLD_MEMBERS = ("-DclockRate=major", "-DmemoryClockRate=minor")
HEAD = """# Programs with known faults

Written by `python -m labs.tests.programs.labelled` from `labelled.csv`. Do not edit. A label is the
suite's own; programs that nvcc 13.0 does not build either, and those whose fault is an assertion
about values, are left out. *As labelled*: of the programs with a fault, those where a fault of its
kind is found (a note of a race in which all threads store the same value counts); of those without,
those where none is. *Explained*: of the others, those where what is found is right, for the reason
in the second table. *H200*: compute-sanitizer, memcheck and racecheck, which looks at shared memory
alone (2026-11-28, driver 580.159.04). ECL-Suite does not build with CUDA 13. Of Indigo3 a part
runs, at evenly spaced places of its list (suites.py), each on a graph of 100 nodes.

"""


def found_here(program: Labelled, grade: Path) -> tuple[str, str]:
    """The kinds of faults that `--check` finds, and why there is no answer, if there is none."""
    with tempfile.TemporaryDirectory() as work:
        out = Path(work) / "found.json"
        command = [grade, "run", "--check", "--json", out, "--time-limit", str(SECONDS)]
        command += [program.path.name, *program.options, "--", *program.arguments]
        done = _ended([str(word) for word in command], program.path.parent)
        if done is None or not out.exists():
            last = "" if done is None else next(iter(done.stderr.strip().splitlines()), "")
            return "no answer", last[:160]
        findings = json.loads(out.read_text())["findings"]
    kinds = {f["kind"] for f in findings if f["severity"] == "error"}
    names = sorted(name for name, some in KINDS.items() if kinds & set(some))
    names = [name for name in names if name != "unset" or program.label == name]
    notes = {f["kind"] for f in findings if f["severity"] == "note"}
    names += [SAME_VALUE] if "race" not in names and notes & set(KINDS["race"]) else []
    stopped = done.returncode == 124 and not names
    return ("no answer", "stopped") if stopped else (" ".join(names), "")


def found_there(program: Labelled, _: Path) -> tuple[str, str]:
    """The same by compute-sanitizer."""
    with tempfile.TemporaryDirectory() as work:
        binary = f"{work}/program"
        built = _ended(
            ["nvcc", "-O1", "-arch=native", "-lineinfo", *OLD_MEMBERS, *program.options,
             str(program.path), "-o", binary],
            program.path.parent,
        )  # fmt: skip
        if built is None or built.returncode:
            return "no answer", "nvcc does not build it"
        names = []
        for name, tool in (("memory", "memcheck"), ("race", "racecheck")):
            command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", binary]
            done = _ended([*command, *program.arguments], program.path.parent)
            if done is None:
                return "no answer", f"{tool} does not end"
            if done.returncode == 99:
                names.append(name)
    return " ".join(sorted(names)), ""


def _ended(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(
            argv, cwd=folder, capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=SECONDS + 120, check=False, env=UNSET,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None


def as_labelled(row: dict[str, str]) -> bool:
    found = row["here"].split()
    if row["label"] == "race":
        return "race" in found or SAME_VALUE in found
    return row["label"] in found if row["label"] else set(found) <= {SAME_VALUE}


def write_table(rows: list[dict[str, str]]) -> None:
    """LABELLED.md."""
    silent = [("no answer", "no answer"), ("no answer", "not run")]
    rows = [r for r in rows if (r["here"], r["gpu"]) not in silent or r["explained"]]
    rows = [r for r in rows if r["label"] != "other"]
    lines = [HEAD + "| suite | label | programs | as labelled | explained | open |"]
    lines.append("|---|---|---|---|---|---|")
    for suite, label in sorted({(row["suite"], row["label"]) for row in rows}):
        some = [row for row in rows if (row["suite"], row["label"]) == (suite, label)]
        same = sum(map(as_labelled, some))
        told = sum(bool(row["explained"]) and not as_labelled(row) for row in some)
        lines.append(
            f"| {suite} | {label or 'right'} | {len(some)} | {same} | {told} "
            f"| {len(some) - same - told} |"
        )
    lines += ["", "| not as labelled | label | here | H200 | why |", "|---|---|---|---|---|"]
    for row in rows:
        if not as_labelled(row):
            cells = [row[c] or "nothing" for c in ("program", "label", "here", "gpu")]
            why = (row["explained"] or row["why"]).replace("|", "/")
            lines.append(f"| {' | '.join(cells)} | {why} |")
    TABLE.write_text("\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--from", dest="home", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose path has it")
    parser.add_argument("--grade", type=Path, default=GRADE, help="another checkout's ./grade")
    parser.add_argument("--nvcc", action="store_true", help="on this machine's GPU")
    parser.add_argument("--jobs", type=int, default=1, help="programs that run at a time (1)")
    parser.add_argument("--csv", type=Path, default=OUTCOMES, help="keep the outcomes there")
    options = parser.parse_args()
    rows: dict[tuple[str, str], dict[str, str]] = {}
    if options.csv.exists():
        rows = {(row["suite"], row["program"]): row for row in table(options.csv)}
    look, column = (found_there, "gpu") if options.nvcc else (found_here, "here")
    writing = Lock()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)

        def run_one(program: Labelled) -> None:
            found, why = look(program, options.grade.resolve())
            base = work if program.path.is_relative_to(work) else options.home.resolve()
            path = str(program.path.relative_to(base))
            print(f"{program.label or 'right':8} {found or 'nothing':12} {path} {why}", flush=True)
            with writing:
                row = rows.setdefault((program.suite, path), dict.fromkeys(COLUMNS, ""))
                row |= {"suite": program.suite, "program": path, "label": program.label}
                row |= {column: found} | ({} if options.nvcc else {"why": why})
                with options.csv.open("w", newline="") as file:
                    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(row for _, row in sorted(rows.items()))

        with ThreadPoolExecutor(options.jobs) as jobs:
            for suite, programs in SUITES.items():
                home = options.home.resolve() / suite
                if home.is_dir():
                    some = [p for p in programs(home, work) if options.only in str(p.path)]
                    list(jobs.map(run_one, some))
    if options.csv == OUTCOMES:
        write_table([row for _, row in sorted(rows.items())])
    return 0


if __name__ == "__main__":
    sys.exit(main())
