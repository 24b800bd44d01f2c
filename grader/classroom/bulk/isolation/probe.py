"""Tests the sandbox with a hostile program: what must be refused, work, or be stopped.

probe.c is compiled and run exactly as a submission is, through the same launcher. Every attempt to
reach something forbidden must be refused, all that a normal program does must work, and a program
that never ends must be stopped in time. If one probe fails, ./grade bulk grades nothing.
"""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from grader import paths
from grader.classroom.bulk.isolation.attempts import attempts
from grader.classroom.bulk.isolation.site import KERNEL, SHORT, Site, compiled, prepared
from grader.compile import make, sources
from grader.execute.case import OUTPUT_FILES
from grader.model import outline, spec
from grader.model.lab import Lab
from grader.sandbox import choice, launcher
from grader.sandbox.choice import Probed
from grader.sandbox.ending import Finished
from grader.sandbox.limits import Limits
from grader.sandbox.tiers import Tier

LATE = 30.0  # seconds after its limit, at which a program must be dead also on a busy machine
ENDLESS = ("processor", "processors", "waiting")


@dataclass(frozen=True)
class Probe:
    """A probe, and what came of it."""

    name: str  # what it tried
    expected: str  # "refused", "works" or "stopped"
    passed: bool
    seconds: float
    remark: str = ""  # how the program ended


def run_all(gpu: bool = False) -> list[Probe]:
    """Makes every probe, in a few seconds; with `gpu`, in the sandbox of programs that use one.
    Builds the runtime if that is missing. To be called where there is a sandbox. Raises BuildError,
    and OSError when a probe does not compile."""
    tier = choice.tier(gpu)
    assert tier is not None
    lab = spec.load(next(iter(outline.available())))
    make.prepare(lab, lab.backends[0], timed=False)
    with prepared(gpu) as site:
        probes = [_refused(site, name, *attempt) for name, attempt in attempts(site, tier).items()]
        probes += _refused_to_compilers(site, lab)
        probes += _works(site, tier)
        return probes + _stopped(site)


def problems(probes: list[Probe]) -> list[str]:
    """The probes that failed, in words."""
    return [f"{p.name}: not {p.expected} ({p.remark})" for p in probes if not p.passed]


def record(tier: Tier, probes: list[Probe]) -> Probed:
    """What a grade says of probes that have all passed just now."""
    return Probed(tier.number, len(probes), datetime.now(UTC).date().isoformat())


def _refused(site: Site, name: str, *attempt: str) -> Probe:
    limits = replace(SHORT, file_size=1 << 30) if attempt[0] == "fills" else SHORT
    finished = site.launch(*attempt, limits=limits)
    return Probe(name, "refused", finished.status == 1, finished.seconds, _ending(finished))


def _refused_to_compilers(site: Site, lab: Lab) -> list[Probe]:
    """What a submission's source must not be able to include."""
    out = site.folder.parent / "compiler"
    (out / "src").mkdir(parents=True)
    lines = {
        "include a solution": f'#include "{paths.ROOT}/solutions/{lab.folder}/{lab.submit[0]}"',
        "include a lab's spec": f'#include "{paths.LABS}/{lab.folder}/lab.toml"',
        "include the hidden cases": f'#include "{paths.hidden_cases(lab.folder)}"',
        "include /etc/passwd": '#include "/etc/passwd"',
        "embed another student's file": f'__asm__(".incbin \\"{site.outside}\\"");',
    }
    probes = []
    for number, (name, line) in enumerate(lines.items()):
        source = out / "src" / f"{number}.c"
        source.write_text(line + "\nint nothing;\n")
        view = replace(sources.view(lab, out, lab.backends[0]), gpu=site.gpu)
        argv = ["gcc", "-c", str(source), "-o", f"{out}/{number}.o"]
        finished = launcher.launch(argv, make.COMPILE_LIMITS, out, view=view)
        stderr = finished.stderr.decode(errors="replace")
        refusals = ("No such file", "file not found", "Permission denied")
        absent = finished.status == 1 and any(reason in stderr for reason in refusals)
        probes.append(
            Probe(f"compiler: {name}", "refused", absent, finished.seconds, _ending(finished))
        )
    return probes


def _works(site: Site, tier: Tier) -> list[Probe]:
    """What a legitimate program does. The last value says whether it worked."""
    output = site.folder / OUTPUT_FILES[0]
    actions: dict[str, tuple[tuple[str, ...], Callable[[Finished], bool]]] = {
        "reads its input": (("reads", str(site.folder / "image.npy")), lambda d: d.status == 0),
        "writes its output": (("writes", str(output)), lambda _: output.read_bytes() == b"x"),
        "reads the processor's description": (("reads", "/proc/cpuinfo"), lambda d: d.status == 0),
        "starts threads": (("starts-threads", "8"), lambda d: d.status == 0),
        "prints": (("prints", "hello"), lambda d: d.stdout == b"hello\n" and d.status == 0),
        "crashes with the right signal": (("crashes",), lambda d: d.signal == signal.SIGSEGV),
    }
    if tier.number == 1:  # the others have no /tmp
        actions["writes to /tmp"] = (("writes", "/tmp/scratch"), lambda d: d.status == 0)
    probes = []
    for name, (attempt, worked) in actions.items():
        finished = site.launch(*attempt)
        probes.append(Probe(name, "works", worked(finished), finished.seconds, _ending(finished)))
    return [*probes, _runs_a_kernel(site)] if site.gpu else probes


def _runs_a_kernel(site: Site) -> Probe:
    program = compiled(site.folder.parent / "kernel", ["nvcc", "-arch=native"], KERNEL)
    limits = replace(SHORT, seconds=30, address_space=None)
    finished = replace(site, program=program).launch(limits=limits)
    worked = finished.status == 0
    return Probe("runs a kernel", "works", worked, finished.seconds, _ending(finished))


def _stopped(site: Site) -> list[Probe]:
    """Programs that never end. They must be stopped in time, and leave no process behind."""
    brief = replace(SHORT, seconds=0.5, waiting=0.5)
    programs: dict[str, tuple[str, Limits, Callable[[Finished], bool]]] = {
        "fork bomb": ("forks", brief, lambda d: d.stopped_by in ENDLESS),
        "memory bomb": (
            "uses-memory",
            replace(SHORT, memory=256 << 20),
            lambda d: d.stopped_by == "memory",
        ),
        "sleeper that ignores SIGTERM": ("sleeps", brief, lambda d: d.stopped_by == "waiting"),
        "daemon": ("detaches", brief, lambda d: d.stopped_by == "waiting"),
        "endless output": ("floods", SHORT, lambda d: d.stopped_by == "output"),
    }
    probes = []
    for name, (attempt, limits, stopped) in programs.items():
        start = time.monotonic()
        finished = site.launch(attempt, limits=limits)
        seconds = time.monotonic() - start
        left = _processes_of(site.program)
        passed = stopped(finished) and not left and seconds <= limits.seconds + LATE
        remark = _ending(finished) + (f"; {len(left)} processes are left" if left else "")
        probes.append(Probe(name, "stopped", passed, seconds, remark))
    return probes


def _processes_of(program: Path) -> list[int]:
    processes = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if os.fsencode(program) in (entry / "cmdline").read_bytes():
                    processes.append(int(entry.name))
            except OSError:
                continue
    return processes


def _ending(finished: Finished) -> str:
    """How the program ended, and the last line of its stderr."""
    lines = finished.stderr.decode(errors="replace").strip().splitlines()
    signalled = f"signal {finished.signal}" if finished.signal else ""
    ending = signalled or f"exit status {finished.status}"
    return f"{ending}, {lines[-1]}" if lines else ending
