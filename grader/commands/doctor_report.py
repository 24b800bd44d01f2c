"""`./grade doctor`: what is installed here, and what to do about what is not."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from datasets import generate
from grader.sandbox import bubblewrap
from grader.setup import stamp, system_packages

State = Literal["ok", "missing", "optional"]
OLDEST_GCC = 12  # the first with -ftrivial-auto-var-init


@dataclass(frozen=True)
class Row:
    """One line. `optional` is missing too, but the simulator's labs need it not."""

    name: str
    state: State
    found: str  # a version, a path, or why it is missing
    advice: str = ""  # what to do; empty when it is ok


def first_line(*command: str) -> str | None:
    """The first line that a command prints; None when it is missing, fails or does not answer."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.strip().splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else None


def compiler(name: str) -> Row:
    said = first_line(name, "-dumpfullversion")
    if said is None:
        return Row(name, "missing", "not found", "./grade setup installs it")
    major = re.match(r"\d+", said)
    if major is None or int(major[0]) < OLDEST_GCC:
        return Row(
            name,
            "missing",
            f"{said} is too old, {OLDEST_GCC} or later is needed (-ftrivial-auto-var-init)",
            f"install {name}-{OLDEST_GCC} or later and make it the one that `{name}` starts",
        )
    return Row(name, "ok", said)


def program(name: str, lacking: State, advice: str) -> Row:
    said = first_line(name, "--version")
    if said is None:
        return Row(name, lacking, "not found", advice)
    version = re.search(r"\d+(\.\d+)+", said)
    return Row(name, "ok", version[0] if version else said)


def stb() -> Row:
    if system_packages.header_found("stb/stb_image.h"):
        return Row("stb", "ok", "stb/stb_image.h")
    return Row("stb", "missing", "gcc finds no stb/stb_image.h", "./grade setup installs it")


def check() -> Row:
    advice = "./grade setup --check installs it; only tests (make test, make labN-test) need it"
    if system_packages.header_found("check.h"):
        return Row("Check", "ok", "check.h")
    return Row("Check", "optional", "gcc finds no check.h", advice)


def clang() -> list[Row]:
    """A row where there are tests that need it; a student's copy has none."""
    if not Path(stamp.LOCKS["dev"]).exists():
        return []
    advice = "./grade setup --dev installs it; only make test needs it"
    return [program("clang", "optional", advice)]


def nvcc() -> Row:
    if shutil.which("nvcc") is None:
        advice = "only --backend gpu needs NVIDIA's CUDA Toolkit; the simulator does without"
        return Row("nvcc", "optional", "not found", advice)
    try:
        done = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return Row("nvcc", "optional", "does not answer", "see whether `nvcc --version` works")
    release = re.search(r"release (\S+?),", done.stdout)
    return Row("nvcc", "ok", release[1] if release else "of an unknown release")


def gpu() -> Row:
    query = "--query-gpu=name,driver_version"
    said = first_line("nvidia-smi", query, "--format=csv,noheader")
    if said is None:
        why = "nvidia-smi does not answer" if shutil.which("nvidia-smi") else "no nvidia-smi"
        return Row("GPU", "optional", why, "not needed: the labs run in the simulator")
    name, _, driver = said.rpartition(", ")
    return Row("GPU", "ok", f"{name}, driver {driver}")


def locked(lock: Path) -> Iterator[tuple[str, str]]:
    """Names and versions of a lock file that are for this machine (not those of Windows)."""
    for line in lock.read_text().splitlines():
        found = re.match(r"([A-Za-z0-9._-]+)==(\S+)(.*)", line)
        if found and "win32" not in found[3]:
            yield found[1], found[2]


def installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def python_packages() -> list[Row]:
    """A row for each package of the lock; those of the tests alone share one row."""
    run = dict(locked(Path(stamp.LOCKS["run"])))
    rows = []
    for name, want in run.items():
        have = installed(name)
        if have == want:
            rows.append(Row(name, "ok", have))
        else:
            found = f"{have}, the lock says {want}" if have else "not installed"
            rows.append(Row(name, "missing", found, "rm -r build/venv, then ./grade setup"))
    lock = Path(stamp.LOCKS["dev"])
    if not lock.exists():  # a student's copy
        return rows
    tests = {n: v for n, v in locked(lock) if n not in run}
    lacking = [name for name, want in tests.items() if installed(name) != want]
    if lacking:
        advice = "./grade setup --dev; for make test only"
        rows.append(
            Row("test packages", "optional", f"not as locked: {', '.join(lacking)}", advice)
        )
    else:
        rows.append(Row("test packages", "ok", f"all {len(tests)}"))
    return rows


def grammar() -> Row:
    """Whether tree-sitter takes the CUDA grammar: both carry a version of their interface."""
    try:
        import tree_sitter
        import tree_sitter_cuda

        tree_sitter.Language(tree_sitter_cuda.language())
    except (ImportError, ValueError) as error:
        return Row("CUDA grammar", "missing", str(error), "rm -r build/venv, then ./grade setup")
    return Row("CUDA grammar", "ok", f"interface {tree_sitter.LANGUAGE_VERSION} or older")


def photograph() -> Row:
    (entry,) = (e for e in generate.manifest() if e["name"] == generate.PHOTO.name)
    try:
        right = generate.sha256(generate.PHOTO.read_bytes()) == entry["sha256"]
    except OSError:
        advice = "./grade setup fetches it; only cases on the photograph need it"
        return Row("photograph", "missing", "build/datasets/coffee.png is not there", advice)
    if right:
        return Row("photograph", "ok", "build/datasets/coffee.png")
    advice = "rm build/datasets/coffee.png, then ./grade setup"
    return Row("photograph", "missing", "build/datasets/coffee.png is not the manifest's", advice)


def sandbox() -> Row:
    why = bubblewrap.missing()
    if why is None:
        return Row("sandbox", "ok", bubblewrap.tier())
    advice = "your own code runs without; only ./grade bulk, for others' code, needs it"
    return Row("sandbox", "optional", why, advice)


def report() -> list[Row]:
    """Looks at everything. Takes a second or so."""
    simulator = "./grade setup installs it"
    return [
        compiler("gcc"),
        compiler("g++"),
        program("make", "missing", simulator),
        program("ar", "missing", simulator),
        stb(),
        Row("Python", "ok", f"{platform.python_version()}, {sys.executable}"),
        *python_packages(),
        grammar(),
        photograph(),
        check(),
        *clang(),
        sandbox(),
        nvcc(),
        gpu(),
    ]


def exit_code(rows: list[Row]) -> int:
    """0 when everything is there that the simulator's labs need, else 1."""
    return 1 if any(row.state == "missing" for row in rows) else 0


COLOURS: dict[State, str] = {"ok": "32", "missing": "31", "optional": "33"}
SIGNS: dict[State, str] = {"ok": "ok", "missing": "MISSING", "optional": "optional"}


def render(rows: list[Row], colour: bool) -> str:
    """The rows as text, one a line, what to do on the line below; a verdict last."""
    width = max(len(row.name) for row in rows)
    lines = []
    for row in rows:
        sign = f"{SIGNS[row.state]:8}"
        if colour:
            sign = f"\x1b[{COLOURS[row.state]}m{sign}\x1b[0m"
        lines.append(f"  {sign}  {row.name:{width}}  {row.found}")
        if row.advice:
            lines.append(f"  {'':8}  {'':{width}}  -> {row.advice}")
    if exit_code(rows) == 0:
        lines.append("everything is here that the labs need in the simulator")
    else:
        names = ", ".join(row.name for row in rows if row.state == "missing")
        lines.append(f"missing for the labs: {names}")
    return "\n".join(lines)
