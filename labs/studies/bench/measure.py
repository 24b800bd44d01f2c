"""One run: everything that takes part on this machine, and what the machine is."""

import datetime
import itertools
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from labs.studies.bench import machine, results
from labs.studies.bench.results import Case, Curve, Run


class Plan(NamedTuple):
    """What to measure. labs: those named; none: all of the kind. seconds: what is not measured
    when they are over is left out, and the run says so."""

    labs: Sequence[str] = ()
    curves: bool = True
    seconds: float = math.inf


def runs(kind: str, plan: Plan) -> Iterator[Run]:
    """Measures on this machine. Yields the run after each result, so that one which is stopped
    loses only what it had not measured; the last is the whole."""
    began = time.monotonic()
    start = _gpu(plan) if kind == "gpu" else _cpu(plan)
    cases: list[Case] = []
    curves: list[Curve] = []
    in_turn: Iterator[Case | Curve] = itertools.chain(
        start.cases, start.curves if plan.curves else ()
    )
    for result in in_turn:
        print(_line(result), flush=True)
        if isinstance(result, Case):
            cases.append(result)
        else:
            curves.append(result)
        rest = {"the rest": f"the run ended after {_name(result)}"}
        yield _run(kind, start, start.missing | rest, cases, curves)
        if time.monotonic() - began > plan.seconds:
            return
    yield _run(kind, start, start.missing, cases, curves)


class _Start(NamedTuple):
    """What is known before anything is measured. cases, curves: measured when asked for."""

    machine: dict[str, str]
    versions: dict[str, str]
    missing: dict[str, str]
    rates: dict[str, float]
    cases: Iterator[Case]
    curves: Iterator[Curve]


def _cpu(plan: Plan) -> _Start:
    from labs.studies.bench import cpu, cpu_libraries

    chosen, sizes = plan.labs or cpu.LABS, cpu.Sizes()
    libraries, missing = cpu_libraries.available()
    bench = cpu.Bench(chosen, libraries)
    return _Start(
        _processor(),
        {name: v for library in libraries.values() for name, v in library.versions().items()},
        missing,
        {"float": bench.rate},
        cpu.cases(bench, sizes, chosen, missing),
        cpu.scaling(bench, sizes, chosen, missing),
    )


def _gpu(plan: Plan) -> _Start:
    from labs.studies.bench import gpu, gpu_libraries

    chosen, sizes = plan.labs or gpu.LABS, gpu.Sizes()
    libraries, missing = gpu_libraries.available()
    bench = gpu.Bench("gpu", chosen, libraries)
    return _Start(
        _device(),
        {name: v for library in libraries.values() for name, v in library.versions().items()},
        missing,
        bench.rates,
        gpu.cases(bench, sizes, chosen, missing),
        gpu.scaling(bench, sizes, chosen),
    )


def _name(result: Case | Curve) -> str:
    if isinstance(result, Curve):
        return result.title
    return f"{result.lab} {result.part}, {result.work}"


def _line(result: Case | Curve) -> str:
    if isinstance(result, Curve):
        return f"{_name(result)}: {len(result.lines)} lines"
    times = ", ".join(
        f"{entry.who} {entry.ns / 1e3:,.1f} µs" if entry.ns else f"{entry.who}: {entry.note}"
        for entry in result.entries
    )
    return f"{_name(result)}: {times}"


def _run(
    kind: str, start: _Start, missing: dict[str, str], cases: list[Case], curves: list[Curve]
) -> Run:
    own = {"Python": platform.python_version(), "NumPy": np.__version__}
    return Run(
        format=results.FORMAT,
        kind=kind,
        date=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        command=" ".join(["python -m labs.studies.bench", *sys.argv[1:]]),
        machine=start.machine,
        versions=own | start.versions,
        missing=missing,
        rates=start.rates,
        cases=[*cases],
        curves=[*curves],
    )


def _processor() -> dict[str, str]:
    """The processor, as the system describes it."""
    about = machine.describe()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    flags = machine.processor_flags()
    vectors = [name for name in ("avx512f", "avx2", "ssse3") if name in flags]
    described = {
        "processor": str(about["cpu"]),
        "cores": str(about["cores"]),
        "vectors": vectors[0] if vectors else "unknown",
        "memory": f"{memory:.0f} GB",
        "system": str(about["system"]),
        "gcc": str(about["compiler"]),
    }
    if "hypervisor" in flags:
        described["note"] = "a virtual machine, whose cores and memory others may share"
    return described


def _device() -> dict[str, str]:
    """The GPU, its driver and compiler, and the processor beside it."""
    gpu, reason = machine.gpu()
    described = {"gpu": reason} if gpu is None else dict(gpu)
    query = ["nvidia-smi", "--query-gpu=clocks.max.sm,clocks.max.mem", "--format=csv,noheader"]
    try:
        clocks = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        clocks = ""
    if clocks:
        described["clocks at most"] = clocks
    return described | {"processor": str(machine.describe()["cpu"])}
