"""The programs of labs/reproduce: built by make, run one at a time, their figures read."""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader import paths
from labs.reproduce import machine

BINARIES = paths.BUILD / "reproduce" / "bin"


class ProgramError(Exception):
    """A program did not build or failed; the message holds what it printed."""


def build(backend: str) -> None:
    """All programs of a backend for which the labs are there."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    make = ["make", "-C", str(paths.ROOT), "reproduce-programs", f"BACKEND={backend}"]
    done = subprocess.run(
        [*make, f"PYTHON={sys.executable}"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ProgramError(f"{' '.join(make)} failed:\n{done.stdout[-4000:]}")


def binary(backend: str, name: str) -> Path | None:
    """The program, or None when its lab is not there."""
    path = BINARIES / backend / name
    return path if path.exists() else None


def digest(files: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.read_bytes())
    return whole.hexdigest()


def summary(seconds: Sequence[float]) -> dict[str, float | int]:
    """A row of a measurement."""
    return {
        "runs": len(seconds),
        "median": statistics.median(seconds),
        "mean": statistics.fmean(seconds),
        "least": min(seconds),
        "most": max(seconds),
    }


def read(printed: str) -> dict[str, dict[str, Any]]:
    """The rows in what a program printed (labs/reproduce/timing.h), by name."""
    rows: dict[str, dict[str, Any]] = {}
    for line in printed.splitlines():
        entry = json.loads(line)
        if "seconds" in entry:
            rows[entry["row"]] = summary(entry["seconds"])
        else:
            rows[entry["row"]] = {"value": entry["value"]}
    return rows


def run(program: Path, *arguments: str | int | float | Path) -> dict[str, dict[str, Any]]:
    """Runs it with a thread for each core and gives its rows."""
    environment = os.environ | {"OMP_NUM_THREADS": str(machine.cores())}
    done = subprocess.run(
        [program, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        message = done.stderr.strip() or f"ended with status {done.returncode}"
        raise ProgramError(f"{program.name}: {message}")
    return read(done.stdout)
