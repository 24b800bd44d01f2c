"""Are the walls really there?  Hostile attempts and harmless ones, through the launcher itself.

Before a bulk run, probe.c is compiled and run exactly as a submission is. Each attempt to reach
something must be refused, each ordinary thing must work, and what never ends must be stopped in
time. One surprise, and nothing is graded.
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
LATE = 1.0  # seconds after its limit in which a program must be dead
SHORT = Limits(seconds=10, file_size=1 << 20)


@dataclass(frozen=True)
class Seen:
    """One probe: what it tried, what came of it, and whether that is as it must be."""

    name: str
    kind: str  # "refused", "works" or "stopped": what must come of it
    as_wanted: bool
    seconds: float
    remark: str = ""


@dataclass(frozen=True)
class Ground:
    """Where the probes run: a program and the folder of a run, with its files."""

    program: Path
    folder: Path
    outside: Path  # a file that no submission may see
    port: str
    abstract: str
    gpu: bool  # what is probed are the walls around programs that use one

    def launch(self, *arguments: str, limits: Limits = SHORT) -> Finished:
        outputs = create_outputs(self.folder, OUTPUT_FILES)
        view = View((self.program, self.folder), outputs, gpu=self.gpu)
        return launcher.launch([str(self.program), *arguments], limits, self.folder, view=view)


def all_seen(gpu: bool = False) -> list[Seen]:
    """Every probe, in a few seconds; `gpu`: as a program that uses one. Builds the runtime, if it
    is not there. Raises BuildError, and OSError when a probe cannot be built."""
    lab = spec.load(next(iter(spec.available())))
    make.prepare(lab, lab.backends[0], timed=False)
    with _ground(gpu) as ground:
        seen = [_refused(ground, name, *attempt) for name, attempt in _attempts(ground).items()]
        seen += _refused_to_compilers(ground, lab)
        seen += _works(ground)
        return seen + _stopped(ground)


def surprises(seen: list[Seen]) -> list[str]:
    return [f"{s.name}: not {s.kind}. {s.remark}".strip() for s in seen if not s.as_wanted]


@contextmanager
def _ground(gpu: bool) -> Iterator[Ground]:
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
            yield Ground(program, folder, outside, port, abstract, gpu)
        finally:
            del os.environ[SECRET]


def _compiled(out: Path, compiler: list[str], source: Path) -> Path:
    """A probe, built behind walls as a submission is."""
    out.mkdir()
    bubblewrap.hand_over(out, compiler=True)
    view = View((source,), (out,), temporary=1 << 28, compiler=True, gpu=source is KERNEL)
    argv = [*compiler, str(source), "-o", str(out / "probe")]
    done = launcher.launch(argv, make.COMPILE_LIMITS, out, view=view)
    if done.status != 0:
        said = done.stderr.decode(errors="replace").strip() or f"{compiler[0]} did not run"
        raise OSError(0, f"the probe does not build behind walls: {said[-300:]}")
    return out / "probe"


def _attempts(ground: Ground) -> dict[str, tuple[str, ...]]:
    """What must be refused, by what it is called in a report."""
    me, folder = str(os.getpid()), ground.folder
    homely = [p for p in sorted(Path.home().iterdir()) if p.is_file() and os.access(p, os.R_OK)]
    at_home = str(homely[0] if homely else Path.home() / ".profile")
    column = seccomp.ARCHITECTURES[os.uname().machine][0]
    numbers = seccomp.DENIED | seccomp.MEMORY

    def call(name: str) -> tuple[str, ...]:
        return ("calls", str(numbers[name][column]))

    return {
        "read another's file": ("reads", str(ground.outside)),
        "list another run's folder": ("lists", str(ground.outside.parent)),
        "list the hidden cases": ("lists", str(paths.HIDDEN)),
        "list the solutions": ("lists", str(paths.ROOT / "solutions")),
        "read a lab's spec": ("reads", str(next(paths.LABS.glob("lab1_*/lab.toml")))),
        "read the grader": ("reads", str(Path(__file__))),
        "read /etc/passwd": ("reads", "/etc/passwd"),
        "read /etc/shadow": ("reads", "/etc/shadow"),
        "read a file at home": ("reads", at_home),
        "list /var": ("lists", "/var"),
        "write over its own program": ("writes", str(ground.program)),
        "write over its input": ("writes", str(folder / "image.npy")),
        "add a file to its folder": ("writes", str(folder / "more")),
        "put a link beside its outputs": ("links", str(folder / "link")),
        "remove an output": ("removes", str(folder / OUTPUT_FILES[0])),
        "put a fifo beside its outputs": ("makes-fifo", str(folder / "fifo")),
        "write to /": ("writes", "/new"),
        "write to /usr": ("writes", "/usr/new"),
        "write to /dev": ("writes", "/dev/new"),
        "make a device": ("makes-device", "/tmp/device"),
        "fill /tmp with a gigabyte": ("fills", "/tmp"),
        "fill /dev/shm with a gigabyte": ("fills", "/dev/shm"),
        "connect to a port of this machine": ("connects", ground.port),
        "send a packet to the world": ("sends", "192.0.2.1"),
        "connect to an abstract socket": ("connects-abstract", ground.abstract),
        "find a variable of the grader": ("finds-variable", SECRET),
        "find an inherited descriptor": ("has-descriptor",),
        "see the grader's process": ("sees-process", me),
        "signal the grader": ("signals", me),
        "be traced": ("traces",),
        "write the first process's memory": ("writes-memory",),
        "make a user namespace": ("unshares",),
        "clone into a user namespace": ("clones-user",),
        "mount something": ("mounts", "/tmp"),
        "become root": ("becomes-root",),
        "set the clock": ("sets-clock",),
        "make shared memory": ("shares-memory",),
        "make memory without a file": call("memfd_create"),
        "use io_uring": call("io_uring_setup"),
        "use userfaultfd": call("userfaultfd"),
        "use perf_event_open": call("perf_event_open"),
        "use the kernel's key rings": call("keyctl"),
        "read another process's memory": call("process_vm_readv"),
    }


def _refused(ground: Ground, name: str, *attempt: str) -> Seen:
    limits = replace(SHORT, file_size=1 << 30) if attempt[0] == "fills" else SHORT
    done = ground.launch(*attempt, limits=limits)
    return Seen(name, "refused", done.status == 1, done.seconds, _ended(done))


def _refused_to_compilers(ground: Ground, lab: Lab) -> list[Seen]:
    """What a submission's compiler must not find, in the view that it has."""
    out = ground.folder.parent / "compiler"
    (out / "src").mkdir(parents=True)
    wanted = {
        "include a solution": f'#include "{paths.ROOT}/solutions/{lab.folder}/{lab.submit[0]}"',
        "include a lab's spec": f'#include "{paths.LABS}/{lab.folder}/lab.toml"',
        "include the hidden cases": f'#include "{paths.HIDDEN}/{lab.id}.toml"',
        "include /etc/passwd": '#include "/etc/passwd"',
        "embed another's file": f'__asm__(".incbin \\"{ground.outside}\\"");',
    }
    seen = []
    for number, (name, line) in enumerate(wanted.items()):
        source = out / "src" / f"{number}.c"
        source.write_text(line + "\nint nothing;\n")
        view = replace(sources.view(lab, out, lab.backends[0]), gpu=ground.gpu)
        argv = ["gcc", "-c", str(source), "-o", f"{out}/{number}.o"]
        done = launcher.launch(argv, make.COMPILE_LIMITS, out, view=view)
        said = done.stderr.decode(errors="replace")
        absent = done.status == 1 and ("No such file" in said or "file not found" in said)
        seen.append(Seen(f"compiler: {name}", "refused", absent, done.seconds, _ended(done)))
    return seen


def _works(ground: Ground) -> list[Seen]:
    """What an honest program does."""
    output = ground.folder / OUTPUT_FILES[0]
    wanted: dict[str, tuple[tuple[str, ...], Callable[[Finished], bool]]] = {
        "reads its input": (("reads", str(ground.folder / "image.npy")), lambda d: d.status == 0),
        "writes its output": (("writes", str(output)), lambda _: output.read_bytes() == b"x"),
        "writes to /tmp": (("writes", "/tmp/scratch"), lambda d: d.status == 0),
        "reads the processor's description": (("reads", "/proc/cpuinfo"), lambda d: d.status == 0),
        "starts threads": (("starts-threads", "8"), lambda d: d.status == 0),
        "prints": (("says", "hello"), lambda d: d.stdout == b"hello\n" and d.status == 0),
        "crashes as outside": (("faults",), lambda d: d.signal == signal.SIGSEGV),
    }
    seen = []
    for name, (attempt, right) in wanted.items():
        done = ground.launch(*attempt)
        seen.append(Seen(name, "works", right(done), done.seconds, _ended(done)))
    return [*seen, _runs_a_kernel(ground)] if ground.gpu else seen


def _runs_a_kernel(ground: Ground) -> Seen:
    program = _compiled(ground.folder.parent / "kernel", ["nvcc", "-arch=native"], KERNEL)
    limits = replace(SHORT, seconds=30, address_space=None)
    done = replace(ground, program=program).launch(limits=limits)
    return Seen("runs a kernel", "works", done.status == 0, done.seconds, _ended(done))


def _stopped(ground: Ground) -> list[Seen]:
    """What would never end: how it is stopped, and that nothing of it is left."""
    brief = replace(SHORT, seconds=0.5)
    wanted: dict[str, tuple[str, Limits, Callable[[Finished], bool]]] = {
        "fork bomb": ("forks", brief, lambda d: d.stopped_by == "time"),
        "memory bomb": (
            "swells",
            replace(SHORT, memory=256 << 20),
            lambda d: d.stopped_by == "memory",
        ),
        "sleeper that ignores SIGTERM": ("sleeps", brief, lambda d: d.stopped_by == "time"),
        "daemon": ("detaches", brief, lambda d: d.stopped_by == "time"),
        "endless output": ("prints", SHORT, lambda d: d.stopped_by == "output"),
    }
    seen = []
    for name, (attempt, limits, right) in wanted.items():
        start = time.monotonic()
        done = ground.launch(attempt, limits=limits)
        seconds = time.monotonic() - start
        left = _processes_of(ground.program)
        good = right(done) and not left and seconds <= limits.seconds + LATE
        remark = _ended(done) + (f"; {len(left)} processes are left" if left else "")
        seen.append(Seen(name, "stopped", good, seconds, remark))
    return seen


def _processes_of(program: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if os.fsencode(program) in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def _ended(done: Finished) -> str:
    said = done.stderr.decode(errors="replace").strip().splitlines()
    how = f"signal {done.signal}" if done.signal else f"exit status {done.status}"
    return f"{how}, {said[-1]}" if said else how
