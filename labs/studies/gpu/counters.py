"""Counters of every launch of a program: by Nsight Compute, and by the simulator."""

import csv
import io
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grader.execute import profile
from labs.studies.nsight.ncu_to_csv import METRICS, plain_name


def by_ncu(argv: list[str], limit: float) -> tuple[list[dict[str, Any]], str]:
    """Name, grid, block and counters of each launch; if there is none, ncu's output as well."""
    metrics = ",".join(METRICS.values())
    process = subprocess.run(
        ["ncu", "--csv", "--page", "raw", "--metrics", metrics, *argv],
        capture_output=True,
        text=True,
        check=False,
        timeout=limit,
    )
    lines = process.stdout.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        return [], (process.stdout + process.stderr)[-1500:]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[first:]))))[
        1:
    ]  # the first row has the units
    launches = [
        {
            "name": plain_name(row["Kernel Name"]),
            "grid": row["Grid Size"],
            "block": row["Block Size"],
            "counters": {
                ours: int(float(row[theirs].replace(",", ""))) for ours, theirs in METRICS.items()
            },
        }
        for row in rows
    ]
    return launches, ""


def by_simulator(
    argv: list[str], binary: Path, work: Path, names: Iterable[str] = METRICS
) -> list[dict[str, Any]]:
    """Name and counters of each launch of a traced run on the simulator. names: of the counters, by
    default those that ncu has, too."""
    raw = work / "profile.jsonl"
    raw.unlink(missing_ok=True)
    variables = {
        "CONVLABS_SIM_PROFILE": str(raw),
        "CONVLABS_SIM_THREADS": "1",
        "CONVLABS_SIM_FINDINGS": str(work / "findings.jsonl"),
    }
    process = subprocess.run(argv, env=os.environ | variables, check=False, capture_output=True)
    if process.returncode == 2:  # the lab's driver does not take this input, such as its radius
        return []
    process.check_returncode()
    launches = profile.read_launches(raw.read_bytes()) if raw.exists() else []
    return [
        {
            "name": kernel.name,
            "counters": {name: getattr(kernel.counters, name) for name in names},
        }
        for kernel in profile.profile(binary, launches, []).kernels
    ]
