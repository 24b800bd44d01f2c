"""Tests the sandbox with a hostile program: what must be refused, work, or be stopped.

probe.c is compiled and run exactly as a submission is, through the same launcher. Every attempt to
reach something forbidden must be refused, whatever an honest program does must work, and a program
that never ends must be stopped in time. If one probe fails, ./grade bulk grades nothing.
"""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from grader import paths
from grader.compile import make, sources
from grader.execute.case import OUTPUT_FILES
from grader.model import spec
from grader.model.spec import Lab
from grader.sandbox import bubblewrap, launcher, seccomp
from grader.sandbox.bubblewrap import View
from grader.sandbox.ending import Finished
from grader.sandbox.limits import Limits
from grader.sandbox.workspace import create_outputs, workspace

SOURCE = Path(__file__).with_name("probe.c")
KERNEL = Path(__file__).with_name("probe.cu")
SECRET = "CONVLABS_PROBE_SECRET"
LATE = 30.0  # seconds after its limit, at which a program must be dead also on a busy machine
ENDLESS = ("processor", "processors", "waiting")
SHORT = Limits(seconds=10, file_size=1 << 20)


@dataclass(frozen=True)
class Probe:
    """A probe, and what came of it."""

    name: str  # what it tried
    expected: str  # "refused", "works" or "stopped"
    passed: bool
    seconds: float
    remark: str = ""  # how the program ended


@dataclass(frozen=True)
class Site:
    """Where the probes run: the compiled program, and a run's folder with its files."""

    program: Path
    folder: Path
    outside: Path  # a file that no submission may read
    port: str  # of a server on this machine
    abstract: str  # name of a Unix socket without a file
    gpu: bool  # the sandbox is that of programs that use a GPU

    def launch(self, *arguments: str, limits: Limits = SHORT) -> Finished:
        outputs = create_outputs(self.folder, OUTPUT_FILES)
        view = View((self.program, self.folder), outputs, gpu=self.gpu)
        return launcher.launch([str(self.program), *arguments], limits, self.folder, view=view)


def run_all(gpu: bool = False) -> list[Probe]:
    """Makes every probe, in a few seconds; with `gpu`, in the sandbox of programs that use one.
    Builds the runtime if that is missing. Raises BuildError, and OSError when a probe does not
    compile."""
    lab = spec.load(next(iter(spec.available())))
    make.prepare(lab, lab.backends[0], timed=False)
    with _prepared(gpu) as site:
        probes = [_refused(site, name, *attempt) for name, attempt in _attempts(site).items()]
        probes += _refused_to_compilers(site, lab)
        probes += _works(site)
        return probes + _stopped(site)


def problems(probes: list[Probe]) -> list[str]:
    """The probes that failed, in words."""
    return [f"{p.name}: not {p.expected} ({p.remark})" for p in probes if not p.passed]


@contextmanager
def _prepared(gpu: bool) -> Iterator[Site]:
    """Lays out what the probes try to reach, and removes it in the end."""
    os.environ[SECRET] = "1"
    with workspace() as work, socket.socket() as inet, socket.socket(socket.AF_UNIX) as unix:
        inet.bind(("127.0.0.1", 0))
        inet.listen()
        abstract = f"convlabs-probe-{os.getpid()}"
        unix.bind("\0" + abstract)
        unix.listen()
        folder = Path(tempfile.mkdtemp(dir=work))
        outside = work / "other" / "outside"
        outside.parent.mkdir()
        outside.write_text("another student's work")
        (folder / "image.npy").write_text("an input")
        program = _compiled(work / "built", ["gcc", "-std=gnu11", "-O1", "-pthread"], SOURCE)
        port = str(inet.getsockname()[1])
        try:
            yield Site(program, folder, outside, port, abstract, gpu)
        finally:
            del os.environ[SECRET]


def _compiled(out: Path, compiler: list[str], source: Path) -> Path:
    """Compiles a probe in the sandbox, as a submission is compiled."""
    out.mkdir()
    bubblewrap.hand_over(out, compiler=True)
    view = View((source,), (out,), temporary=1 << 28, compiler=True, gpu=source is KERNEL)
    argv = [*compiler, str(source), "-o", str(out / "probe")]
    finished = launcher.launch(argv, make.COMPILE_LIMITS, out, view=view)
    if finished.status != 0:
        stderr = finished.stderr.decode(errors="replace").strip() or f"{compiler[0]} did not run"
        raise OSError(0, f"the probe does not compile in the sandbox: {stderr[-300:]}")
    return out / "probe"


def _attempts(site: Site) -> dict[str, tuple[str, ...]]:
    """What must be refused: the probe's name, and the arguments of probe.c."""
    grader, folder = str(os.getpid()), site.folder
    home = [p for p in sorted(Path.home().iterdir()) if p.is_file() and os.access(p, os.R_OK)]
    at_home = str(home[0] if home else Path.home() / ".profile")
    column = seccomp.ARCHITECTURES[os.uname().machine][0]
    numbers = seccomp.DENIED | seccomp.MEMORY

    def call(name: str) -> tuple[str, ...]:
        return ("calls", str(numbers[name][column]))

    return {
        "read another student's file": ("reads", str(site.outside)),
        "list another run's folder": ("lists", str(site.outside.parent)),
        "list the hidden cases": ("lists", str(paths.HIDDEN)),
        "list the solutions": ("lists", str(paths.ROOT / "solutions")),
        "read a lab's spec": ("reads", str(next(paths.LABS.glob("lab1_*/lab.toml")))),
        "read the grader": ("reads", str(Path(__file__))),
        "read /etc/passwd": ("reads", "/etc/passwd"),
        "read /etc/shadow": ("reads", "/etc/shadow"),
        "read a file in the home folder": ("reads", at_home),
        "list /var": ("lists", "/var"),
        "overwrite its own program": ("writes", str(site.program)),
        "overwrite its input": ("writes", str(folder / "image.npy")),
        "add a file to its folder": ("writes", str(folder / "more")),
        "put a link beside its outputs": ("links", str(folder / "link")),
        "remove an output": ("removes", str(folder / OUTPUT_FILES[0])),
        "put a fifo beside its outputs": ("makes-fifo", str(folder / "fifo")),
        "write to /": ("writes", "/new"),
        "write to /usr": ("writes", "/usr/new"),
        "write to /dev": ("writes", "/dev/new"),
        "create a device": ("makes-device", "/tmp/device"),
        "fill /tmp with a gigabyte": ("fills", "/tmp"),
        "fill /dev/shm with a gigabyte": ("fills", "/dev/shm"),
        "connect to a port of this machine": ("connects", site.port),
        "send a packet to the internet": ("sends", "192.0.2.1"),
        "connect to an abstract socket": ("connects-abstract", site.abstract),
        "read an environment variable of the grader": ("finds-variable", SECRET),
        "use an inherited file descriptor": ("has-descriptor",),
        "see the grader's process": ("sees-process", grader),
        "signal the grader": ("signals", grader),
        "be traced like under a debugger": ("traces",),
        "write to the memory of process 1": ("writes-memory",),
        "create a user namespace": ("unshares",),
        "clone into a user namespace": ("clones-user",),
        "mount something": ("mounts", "/tmp"),
        "become root": ("becomes-root",),
        "set the clock": ("sets-clock",),
        "create shared memory": ("shares-memory",),
        "create an anonymous file in memory": call("memfd_create"),
        "use io_uring": call("io_uring_setup"),
        "use userfaultfd": call("userfaultfd"),
        "use perf_event_open": call("perf_event_open"),
        "use the kernel's keyrings": call("keyctl"),
        "read another process's memory": call("process_vm_readv"),
    }


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
        "include the hidden cases": f'#include "{paths.HIDDEN}/{lab.id}.toml"',
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
        absent = finished.status == 1 and ("No such file" in stderr or "file not found" in stderr)
        probes.append(
            Probe(f"compiler: {name}", "refused", absent, finished.seconds, _ending(finished))
        )
    return probes


def _works(site: Site) -> list[Probe]:
    """What an honest program does. The last value says whether it worked."""
    output = site.folder / OUTPUT_FILES[0]
    actions: dict[str, tuple[tuple[str, ...], Callable[[Finished], bool]]] = {
        "reads its input": (("reads", str(site.folder / "image.npy")), lambda d: d.status == 0),
        "writes its output": (("writes", str(output)), lambda _: output.read_bytes() == b"x"),
        "writes to /tmp": (("writes", "/tmp/scratch"), lambda d: d.status == 0),
        "reads the processor's description": (("reads", "/proc/cpuinfo"), lambda d: d.status == 0),
        "starts threads": (("starts-threads", "8"), lambda d: d.status == 0),
        "prints": (("prints", "hello"), lambda d: d.stdout == b"hello\n" and d.status == 0),
        "crashes with the right signal": (("crashes",), lambda d: d.signal == signal.SIGSEGV),
    }
    probes = []
    for name, (attempt, worked) in actions.items():
        finished = site.launch(*attempt)
        probes.append(Probe(name, "works", worked(finished), finished.seconds, _ending(finished)))
    return [*probes, _runs_a_kernel(site)] if site.gpu else probes


def _runs_a_kernel(site: Site) -> Probe:
    program = _compiled(site.folder.parent / "kernel", ["nvcc", "-arch=native"], KERNEL)
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
