"""What a command may use, and how the kernel is told so."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass, field

ADDRESS_SPACE = 16 << 30  # bytes; more than any lab needs
MEMORY = 4 << 30  # bytes; ten times what any lab needs


def _default_processes() -> int:
    """Room for make and its compilers, or for OpenMP's threads on every core."""
    return 64 + 4 * (os.cpu_count() or 1)


@dataclass(frozen=True)
class Limits:
    """What a command may use. Sizes in bytes, times in seconds of wall time."""

    seconds: float
    output: int = 1 << 20  # of stdout and of stderr; a command that prints more is stopped
    file_size: int = 1 << 30
    address_space: int | None = ADDRESS_SPACE  # of each process; None: no limit
    memory: int = MEMORY  # resident, of all its processes together
    processes: int = field(default_factory=_default_processes)  # and threads; in a sandbox only
    open_files: int = 256  # in a sandbox only
    # Whether to limit processor time as well. Linux then updates the process's clock every 4 ms
    # only, which is too coarse for a program that times itself.
    processor: bool = True
    grace: float = 0.0  # between SIGTERM and SIGKILL; make uses it to remove half-written files


def set_kernel_limits(limits: Limits, sandboxed: bool, count_processes: bool) -> None:
    """Sets the kernel's limits for this process and its children. To be called between fork and
    exec: it makes system calls and nothing else.

    count_processes: also limits the number of processes of this process's user.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size))
    if sandboxed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits.open_files, limits.open_files))
    if count_processes:
        resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
    if limits.processor:
        seconds = int(limits.seconds * (os.cpu_count() or 1)) + 5
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        seconds = seconds if hard == resource.RLIM_INFINITY else min(seconds, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if limits.address_space is not None:
        resource.setrlimit(resource.RLIMIT_AS, (limits.address_space, limits.address_space))
