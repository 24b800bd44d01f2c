"""`./grade doctor`: what this machine has, what is missing, and what to do about it. The standard
library alone, so that it can also say what a machine without any set-up lacks."""

import platform
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.commands import output
from grader.commands.parser import Parser
from grader.sandbox import choice as sandboxes
from grader.sandbox.tiers import UNCONFINED, Tier
from grader.setup import nvcc as setup_nvcc
from grader.setup import photograph, python_packages, stamp, system_packages

State = Literal["ok", "missing", "optional"]
OLDEST_GCC = 11  # the first with --param tsan-distinguish-volatile
FILLS_LOCALS = 12  # the first with -ftrivial-auto-var-init
INSTALLS = "./grade setup installs it"
REPAIRS = "./grade setup makes build/venv again"


@dataclass(frozen=True)
class DoctorFinding:
    """One line of the report. "optional" is missing, too, but the labs in the simulator do not
    need it."""

    name: str
    state: State
    detail: str  # a version, a path, or why it is missing
    advice: str = ""  # what to do; "" where it is ok


def run(arguments: Sequence[str]) -> int:
    """Prints the report. Returns the exit status."""
    parser = Parser("doctor")
    parser.add_colour()
    options = parser.parse_args(arguments)
    rows = report()
    print(render(rows, output.coloured(options.color)))
    return exit_code(rows)


def report() -> list[DoctorFinding]:
    """Looks at everything: first the four that decide what works. Takes a second or so."""
    return [
        compiler("g++"),
        python(),
        sandbox(),
        gpu(),
        compiler("gcc"),
        program("make", "missing", INSTALLS),
        program("ar", "missing", INSTALLS),
        stb(),
        *packages(),
        photograph_row(),
        check_library(),
        *clang(),
        nvcc(),
    ]


def exit_code(rows: list[DoctorFinding]) -> int:
    """0 where everything is installed that the labs need in the simulator, else 1."""
    return 1 if any(row.state == "missing" for row in rows) else 0


def first_line(*command: str) -> str | None:
    """The first line that a command prints; None where it is missing, fails or hangs."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.strip().splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else None


def compiler(name: str) -> DoctorFinding:
    version = first_line(name, "-dumpfullversion")
    if version is None:
        return DoctorFinding(name, "missing", "not found", INSTALLS)
    major = re.match(r"\d+", version)
    advice = f"install {name}-{FILLS_LOCALS} or later and let the command `{name}` start it"
    if major is None or int(major[0]) < OLDEST_GCC:
        detail = f"{version} is too old; {OLDEST_GCC} or later is needed"
        return DoctorFinding(name, "missing", detail, advice)
    if int(major[0]) < FILLS_LOCALS:
        detail = f"{version} works, but an uninitialized variable may be right by luck"
        return DoctorFinding(name, "optional", detail, advice)
    return DoctorFinding(name, "ok", version)


def program(name: str, lacking: State, advice: str) -> DoctorFinding:
    line = first_line(name, "--version")
    if line is None:
        return DoctorFinding(name, lacking, "not found", advice)
    version = re.search(r"\d+(\.\d+)+", line)
    return DoctorFinding(name, "ok", version[0] if version else line)


def stb() -> DoctorFinding:
    if system_packages.header_found("stb/stb_image.h"):
        return DoctorFinding("stb", "ok", "stb/stb_image.h")
    return DoctorFinding("stb", "missing", "gcc finds no stb/stb_image.h", INSTALLS)


def check_library() -> DoctorFinding:
    advice = "./grade setup --check installs it; only make test and make labN-test need it"
    if system_packages.header_found("check.h"):
        return DoctorFinding("Check", "ok", "check.h")
    return DoctorFinding("Check", "optional", "gcc finds no check.h", advice)


def clang() -> list[DoctorFinding]:
    """A row, except in a student's copy, which has no test that needs clang."""
    if not Path(stamp.LOCKS["dev"]).exists():
        return []
    advice = "./grade setup --dev installs it; only make test needs it"
    return [program("clang", "optional", advice)]


def nvcc() -> DoctorFinding:
    if shutil.which("nvcc") is None:
        advice = f"it says what it refuses, and the simulator does not; {setup_nvcc.OFFER}"
        return DoctorFinding("nvcc", "optional", "not found", advice)
    try:
        done = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return DoctorFinding(
            "nvcc", "optional", "does not answer", "find out why `nvcc --version` fails"
        )
    release = re.search(r"release (\S+?),", done.stdout)
    return DoctorFinding("nvcc", "ok", release[1] if release else "unknown release")


def gpu() -> DoctorFinding:
    query = "--query-gpu=name,driver_version"
    line = first_line("nvidia-smi", query, "--format=csv,noheader")
    if line is None:
        why = "nvidia-smi does not answer" if shutil.which("nvidia-smi") else "no nvidia-smi"
        return DoctorFinding("GPU", "optional", why, "not needed: the labs run in the simulator")
    name, _, driver = line.rpartition(", ")
    return DoctorFinding("GPU", "ok", f"{name}, driver {driver}")


def python() -> DoctorFinding:
    """The Python that the grader runs on: that of build/venv, or of this command before set-up."""
    line = first_line(stamp.PYTHON, "--version")
    if line is not None:
        return DoctorFinding("Python", "ok", f"{line.removeprefix('Python ')}, {stamp.PYTHON}")
    return DoctorFinding("Python", "ok", f"{platform.python_version()}, {sys.executable}")


def packages() -> list[DoctorFinding]:
    """A row for each Python package that grading needs; those of the tests share one row."""
    run = dict(python_packages.locked(Path(stamp.LOCKS["run"])))
    installed = python_packages.installed()
    if not run.keys() & installed.keys():
        size = python_packages.SIZES["run"]
        advice = f"./grade setup installs them, about {size} MB to download"
        return [
            DoctorFinding("Python packages", "missing", f"none of {len(run)} in build/venv", advice)
        ]
    rows = [package(name, version, installed.get(name)) for name, version in run.items()]
    if all(row.state == "ok" for row in rows):
        rows.append(grammar())
    if not Path(stamp.LOCKS["dev"]).exists():  # a student's copy
        return rows
    dev = dict(python_packages.locked(Path(stamp.LOCKS["dev"])))
    tests = [name for name in dev if name not in run]
    lacking = [name for name in tests if installed.get(name) != dev[name]]
    if lacking:
        detail = f"not as locked: {', '.join(lacking)}"
        advice = "./grade setup --dev installs them; only make test needs them"
        return [*rows, DoctorFinding("test packages", "optional", detail, advice)]
    return [*rows, DoctorFinding("test packages", "ok", f"all {len(tests)}")]


def package(name: str, locked: str, version: str | None) -> DoctorFinding:
    if version == locked:
        return DoctorFinding(name, "ok", version)
    detail = f"{version}, the lock says {locked}" if version else "not installed"
    return DoctorFinding(name, "missing", detail, REPAIRS)


def grammar() -> DoctorFinding:
    """Whether tree-sitter takes the CUDA grammar: both carry a version of their interface."""
    code = (
        "import tree_sitter as t, tree_sitter_cuda as c; t.Language(c.language()); "
        "print(t.LANGUAGE_VERSION)"
    )
    version = first_line(stamp.PYTHON, "-I", "-c", code)
    if version is None:
        return DoctorFinding("CUDA grammar", "missing", "tree-sitter does not accept it", REPAIRS)
    return DoctorFinding("CUDA grammar", "ok", f"interface {version} or older")


def photograph_row() -> DoctorFinding:
    problem = photograph.problem()
    if problem:
        advice = "./grade setup fetches it; only cases with the photograph need it"
        return DoctorFinding("photograph", "missing", problem, advice)
    return DoctorFinding("photograph", "ok", "build/datasets/coffee.png")


def sandbox() -> DoctorFinding:
    """The sandbox that programs run in, what it cannot stop, and why it is not a stronger one."""
    choice = sandboxes.chosen()
    if choice.tier is None:
        advice = (
            "your own code also runs without it; ./grade bulk, for others' code, needs it: "
            f"without it, a program can {UNCONFINED}"
        )
        why = "; ".join(dict.fromkeys(choice.refused))
        return DoctorFinding("sandbox", "optional", why, advice)
    tier = choice.tier
    details = [f"tier {tier.number} of 3, {tier.name}"]
    details += [f"not tier {number}: {why}" for number, why in enumerate(choice.refused, start=1)]
    details += [] if tier.strangers else ["./grade bulk, for others' code, needs a stronger one"]
    return DoctorFinding(
        "sandbox", "ok", "; ".join([*details, f"inside, a program can still {_gaps(tier)}"])
    )


def _gaps(tier: Tier) -> str:
    return ", or ".join(tier.cannot_stop())


COLOURS: dict[State, str] = {"ok": "32", "missing": "31", "optional": "33"}
SIGNS: dict[State, str] = {"ok": "ok", "missing": "MISSING", "optional": "optional"}


def _wrapped(text: str, names: int) -> list[str]:
    """A text beside names of that width, in lines of 80 columns; a path stays whole."""
    return textwrap.wrap(text, 80 - 14 - names, break_long_words=False, break_on_hyphens=False)


def render(rows: list[DoctorFinding], colour: bool) -> str:
    """The rows as text, what to do below each; the conclusion last."""
    width = max(len(row.name) for row in rows)
    lines = []
    for row in rows:
        sign = f"{SIGNS[row.state]:8}"
        if colour:
            sign = f"\x1b[{COLOURS[row.state]}m{sign}\x1b[0m"
        detail, *more = _wrapped(row.detail, width) or [""]
        lines.append(f"  {sign}  {row.name:{width}}  {detail}")
        more += _wrapped(f"-> {row.advice}", width) if row.advice else []
        lines += [f"  {'':8}  {'':{width}}  {line}" for line in more]
    if exit_code(rows) == 0:
        lines.append("everything is installed that the labs need in the simulator")
    else:
        names = ", ".join(row.name for row in rows if row.state == "missing")
        lines.append(f"missing for the labs: {names}")
    return "\n".join(lines)
