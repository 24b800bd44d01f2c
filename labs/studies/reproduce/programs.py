"""Builds the programs of labs/studies/reproduce with make, runs them, and reads what they print."""

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

from labs.studies.reproduce import machine

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "build" / "reproduce"
BINARIES = FOLDER / "bin"


class ProgramError(Exception):
    """A program did not build, or failed. The message contains its output."""


def build(backend: str) -> None:
    """Builds all programs of a backend whose labs have a solution. Raises ProgramError."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    make = ["make", "-C", str(ROOT), "reproduce-programs", f"BACKEND={backend}"]
    process = subprocess.run(
        [*make, f"PYTHON={sys.executable}"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        raise ProgramError(f"{' '.join(make)} failed:\n{process.stdout[-4000:]}")


def binary(backend: str, name: str) -> Path | None:
    """The path of a program, or None if it was not built because its lab has no solution."""
    path = BINARIES / backend / name
    return path if path.exists() else None


def digest(files: Sequence[Path]) -> str:
    """One hash of the content of all files."""
    content = hashlib.sha256()
    for path in files:
        content.update(path.read_bytes())
    return content.hexdigest()


def summary(seconds: Sequence[float]) -> dict[str, float | int]:
    """The statistics of a row's runs, as they are kept in a measurement."""
    return {
        "runs": len(seconds),
        "median": statistics.median(seconds),
        "mean": statistics.fmean(seconds),
        "least": min(seconds),
        "most": max(seconds),
    }


def read(printed: str) -> dict[str, dict[str, Any]]:
    """The rows that a program printed (see labs/studies/reproduce/timing.h), by name."""
    rows: dict[str, dict[str, Any]] = {}
    for line in printed.splitlines():
        entry = json.loads(line)
        if "seconds" in entry:
            rows[entry["row"]] = summary(entry["seconds"])
        else:
            rows[entry["row"]] = {"value": entry["value"]}
    return rows


def run(program: Path, *arguments: str | int | float | Path) -> dict[str, dict[str, Any]]:
    """Runs a program with one thread per core and returns its rows. Raises ProgramError."""
    environment = os.environ | {"OMP_NUM_THREADS": str(machine.cores())}
    process = subprocess.run(
        [program, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        message = process.stderr.strip() or f"exited with status {process.returncode}"
        raise ProgramError(f"{program.name}: {message}")
    return read(process.stdout)
