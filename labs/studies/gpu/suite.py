"""Tests everything in the course that needs a GPU, on one machine with a GPU.

    python -m labs.studies.gpu.suite --out FOLDER [--labs lab2,lab3]
                                   [--steps grade,sanitize,count,bulk]
    python -m labs.studies.gpu.suite --table FOLDER          (any machine: needs the simulator)

The first needs nvcc, ncu and compute-sanitizer on PATH and what `./grade setup` installs; it
downloads nothing. It writes machine.json, grades.json (solutions and starters, --backend gpu),
sanitizer.json (each part of each solution under four tools), counters.json (ncu's counters of
each solution and baseline, per launch) and, if bubblewrap is installed, bulk.json (programs that
misuse the GPU, in a bulk run). The second runs the same inputs on the simulator and writes
RESULTS.md and results.json in this folder; the handouts quote the latter (handouts/facts/).
"""

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
from grader.model import outline, spec
from grader.model import submission as submissions
from grader.model.lab import Input, Lab
from grader.oracle import inputs, operations
from labs.studies.gpu import counters, hostile, table

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
LIMIT = 300.0  # seconds for one run of a tool
Folder = Path


def labs(names: str) -> list[Lab]:
    """The labs with a GPU backend: all, or those in a list such as "lab2,lab5"."""
    chosen = names.split(",") if names else list(outline.available())
    loaded = [spec.load(name) for name in chosen]
    return [lab for lab in loaded if "gpu" in lab.backends]


def small_inputs(lab: Lab) -> list[Input]:
    """The inputs of each part's technique and safe checks, or without any, of its first case."""
    distinct: dict[str, Input] = {}
    for part in lab.part:
        if part.file.endswith(".c"):
            continue  # it has no kernel
        of_part: list[Input] = [c for c in [*lab.technique, *lab.safe] if c.part == part.id]
        of_part += [c for c in lab.case if c.part == part.id and not c.inject][: not of_part]
        for check in of_part:
            distinct.setdefault(check.signature(), check)
    return list(distinct.values())


def machine() -> dict[str, str]:
    """The machine and the command that produced the results."""

    def stdout(*argv: str) -> str:
        try:
            process = subprocess.run(argv, capture_output=True, text=True, check=False)
        except OSError as problem:
            return str(problem)
        return process.stdout.strip()

    query = "--query-gpu=name,driver_version,compute_cap"
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "gpu": stdout("nvidia-smi", query, "--format=csv,noheader").splitlines()[0],
        "nvcc": stdout("nvcc", "--version").splitlines()[-2],
        "ncu": stdout("ncu", "--version").splitlines()[-1],
        "command": "python -m labs.studies.gpu.suite " + " ".join(sys.argv[1:]),
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
            process = subprocess.run(
                [*argv, "--json", report], capture_output=True, text=True, check=False
            )
            seconds = round(time.monotonic() - began, 1)
            document = json.loads(report.read_text()) if report.exists() else None
        results.append(
            {
                "lab": lab.id,
                "source": source,
                "exit": process.returncode,
                "seconds": seconds,
                "result": document,
                "printed": process.stdout[-4000:],
            }
        )
        print(f"{lab.id} {source}: exit {process.returncode}, {seconds} s", flush=True)
    return results


# ---------------------------------------------------------------- runs under a tool


def command(lab: Lab, check: Input, part: str, binary: Path, folder: Path) -> list[str]:
    """The runner's command line for an input, whose arrays are saved in `folder`."""
    case = inputs.inputs(lab, check, check.seed)
    argv = [str(binary), "--part", part]
    for name, array in case.arrays.items():
        np.save(folder / f"{name}.npy", array)
        argv += ["--in", f"{name}={folder}/{name}.npy"]
    for name, value in check.settings().items():
        argv += ["--set", f"{name}={value}"]
    kind, shape = operations.of(lab, check.part).output(case.arrays)
    return [*argv, "--out", f"out={folder}/out.raw:{kind}:{'x'.join(map(str, shape))}"]


def parts_of(check: Input) -> tuple[str, str]:
    """The parts that run with an input: that of the student's function, and the baseline."""
    return check.part, "baseline"


def solution_binary(lab: Lab, backend: str, checked: bool = False) -> Path:
    """The runner with our solution. Raises BuildError; exits if the solution does not build."""
    target: make.Target = "checked" if checked else "run"
    submission = submissions.find(lab, "solutions")
    built = make.build(make.BuildRequest(submission, backend, target))
    if built.binary is None:
        raise SystemExit(f"the solution of {lab.id} does not build: {built.errors}")
    return built.binary


def runs(lab: Lab, binary: Path, home: Path) -> Iterator[tuple[Input, str, list[str]]]:
    """Every input with each of its parts, and the command that runs it."""
    for number, check in enumerate(small_inputs(lab)):
        for part in parts_of(check):
            folder = home / f"{lab.id}-{number}-{part}"
            folder.mkdir(parents=True)
            yield check, part, command(lab, check, part, binary, folder)


def sanitize(lab: Lab, pool: ThreadPoolExecutor) -> list[dict[str, Any]]:
    """Runs each part of the solution under each of the four tools."""
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
    process = subprocess.run(
        ["compute-sanitizer", *options, *argv],
        env=os.environ | {"CONVLABS_EXACT_MEMORY": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    clean = process.returncode == 0 and "ERROR SUMMARY: 0 errors" in process.stdout
    if tool == "racecheck":
        no_hazards = "0 hazards displayed (0 errors, 0 warnings)"
        clean = process.returncode == 0 and no_hazards in process.stdout
    return {
        "lab": lab.id,
        "part": check.part,
        "input": check.name,
        "tool": tool,
        "clean": clean,
        "exit": process.returncode,
        "output": "" if clean else (process.stdout + process.stderr)[-1500:],
    }


def count(lab: Lab) -> list[dict[str, Any]]:
    """Nsight Compute's counters of each launch of solution and baseline."""
    binary = solution_binary(lab, "gpu")
    entries = []
    with tempfile.TemporaryDirectory() as home:
        for check, part, argv in runs(lab, binary, Path(home)):
            launches, output = counters.by_ncu(argv, LIMIT)
            entry = {"lab": lab.id, "part": part, "input": check.name, "launches": launches}
            entries.append(entry | ({} if launches else {"output": output}))
            print(f"{lab.id} {part} {check.name}: {len(launches)} launches", flush=True)
    return entries


def simulated(lab: Lab) -> list[dict[str, Any]]:
    """The simulator's counters of each launch of solution and baseline."""
    binary = solution_binary(lab, "sim", checked=True)
    entries = []
    with tempfile.TemporaryDirectory() as home:
        for check, part, argv in runs(lab, binary, Path(home)):
            launches = counters.by_simulator(argv, binary, Path(home))
            entries.append({"lab": lab.id, "part": part, "input": check.name, "launches": launches})
    return entries


def main() -> int:
    parser = argparse.ArgumentParser(description="Tests everything in the course that needs a GPU.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path, help="measure here, and write to this folder")
    what.add_argument(
        "--table", type=Path, help="write RESULTS.md and results.json from this folder"
    )
    parser.add_argument(
        "--labs", default="", help="such as lab2,lab5; default: all that have a GPU part"
    )
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
            for name, entries in results.items():  # saved now, in case a later step fails
                if entries:
                    (options.out / f"{name}.json").write_text(json.dumps(entries, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
