"""Grades programs that misuse a GPU, between two correct ones, in a sandboxed bulk run."""

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from grader import paths
from grader.classroom.bulk.isolation import probe
from grader.model import spec
from grader.sandbox import choice

LAB = "lab3"
SECONDS = 3  # time limit for a case

HEADERS = "#include <cstdio>\n#include <cstdlib>\n"
KERNEL = "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
LAUNCH = "    constant_kernel<<<grid, block>>>("

# For each misuse: a line of the solution, and the line to insert before it.
MISUSES = {
    "endless kernel": (KERNEL, "for (volatile int i = 0;; i = 1 - i) {}"),
    "illegal address": (KERNEL, "*(volatile float *)0xdead0000 = 1.0f;"),
    "printf flood": (KERNEL, 'for (int i = 0; i < 100000; i++) printf("a flood, drop %d\\n", i);'),
    "all of the memory": (
        LAUNCH,
        "void *d_all; for (size_t n = (size_t)1 << 36; n > 1 << 20; n /= 2)"
        " while (cudaMalloc(&d_all, n) == cudaSuccess) {} cudaGetLastError();",
    ),
    "exit before the result": (LAUNCH, "exit(0);"),
    "includes the solution": (HEADERS, f'#include "{paths.ROOT}/solutions/{{file}}"'),
}


def sources() -> dict[str, str]:
    """The text of constant_mask.cu, by the student's name. Raises ValueError if the solution does
    not contain a line of MISUSES exactly once."""
    lab = spec.load(LAB)
    file = f"{lab.folder}/{lab.submit[0]}"
    solution = HEADERS + (paths.ROOT / "solutions" / file).read_text()
    files = {"a right one": solution, "z right one": solution + "\n"}
    for name, (before, line) in MISUSES.items():
        if solution.count(before) != 1:
            raise ValueError(f"{file} must contain this line exactly once: {before}")
        files[name] = solution.replace(before, f"    {line.replace('{file}', file)}\n{before}")
    return files


def graded() -> dict[str, Any]:
    """The results of probing the sandbox, and the grades; no rows without a sandbox for GPUs."""
    if (why := choice.missing(gpu=True)) is not None:
        return {"sandbox": why, "probes": 0, "surprises": [], "seconds": 0, "rows": []}
    probes = probe.run_all(gpu=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name, text in sources().items():
            (home / "in" / name).mkdir(parents=True)
            (home / "in" / name / spec.load(LAB).submit[0]).write_text(text)
        options = ["--labs", LAB, "--backend", "gpu", "--seconds", str(SECONDS), "--jobs", "4"]
        argv = [sys.executable, "-m", "grader", "bulk", f"{home}/in", "--out", f"{home}/run"]
        began = time.monotonic()
        bulk = subprocess.run([*argv, *options], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - began
        print(bulk.stdout[-3000:] + bulk.stderr[-1000:], flush=True)
        rows = [_row(home / "run", row) for row in _gradebook(home / "run")]
    return {
        "sandbox": choice.name(gpu=True),
        "probes": len(probes),
        "surprises": probe.problems(probes),
        "seconds": round(seconds),
        "rows": rows,
    }


def _gradebook(run: Path) -> list[dict[str, str]]:
    with (run / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _row(run: Path, row: dict[str, str]) -> dict[str, Any]:
    """A student's grade, and the message of the first check that failed."""
    entry: dict[str, Any] = {"student": row["student"], "status": row[f"{LAB}_status"]}
    document = json.loads((run / row["student"] / LAB / "result.json").read_text())
    failed = [c for c in document["checks"] if c["verdict"] not in ("pass", "skip")]
    entry |= {"score": row[f"{LAB}_score"], "most": row[f"{LAB}_max"], "failed": len(failed)}
    message = " ".join(failed[0]["message"][:2]) if failed else ""
    entry["message"] = message.replace(f"{paths.ROOT}/", "")
    return entry
