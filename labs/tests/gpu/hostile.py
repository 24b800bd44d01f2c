"""A class of programs that misuse a GPU, between two right ones, in a bulk run behind walls."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from grader import paths
from grader.bulk.isolation import probe
from grader.model import spec
from grader.sandbox import bubblewrap

LAB = "lab3"
SECONDS = 3  # that a case may take

HEADERS = "#include <cstdio>\n#include <cstdlib>\n"
KERNEL = "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
LAUNCH = "    constant_kernel<<<grid, block>>>("

# Each puts a line before one of the solution's.
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
    """Student's name: constant_mask.cu. Raises ValueError when the solution lacks such a line."""
    lab = spec.load(LAB)
    file = f"{lab.folder}/{lab.submit[0]}"
    solution = HEADERS + (paths.ROOT / "solutions" / file).read_text()
    made = {"a right one": solution, "z right one": solution + "\n"}
    for name, (place, line) in MISUSES.items():
        if solution.count(place) != 1:
            raise ValueError(f"{file} does not have this once: {place}")
        made[name] = solution.replace(place, f"    {line.replace('{file}', file)}\n{place}")
    return made


def graded() -> dict[str, Any]:
    """The probes of the walls and the grades. Empty rows where there are no walls."""
    if (why := bubblewrap.missing_for_gpus()) is not None:
        return {"walls": why, "probes": 0, "surprises": [], "seconds": 0, "rows": []}
    probes = probe.run_all(gpu=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name, text in sources().items():
            (home / "in" / name).mkdir(parents=True)
            (home / "in" / name / spec.load(LAB).submit[0]).write_text(text)
        options = ["--labs", LAB, "--backend", "gpu", "--seconds", str(SECONDS), "--jobs", "4"]
        argv = [sys.executable, "-m", "grader", "bulk", f"{home}/in", "--out", f"{home}/run"]
        began = time.monotonic()
        done = subprocess.run([*argv, *options], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - began
        print(done.stdout[-3000:] + done.stderr[-1000:], flush=True)
        rows = [_row(home / "run", row) for row in _gradebook(home / "run")]
    return {
        "walls": bubblewrap.tier(gpu=True),
        "probes": len(probes),
        "surprises": probe.problems(probes),
        "seconds": round(seconds),
        "rows": rows,
    }


def _gradebook(run: Path) -> list[dict[str, str]]:
    with (run / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _row(run: Path, row: dict[str, str]) -> dict[str, Any]:
    """A student's grade, and what the first check that failed says."""
    found: dict[str, Any] = {"student": row["student"], "status": row[f"{LAB}_status"]}
    document = json.loads((run / row["student"] / LAB / "result.json").read_text())
    failed = [c for c in document["checks"] if c["verdict"] not in ("pass", "skip")]
    found |= {"score": row[f"{LAB}_score"], "most": row[f"{LAB}_max"], "failed": len(failed)}
    said = " ".join(failed[0]["message"][:2]) if failed else ""
    found["said"] = said.replace(f"{paths.ROOT}/", "")
    return found
