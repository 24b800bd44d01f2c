"""What a sandbox is asked for, and what it gives: the types that all kinds of it share."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SMALL = 64 << 20  # bytes of /tmp and of /dev/shm


@dataclass(frozen=True)
class View:
    """What a command sees besides the system. Paths are the same inside as outside.

    compiler: the command is a compiler, not a submission's program.
    debugger: it may use ptrace on the processes inside.
    gpu: it sees the GPUs.
    gpu_minor: of those only /dev/nvidiaN with this N; None: all of them.
    """

    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    temporary: int = SMALL  # bytes of /tmp, where the sandbox has a /tmp of its own
    compiler: bool = False
    debugger: bool = False
    gpu: bool = False
    gpu_minor: int | None = None


@dataclass(frozen=True)
class SandboxedCommand:
    """How to start a command in the sandbox.

    descriptors: what it must inherit.
    status_pipe: where bubblewrap says how the command ended; None where the command itself is
        the grader's child.
    processes: the limit on processes that is to be set before it starts; None: none.
    confine: is called in the child between fork and exec: system calls and nothing else.
    user: the id of a user whose processes all come from this command; None: there is none, or
        they cannot outlive the command.
    """

    argv: list[str]
    env: dict[str, str]
    cwd: Path
    descriptors: tuple[int, ...] = ()
    status_pipe: int | None = None
    processes: int | None = None
    confine: Callable[[], None] | None = None
    user: int | None = None


def interpreter() -> tuple[Path, ...]:
    """The folders that a sandbox must show for the grader's own Python to start inside."""
    base = Path(sys.base_prefix)
    return (Path(sys.prefix), *(() if base.is_relative_to("/usr") else (base,)))
