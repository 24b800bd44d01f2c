"""What a command may use, and how the kernel limits it."""

import os
import resource
import shutil
from dataclasses import dataclass, field

ADDRESS_SPACE = 16 << 30  # bytes; more than any lab needs
MEMORY = 4 << 30  # bytes; ten times what any lab needs
LEAST_WAIT = 60.0  # seconds
# Of a program that needs no device: when none of its threads runs or could run, none ever will.
WITHOUT_DEVICE = 5.0


def _default_processes() -> int:
    """Room for make and its compilers, or for 64 threads of OpenMP beside those of another run."""
    return 160 + 4 * (os.cpu_count() or 1)


def cores() -> int:
    """How many threads can run at the same time here."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Limits:
    """What a command may use. Sizes in bytes, times in seconds.

    Only processor time counts, so that a busy machine slows a command and does not stop it. A
    thread may use `seconds` of it, and all threads of all processes together that much for each
    core: a program that is stopped would have taken longer than `seconds` on this machine alone,
    however many threads share its work.
    """

    seconds: float
    # That no thread runs or waits for a core. None: ten times `seconds`, and a minute at least.
    waiting: float | None = None
    output: int = 1 << 20  # of stdout and of stderr; a command that prints more is stopped
    file_size: int = 1 << 30
    address_space: int | None = ADDRESS_SPACE  # of each process; None: no limit
    memory: int = MEMORY  # resident, of all its processes together
    processes: int = field(default_factory=_default_processes)  # and threads; in a sandbox only
    open_files: int = 256  # in a sandbox only
    # Whether the kernel limits the processor time of each process as well. Linux then updates the
    # process's clock every 4 ms only, which is too coarse for a program that times itself.
    kernel_counts: bool = True
    grace: float = 0.0  # between SIGTERM and SIGKILL; make uses it to remove half-written files

    def longest_wait(self) -> float:
        """Seconds that a command may sleep or wait, all together."""
        return self.waiting or max(LEAST_WAIT, 10 * self.seconds)

    def longest(self) -> float:
        """Seconds of wall time after which a command has reached no limit only because other
        programs keep the cores busy. With 40 of them on 2 cores it still gets all of its own
        processor time before."""
        return 4 * max(self.longest_wait(), 10 * self.seconds)


def set_kernel_limits(limits: Limits, sandboxed: bool, processes: int | None) -> None:
    """Sets the kernel's limits for this process and its children. To be called between fork and
    exec: it makes system calls and nothing else.

    processes: the most that the user may have whom this process becomes; None: no limit.
    """
    for name, most in _kernel_limits(limits, sandboxed, processes).items():
        kind = KINDS[name]
        most = _lowered(kind, most)
        resource.setrlimit(kind, (most, most))


def with_kernel_limits(
    argv: list[str], limits: Limits, sandboxed: bool, processes: int | None
) -> list[str]:
    """A command that sets the kernel's limits and becomes `argv`. The grader then need not be
    copied for each command (fork), which takes nearly as long as a small command does."""
    options = []
    for name, most in _kernel_limits(limits, sandboxed, processes).items():
        most = _lowered(KINDS[name], most)
        options.append(f"--{name}={most}:{most}")
    return [shutil.which("prlimit") or "prlimit", *options, "--", *argv]


def that_dies_with_parent(argv: list[str]) -> list[str] | None:
    """A command that has the kernel kill it when its parent ends, and becomes `argv`. None where
    there is no program for that, or no `argv`: what cannot start is for the caller to see.

    A parent that ends before that request is left to the watchdog (cleanup_after_kill.py).
    """
    program = shutil.which("setpriv")
    if program is None or shutil.which(argv[0]) is None:
        return None
    return [program, "--pdeathsig", "KILL", "--", *argv]


KINDS = {
    "core": resource.RLIMIT_CORE,
    "fsize": resource.RLIMIT_FSIZE,
    "nofile": resource.RLIMIT_NOFILE,
    "nproc": resource.RLIMIT_NPROC,
    "cpu": resource.RLIMIT_CPU,
    "as": resource.RLIMIT_AS,
}  # by their names for prlimit


def _kernel_limits(limits: Limits, sandboxed: bool, processes: int | None) -> dict[str, int]:
    most = {"core": 0, "fsize": limits.file_size}
    if sandboxed:
        most["nofile"] = limits.open_files
    if processes is not None:
        most["nproc"] = processes
    if limits.kernel_counts:
        # Of one process, for the case that the grader, itself held up, does not stop it in time.
        most["cpu"] = int(2 * limits.seconds * cores()) + 5
    if limits.address_space is not None:
        most["as"] = limits.address_space
    return most


def _lowered(kind: int, most: int) -> int:
    """The limit, or a lower one that the user has set: only root can raise it."""
    hard = resource.getrlimit(kind)[1]
    return most if hard == resource.RLIM_INFINITY else min(most, hard)
