"""Compares the simulator's counters with Nsight Compute's, value by value: ACCURACY.md.

    accuracy.py            writes ACCURACY.md again           (make accuracy)
    accuracy.py --check    writes nothing; exits 1 if ACCURACY.md would change

Both fail if differences.toml does not explain a difference, or explains one that does not exist.
"""

import argparse
import csv
import ctypes
import json
import math
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TABLE = HERE / "ACCURACY.md"
PROGRAMS = ("kernels", "kernels2", "kernels3", "kernels4")
KEYS = ("launch", "kernel", "grid", "block")  # the other columns of NAME.csv are counters
HEADINGS = (
    "kernel", "counter", "ours", "ncu", "ratio", "line", "per request", "what nvcc did",
    "what we do",
)  # fmt: skip
BY_ADDRESS = "(called by its address)"  # a launch whose kernel's name the simulator does not know
VERSION = "Compiled with "  # begins the line that may differ between machines


@dataclass(frozen=True)
class Value:
    """The value of one counter of one kernel: the simulator's and Nsight Compute's."""

    kernel: str
    counter: str
    ours: int
    ncu: int

    @property
    def ratio(self) -> float:
        if self.ncu == 0:
            return 1.0 if self.ours == 0 else math.inf
        return self.ours / self.ncu

    @property
    def deviation(self) -> float:
        return max(self.ratio, 1 / self.ratio if self.ratio else math.inf)


class Unexplained(Exception):  # noqa: N818 - a fact, not an error
    """differences.toml does not list exactly the counters that differ."""


def measured(program: str) -> list[dict[str, str]]:
    """Nsight Compute's counters of each launch of a program."""
    with (HERE / f"{program}.csv").open() as file:
        return list(csv.DictReader(file))


def counted(program: str) -> list[dict[str, int]]:
    """The simulator's counters of each launch of a program, in the order of measured(). A kernel
    is launched once; the simulator runs those of several streams in an order of its own."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "profile.json"
        process = subprocess.run(
            [ROOT / "grade", "run", HERE / f"{program}.cu", "--json", target],
            capture_output=True,
            text=True,
            check=False,
        )
        if process.returncode != 0:
            raise SystemExit(f"{program}.cu does not run: {process.stderr}")
        kernels = json.loads(target.read_text())["kernels"]
    rows = measured(program)
    by_name = {kernel["name"]: kernel["counters"] for kernel in kernels}
    unknown = by_name.pop(BY_ADDRESS, None)
    missing = [row["kernel"] for row in rows if row["kernel"] not in by_name]
    if unknown is not None and len(missing) == 1:
        by_name[missing[0]] = unknown
    elif missing or len(rows) != len(kernels):
        raise SystemExit(f"{program}.cu does not launch the kernels that were measured: {missing}")
    return [by_name[row["kernel"]] for row in rows]


def compare() -> list[Value]:
    """Every measured counter with the simulator's value of it."""
    return [
        Value(row["kernel"], name, kernel[name], int(row[name]))
        for program in PROGRAMS
        for row, kernel in zip(measured(program), counted(program), strict=True)
        for name in row
        if name not in KEYS
    ]


class WarpAccess(ctypes.Structure):
    """struct warp_access of labs/sim/src/profile/access_cost.h."""

    _fields_ = (
        ("active", ctypes.c_uint32),
        ("width", ctypes.c_uint),
        ("address", ctypes.c_uint64 * 32),
    )


def equal_patterns() -> tuple[int, int]:
    """For how many single-warp patterns the model is exact, and how many patterns there are."""
    with (HERE / "patterns.csv").open() as file:
        rows = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "counters.so"
        sources = ROOT / "labs" / "sim" / "src"
        argv = ["gcc", "-O2", "-shared", "-fPIC", f"-I{sources}"]
        argv += [str(sources / "profile" / "access_cost.c"), "-o", str(library)]
        subprocess.run(argv, check=True)
        model = ctypes.CDLL(str(library))
    return sum(modelled(model, row) for row in rows), len(rows)


def modelled(model: ctypes.CDLL, row: dict[str, str]) -> bool:
    """Does the model give the measured wavefronts or sectors of this pattern?"""
    access = WarpAccess(0, int(row["width"]))
    for lane, offset in enumerate(map(int, row["lane_byte_offsets"].split())):
        if offset >= 0:  # -1: the lane is not active
            access.active |= 1 << lane
            access.address[lane] = 4096 + offset
    if row["space"].startswith("shared"):
        load = ctypes.c_bool(row["space"].endswith("load"))
        return bool(model.cost_wavefronts(ctypes.byref(access), load) == int(row["wavefronts"]))
    return bool(model.cost_sectors(ctypes.byref(access)) == int(row["sectors"]))


def explanations(different: list[Value]) -> dict[tuple[str, str], list[tuple[int, str, str]]]:
    """The reasons of each difference: (kernel, counter) to (line, what nvcc did, what we do)."""
    reasons: dict[tuple[str, str], list[tuple[int, str, str]]] = {}
    for entry in tomllib.loads((HERE / "differences.toml").read_text())["difference"]:
        for counter in entry["counters"]:
            reason = (entry["line"], entry["nvcc"], entry.get("ours", ""))
            reasons.setdefault((entry["kernel"], counter), []).append(reason)
    counters = {(v.kernel, v.counter) for v in different}
    if counters != set(reasons):
        raise Unexplained(
            f"different, but not in differences.toml: {sorted(counters - set(reasons))}; "
            f"in differences.toml, but equal: {sorted(set(reasons) - counters)}"
        )
    return reasons


def per_request(value: Value, values: dict[tuple[str, str], Value]) -> str:
    """Sectors or wavefronts per request, ours and ncu's; "" for requests themselves."""
    way, _, unit = value.counter.rpartition("_")
    if unit == "requests":
        return ""
    requests = values[value.kernel, f"{way}_requests"]
    ours, ncu = value.ours / requests.ours, value.ncu / requests.ncu
    return f"{ours:.2f} / {ncu:.2f} {'yes' if abs(ours / ncu - 1) < 0.01 else 'no'}"


def render(values: list[Value], patterns: tuple[int, int], compiler: str) -> str:
    """The text of ACCURACY.md. Raises Unexplained."""
    different = [v for v in values if v.ours != v.ncu]
    reasons = explanations(different)
    table = {(v.kernel, v.counter): v for v in values}
    kernels = list(dict.fromkeys(v.kernel for v in values))
    odd = {v.kernel for v in different}
    worst = max(different, key=lambda v: v.deviation)
    within = sum(v.deviation <= 1.05 for v in values)
    rows = [
        f"| {v.kernel} | {v.counter} | {v.ours} | {v.ncu} | {v.ratio:.3f} "
        f"| {', '.join(str(line) for line, _, _ in reasons[v.kernel, v.counter])} "
        f"| {per_request(v, table)} "
        f"| {'; '.join(nvcc for _, nvcc, _ in reasons[v.kernel, v.counter])} "
        f"| {'; '.join(ours for _, _, ours in reasons[v.kernel, v.counter] if ours)} |"
        for v in different
    ]
    equal = len(values) - len(different)
    zero = sum(v.ours == v.ncu == 0 for v in values)
    lines = [
        "# How exact the counters are",
        "",
        "Written by `make accuracy` from `kernels*.csv`, `patterns.csv` and the current counters",
        "of the simulator; the reasons are in `differences.toml`. Do not edit.",
        "",
        f"- values equal: {equal} of {len(values)} ({equal / len(values):.1%}); without those that "
        f"are 0 on both sides, {equal - zero} of {len(values) - zero}",
        f"- values within 5 %: {within} of {len(values)}",
        f"- kernels with every value equal: {len(kernels) - len(odd)} of {len(kernels)}",
        f"- single-warp patterns equal: {patterns[0]} of {patterns[1]}",
        f"- largest deviation: {worst.kernel}, {worst.counter}: {worst.ours} instead of "
        f"{worst.ncu}, a factor of {worst.deviation:.2f}",
        "",
        "Where a value differs: ours, Nsight Compute's (ncu), ours / ncu, the source line, sectors",
        "or wavefronts per request (ours / ncu, and whether they agree within 1 %), and why.",
        "",
        "| " + " | ".join(HEADINGS) + " |",
        "|---" * len(HEADINGS) + "|",
        *rows,
        "",
        "Equal in every value: " + ", ".join(k for k in kernels if k not in odd) + ".",
        "",
        f"{VERSION}{compiler}; another version may assign accesses to other lines.",
    ]
    return "\n".join([*lines, ""])


def compiler_version() -> str:
    process = subprocess.run(
        ["g++", "-dumpfullversion"], capture_output=True, text=True, check=True
    )
    return f"g++ {process.stdout.strip()}"


def without_version(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(VERSION)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the simulator's counters with a GPU's.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if ACCURACY.md is out of date"
    )
    check = parser.parse_args().check
    try:
        text = render(compare(), equal_patterns(), compiler_version())
    except Unexplained as problem:
        print(f"accuracy.py: {problem}", file=sys.stderr)
        return 1
    if not check:
        TABLE.write_text(text)
        print("\n".join(line for line in text.splitlines() if line.startswith("- ")))
        return 0
    if not TABLE.exists() or without_version(TABLE.read_text()) != without_version(text):
        print(f"accuracy.py: {TABLE.name} is out of date; run make accuracy", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
