"""Measures how fast the simulator is, as ratios within one run: make bench-sim.

Naive: what --profile and --check cost on two kernels of many programs, naive.cu.
Warp functions: lanes per second, plain, with warps.cu.
Traced: lane accesses per second, with traced.cu. Plain: source 004's 13x13
correlation of a 200x200 image on one core, compared with a loop in C and with Numba's CUDA
simulator. Numba is slow, so it runs only some of the 49 blocks and its time is scaled to all. All
times are processor times; the rounds are interleaved and the smallest time of each is used, so that
other work on the machine has little influence. ./grade setup --bench installs Numba.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from grader import paths
from grader.execute import profile, program

HERE = Path(__file__).resolve().parent
ROUNDS = 5
NAIVE = ("gemm", "convolution")
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
        launches = profile.read_launches(target.read_bytes())
    lines = (line.split() for line in printed.splitlines())
    seconds = {name: float(text) for name, text in lines}
    return {
        launch.name: (seconds[launch.name], sum(site.lanes for site in launch.sites))
        for launch in launches
    }


def launches(binary: Path, **options: str) -> dict[str, float]:
    """Seconds of each launch, as naive.cu prints them."""
    lines = (line.split() for line in output(binary, environment=ONE_CORE | options).splitlines())
    return {words[0]: float(words[1]) for words in lines if words[:1] and words[0] in NAIVE}


def costs(plain: Path, traced_binary: Path) -> dict[str, dict[str, float]]:
    """Seconds of each launch of naive.cu, plain, with --profile and with --check."""
    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder) / "profile.jsonl")
        return {
            "plain": launches(plain),
            "profile": launches(traced_binary, CONVLABS_SIM_PROFILE=target),
            "check": launches(traced_binary, CONVLABS_SIM_CHECK="1"),
        }


def warp_functions(binary: Path) -> dict[str, tuple[float, int]]:
    """Seconds of a launch and lanes in it, as warps.cu prints them."""
    lines = (line.split() for line in output(binary).splitlines())
    return {words[0]: (float(words[1]), int(words[2])) for words in lines}


def timed(*command: str | Path, environment: dict[str, str] = ONE_CORE) -> tuple[float, float]:
    """Seconds and sum, as plain.cu, native.c and numba_tile.py print them."""
    _, seconds, total = output(*command, environment=environment).split()
    return float(seconds), float(total)


def main() -> int:
    traced_binary = program.build([str(HERE / "traced.cu")], profiled=True).binary
    warps_binary = program.build([str(HERE / "warps.cu")], profiled=False).binary
    plain_binary = program.build([str(HERE / "plain.cu")], profiled=False).binary
    native = paths.BUILD / "bench-native"
    output("gcc", "-std=gnu11", "-O3", "-march=native", HERE / "native.c", "-o", native)

    naive = {
        profiled: program.build([str(HERE / "naive.cu")], profiled=profiled).binary
        for profiled in (False, True)
    }
    part = (str(NUMBA_BLOCKS), str(NUMBA_BLOCKS))
    fake = ONE_CORE | {"NUMBA_ENABLE_CUDASIM": "1"}
    traces, plains, natives, fakes, naives = [], [], [], [], []
    for _ in range(ROUNDS):
        traces.append(traced(traced_binary))
        plains.append(timed(plain_binary, str(LAUNCHES), *part))
        natives.append(timed(native, str(LAUNCHES), *part))
        naives.append(costs(naive[False], naive[True]))
        fakes.append(timed(sys.executable, HERE / "numba_tile.py", *part, environment=fake))
    if len({total for _, total in [*plains, *natives, *fakes]}) != 1:
        print("bench-sim: the programs give different sums of the pixels", file=sys.stderr)
        return 1

    print("warp functions, plain, millions of lanes per second of processor time:")
    for name, (least, calls) in warp_functions(warps_binary).items():
        print(f"  {name:<13}{calls / least / 1e6:8.1f}")
    print("two naive kernels, milliseconds of processor time, and times the plain run:")
    for name in NAIVE:
        times = {way: min(run[way][name] for run in naives) for way in naives[0]}
        ratios = "".join(
            f"   {way} {times[way] * 1e3:.1f} ({times[way] / times['plain']:.1f})"
            for way in ("profile", "check")
        )
        print(f"  {name:<13}{times['plain'] * 1e3:8.1f}{ratios}")
    print("traced, exact replay, millions of lane accesses per second of processor time:")
    for name, lanes in (
        ("shared_tile", "agree"),
        ("border_lanes", "diverge at the borders"),
        ("uneven_loops", "diverge by the data"),
    ):
        seconds, accesses = min(trace[name] for trace in traces)
        print(f"  {name:<13}{accesses / seconds / 1e6:8.1f}   its lanes {lanes}")
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
