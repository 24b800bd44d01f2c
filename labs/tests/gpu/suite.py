"""The whole GPU side of the course, proven on one machine with a GPU.

    python -m labs.tests.gpu.suite --out FOLDER [--labs lab2,lab3]
                                   [--steps grade,sanitize,count,bulk]
    python -m labs.tests.gpu.suite --table FOLDER          (any machine: needs the simulator)

The first takes nvcc, ncu and compute-sanitizer from PATH and what `./grade setup` installs, and
downloads nothing. It writes machine.json, grades.json (solutions and starters, --backend gpu),
sanitizer.json (each part of each solution under four tools), counters.json (ncu's counters of
each solution and baseline, per launch) and bulk.json (programs that misuse the GPU in a bulk run,
where bubblewrap is installed). The second runs the same inputs on the simulator and writes
RESULTS.md beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from grader import paths
from grader.compile import make
from grader.model import spec
from grader.model import submission as submissions
from grader.model.spec import Input, Lab
from grader.oracle import inputs
from grader.oracle.operations import OPERATIONS
from labs.tests.gpu import counters, hostile, table

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
LIMIT = 300.0  # seconds for one run of a tool
Folder = Path


def labs(wanted: str) -> list[Lab]:
    """The labs with a GPU backend, or those of them that are named."""
    chosen = wanted.split(",") if wanted else list(spec.available())
    loaded = [spec.load(name) for name in chosen]
    return [lab for lab in loaded if "gpu" in lab.backends]


def small_inputs(lab: Lab) -> list[Input]:
    """One input for each part, and each one that a technique check counts; with baselines."""
    found: dict[str, Input] = {}
    for part in lab.part:
        if part.file.endswith(".c"):
            continue  # it has no kernel
        of_part: list[Input] = [c for c in [*lab.technique, *lab.safe] if c.part == part.id]
        of_part += [c for c in lab.case if c.part == part.id and not c.inject][: not of_part]
        for check in of_part:
            found.setdefault(check.signature(), check)
    return list(found.values())


def machine() -> dict[str, str]:
    """What the results were taken on, and by which command."""

    def said(*argv: str) -> str:
        try:
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
        except OSError as problem:
            return str(problem)
        return done.stdout.strip()

    query = "--query-gpu=name,driver_version,compute_cap"
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "gpu": said("nvidia-smi", query, "--format=csv,noheader").splitlines()[0],
        "nvcc": said("nvcc", "--version").splitlines()[-2],
        "ncu": said("ncu", "--version").splitlines()[-1],
        "command": "python -m labs.tests.gpu.suite " + " ".join(sys.argv[1:]),
    }


# ---------------------------------------------------------------- grades


def grades(lab: Lab) -> list[dict[str, Any]]:
    """Solution and starter of a lab, as `./grade --backend gpu` grades them."""
    results = []
    for source in ("solutions", "starter"):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "result.json"
            argv = [sys.executable, "-m", "grader", lab.id, "--backend", "gpu", "--src", source]
            began = time.monotonic()
            done = subprocess.run(
                [*argv, "--json", report], capture_output=True, text=True, check=False
            )
            seconds = round(time.monotonic() - began, 1)
            document = json.loads(report.read_text()) if report.exists() else None
        results.append(
            {
                "lab": lab.id,
                "source": source,
                "exit": done.returncode,
                "seconds": seconds,
                "result": document,
                "printed": done.stdout[-4000:],
            }
        )
        print(f"{lab.id} {source}: exit {done.returncode}, {seconds} s", flush=True)
    return results


# ---------------------------------------------------------------- runs under a tool


def command(lab: Lab, check: Input, part: str, binary: Path, folder: Path) -> list[str]:
    """The runner's command line for an input, whose arrays are put into `folder`."""
    given = inputs.inputs(lab, check, check.seed)
    argv = [str(binary), "--part", part]
    for name, array in given.arrays.items():
        np.save(folder / f"{name}.npy", array)
        argv += ["--in", f"{name}={folder}/{name}.npy"]
    for name, value in check.settings().items():
        argv += ["--set", f"{name}={value}"]
    kind, shape = OPERATIONS[lab.part_of(check).operation].output(given.arrays)
    return [*argv, "--out", f"out={folder}/out.raw:{kind}:{'x'.join(map(str, shape))}"]


def parts_of(check: Input) -> tuple[str, str]:
    """What is run with an input: the student's function, and the one to beat."""
    return check.part, "baseline"


def solution_binary(lab: Lab, backend: str, checked: bool = False) -> Path:
    """The runner with our solution. Raises BuildError; exits when ours does not build."""
    target: make.Target = "checked" if checked else "run"
    submission = submissions.find(lab, "solutions")
    built = make.build(make.BuildRequest(submission, backend, target))
    if built.binary is None:
        raise SystemExit(f"the solution of {lab.id} does not build: {built.errors}")
    return built.binary


def runs(lab: Lab, binary: Path, home: Path) -> Iterator[tuple[Input, str, list[str]]]:
    """Every input with its parts, and the command of each."""
    for number, check in enumerate(small_inputs(lab)):
        for part in parts_of(check):
            folder = home / f"{lab.id}-{number}-{part}"
            folder.mkdir(parents=True)
            yield check, part, command(lab, check, part, binary, folder)


def sanitize(lab: Lab, pool: ThreadPoolExecutor) -> list[dict[str, Any]]:
    """Each part of the solution under each of the four tools."""
    binary = solution_binary(lab, "gpu")
    with tempfile.TemporaryDirectory() as home:
        jobs = [
            (check, tool, argv)
            for check, part, argv in runs(lab, binary, Path(home))
            for tool in TOOLS
            if part != "baseline"
        ]
        return list(pool.map(lambda job: _sanitized(lab, *job), jobs))


def _sanitized(lab: Lab, check: Input, tool: str, argv: list[str]) -> dict[str, Any]:
    options = ["--tool", tool, "--error-exitcode", "99", "--print-limit", "3"]
    options += ["--leak-check", "full"] if tool == "memcheck" else []
    done = subprocess.run(
        ["compute-sanitizer", *options, *argv],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    clean = done.returncode == 0 and "ERROR SUMMARY: 0 errors" in done.stdout
    if tool == "racecheck":
        clean = done.returncode == 0 and "0 hazards displayed (0 errors, 0 warnings)" in done.stdout
    return {
        "lab": lab.id,
        "part": check.part,
        "input": check.name,
        "tool": tool,
        "clean": clean,
        "exit": done.returncode,
        "said": "" if clean else (done.stdout + done.stderr)[-1500:],
    }


def count(lab: Lab) -> list[dict[str, Any]]:
    """Nsight Compute's counters of each launch of solution and baseline."""
    binary = solution_binary(lab, "gpu")
    found = []
    with tempfile.TemporaryDirectory() as home:
        for check, part, argv in runs(lab, binary, Path(home)):
            launches, said = counters.by_ncu(argv, LIMIT)
            entry = {"lab": lab.id, "part": part, "input": check.name, "launches": launches}
            found.append(entry | ({} if launches else {"said": said}))
            print(f"{lab.id} {part} {check.name}: {len(launches)} launches", flush=True)
    return found


def simulated(lab: Lab) -> list[dict[str, Any]]:
    """The same from the simulator."""
    binary = solution_binary(lab, "sim", checked=True)
    found = []
    with tempfile.TemporaryDirectory() as home:
        for check, part, argv in runs(lab, binary, Path(home)):
            launches = counters.by_simulator(argv, binary, Path(home))
            found.append({"lab": lab.id, "part": part, "input": check.name, "launches": launches})
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="The GPU side of the course.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path, help="measure here, and write to this folder")
    what.add_argument("--table", type=Path, help="make RESULTS.md from this folder")
    parser.add_argument("--labs", default="", help="such as lab2,lab5; all that have a GPU part")
    parser.add_argument("--steps", default="grade,sanitize,count,bulk")
    options = parser.parse_args()
    os.chdir(paths.ROOT)
    if options.table:
        chosen = labs(options.labs)
        ours = [entry for lab in chosen for entry in simulated(lab)]
        table.write(Path(__file__).with_name("RESULTS.md"), options.table, ours)
        return 0
    for tool in ("nvcc", "nvidia-smi", "ncu", "compute-sanitizer"):
        if not shutil.which(tool):
            print(f"{tool} is missing: this needs a GPU and NVIDIA's CUDA Toolkit")
            return 2
    options.out.mkdir(parents=True, exist_ok=True)
    steps = options.steps.split(",")
    (options.out / "machine.json").write_text(json.dumps(machine(), indent=1))
    results: dict[str, list[Any]] = {"grades": [], "sanitizer": [], "counters": []}
    if "bulk" in steps:
        (options.out / "bulk.json").write_text(json.dumps(hostile.graded(), indent=1))
    with ThreadPoolExecutor(8) as pool:
        for lab in labs(options.labs):
            if "grade" in steps:
                results["grades"] += grades(lab)
            if "sanitize" in steps:
                results["sanitizer"] += sanitize(lab, pool)
            if "count" in steps:
                results["counters"] += count(lab)
            for name, found in results.items():  # what is done is kept, whatever happens next
                if found:
                    (options.out / f"{name}.json").write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
