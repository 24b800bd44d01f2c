"""Measures how fast the simulator is, as ratios within one run: make bench-sim.

Traced: lane accesses per second, with labs/tests/bench/traced.cu. Plain: warp functions and
barriers, with labs/tests/bench/warps.cu; and source 004's 13x13
correlation of a 200x200 image on one core, compared with a loop in C and with Numba's CUDA
simulator. Numba is slow, so it runs only some of the 49 blocks and its time is scaled to all. All
times are processor times; the rounds are interleaved and the smallest time of each is used, so that
other work on the machine has little influence. Numba is installed from
grader/setup/requirements-bench.lock into build/bench-venv, which nothing else uses.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from grader import paths
from grader.execute import profile, program

HERE = Path(__file__).resolve().parent
LOCK = paths.ROOT / "grader" / "setup" / "requirements-bench.lock"
VENV = paths.BUILD / "bench-venv"
ROUNDS = 5
LAUNCHES = 5  # per round
TRACED_SIZE = 4  # times as many blocks as for a 200x200 image
NUMBA_BLOCKS, ALL_BLOCKS = 2, 7  # along each axis
ONE_CORE = os.environ | {"CONVLABS_SIM_THREADS": "1", "CONVLABS_SIM_SAMPLE": "0"}


def output(*command: str | Path, environment: dict[str, str] = ONE_CORE) -> str:
    """What a command prints. Raises CalledProcessError if it fails."""
    return subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def traced(binary: Path) -> dict[str, tuple[float, int]]:
    """Seconds and lane accesses of each launch."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "profile.jsonl"
        environment = ONE_CORE | {"CONVLABS_SIM_PROFILE": str(target)}
        printed = output(binary, str(TRACED_SIZE), environment=environment)
        launches = profile.read(target.read_bytes())
    lines = (line.split() for line in printed.splitlines())
    seconds = {name: float(text) for name, text in lines}
    return {
        launch.name: (seconds[launch.name], sum(site.lanes for site in launch.sites))
        for launch in launches
    }


def timed(*command: str | Path, environment: dict[str, str] = ONE_CORE) -> tuple[float, float]:
    """Seconds and sum, as plain.cu, native.c and numba_tile.py print them."""
    _, seconds, total = output(*command, environment=environment).split()
    return float(seconds), float(total)


def warps(binary: Path) -> dict[str, float]:
    """Calls by lanes per second, of each function that warps.cu calls."""
    rows = (line.split() for line in output(binary).splitlines())
    return {name: int(calls) / float(seconds) for name, seconds, calls in rows}


def numba_python() -> Path:
    """The Python of the environment with Numba, which is installed if its lock file has changed."""
    stamp = VENV / "lock.sha256"
    expected = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != expected:
        print(f"installing Numba in {VENV} (once)", flush=True)
        output(sys.executable, "-m", "venv", "--clear", VENV)
        pip = VENV / "bin" / "pip"
        output(pip, "install", "-q", "--disable-pip-version-check", "--require-hashes", "-r", LOCK)
        stamp.write_text(expected)
    return VENV / "bin" / "python"


def main() -> int:
    python = numba_python()
    traced_binary = program.build([str(HERE / "traced.cu")], [], profiled=True).binary
    plain_binary = program.build([str(HERE / "plain.cu")], [], profiled=False).binary
    warps_binary = program.build([str(HERE / "warps.cu")], [], profiled=False).binary
    native = paths.BUILD / "bench-native"
    output("gcc", "-std=gnu11", "-O3", "-march=native", HERE / "native.c", "-o", native)

    part = (str(NUMBA_BLOCKS), str(NUMBA_BLOCKS))
    fake = ONE_CORE | {"NUMBA_ENABLE_CUDASIM": "1"}
    traces, plains, natives, fakes, calls = [], [], [], [], []
    for _ in range(ROUNDS):
        traces.append(traced(traced_binary))
        plains.append(timed(plain_binary, str(LAUNCHES), *part))
        natives.append(timed(native, str(LAUNCHES), *part))
        calls.append(warps(warps_binary))
        fakes.append(timed(python, HERE / "numba_tile.py", *part, environment=fake))
    if len({total for _, total in [*plains, *natives, *fakes]}) != 1:
        print("bench-sim: the programs give different sums of the pixels", file=sys.stderr)
        return 1

    print("traced, exact replay, millions of lane accesses per second of processor time:")
    for name, lanes in (
        ("shared_tile", "agree"),
        ("border_lanes", "diverge at the borders"),
        ("uneven_loops", "diverge by the data"),
    ):
        seconds, accesses = min(trace[name] for trace in traces)
        print(f"  {name:<13}{accesses / seconds / 1e6:8.1f}   its lanes {lanes}")
    print("plain, millions of calls by lanes per second of processor time:")
    for name in calls[0]:
        print(f"  {name:<13}{max(row[name] for row in calls) / 1e6:8.1f}")
    plain, native_seconds = min(plains)[0], min(natives)[0]
    numba = min(fakes)[0] * ALL_BLOCKS**2 / NUMBA_BLOCKS**2
    print("13x13 correlation of a 200x200 image, milliseconds of processor time:")
    print(f"  C loop       {native_seconds * 1e3:10.2f}")
    print(f"  simulator    {plain * 1e3:10.2f}   {plain / native_seconds:.1f} times the C loop")
    print(
        f"  Numba's      {numba * 1e3:10.0f}   {numba / plain:.0f} times ours "
        f"({NUMBA_BLOCKS**2} of {ALL_BLOCKS**2} blocks run, scaled)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
