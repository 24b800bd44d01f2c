"""What nvcc makes of a program's kernels: their PTX, and the registers that ptxas gives them."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.predict import ptx

ARCHITECTURE = "sm_90"
CACHE = paths.BUILD / "predict"
_TIMEOUT = 120  # seconds
_ENTRY = re.compile(r"Compiling entry function '(\S+)'")
_FUNCTION = re.compile(r"Function properties for (\S+)")
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")


@dataclass(frozen=True)
class Compiled:
    """The kernels of a program by their mangled names."""

    entries: dict[str, list[ptx.Block]]
    registers: dict[str, int]
    local_bytes: dict[str, int]  # of a thread's arrays that are not in registers
    spills: dict[str, tuple[int, int]]  # registers that a called function saves and restores


MOST_PTX = 4 << 20  # bytes of a submission's PTX that are read


def of_submission(text: Path) -> Compiled | None:
    """What the make rule `kernels` left: PTX, and beside it what ptxas said. None where nvcc
    refused the file, or where reading its code would take long."""
    with contextlib.suppress(OSError):
        ptx_text = text.read_text(errors="replace")
        said = text.with_suffix(".ptxas").read_text(errors="replace")
        if 0 < len(ptx_text) <= MOST_PTX:
            entries, local = ptx.entries(ptx_text), ptx.local_bytes(ptx_text)
            return Compiled(entries, read_registers(said), local, read_spills(said))
    return None


def compiled(files: list[Path], include: list[Path]) -> Compiled | None:
    """None where there is no nvcc, or it refuses a file."""
    nvcc, ptxas = shutil.which("nvcc"), shutil.which("ptxas")
    if nvcc is None:
        return None
    entries: dict[str, list[ptx.Block]] = {}
    registers: dict[str, int] = {}
    local: dict[str, int] = {}
    spills: dict[str, tuple[int, int]] = {}
    for file in files:
        if file.suffix != ".cu":
            continue
        text = _ptx(nvcc, file, include)
        if text is None:
            return None
        entries |= ptx.entries(text.read_text())
        local |= ptx.local_bytes(text.read_text())
        said = _said_by(ptxas, text) if ptxas else ""
        registers |= read_registers(said)
        spills |= read_spills(said)
    return Compiled(entries, registers, local, spills)


def _ptx(nvcc: str, file: Path, include: list[Path]) -> Path | None:
    """The PTX of a file, from the cache if neither it nor its options have changed."""
    folders = [f"-I{folder}" for folder in (file.parent, *include)]
    kind = hashlib.sha256(repr((folders, file.name)).encode() + file.read_bytes()).hexdigest()
    target = CACHE / f"{kind[:24]}.ptx"
    if not target.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        command = [nvcc, "-O3", f"-arch={ARCHITECTURE}", "-ptx", "-lineinfo", *folders, str(file)]
        partial = target.with_suffix(".part")
        if _run([*command, "-o", str(partial)]) is None:
            return None
        partial.rename(target)
    return target


def _said_by(ptxas: str, text: Path) -> str:
    """The output of `ptxas -v`."""
    said = text.with_suffix(".ptxas")
    if not said.exists():
        output = _run([ptxas, f"-arch={ARCHITECTURE}", "-v", str(text), "-o", "/dev/null"])
        if output is None:
            return ""
        said.write_text(output)
    return said.read_text()


def read_registers(output: str) -> dict[str, int]:
    """The registers of each kernel, in the output of `ptxas -v`."""
    found = {}
    name = ""
    for line in output.splitlines():
        entry, used = _ENTRY.search(line), _REGISTERS.search(line)
        if entry:
            name = entry[1]
        elif used and name:
            found[name] = int(used[1])
    return found


def read_spills(output: str) -> dict[str, tuple[int, int]]:
    """How many registers each function stores to local memory and loads again, in the output of
    `ptxas -v`."""
    found = {}
    name = ""
    for line in output.splitlines():
        function, spilled = _FUNCTION.search(line), _SPILLS.search(line)
        if function:
            name = function[1]
        elif spilled and name:
            found[name] = int(spilled[1]) // 4, int(spilled[2]) // 4
    return found


def _run(command: list[str]) -> str | None:
    """What it prints; None when it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout + done.stderr if done.returncode == 0 else None
