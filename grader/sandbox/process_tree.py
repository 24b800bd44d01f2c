"""All the processes that come from one command: how much memory they hold, and how to end them.

The grader is the reaper of orphans (PR_SET_CHILD_SUBREAPER): a process whose parent has ended, or
that detached itself from its session, becomes the grader's own child and can be found.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
from collections.abc import Set
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PAGE = resource.getpagesize()
_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Makes this process the parent of every orphan below it."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    """Has the kernel kill this process when `parent`, its parent, ends. It ends at once where the
    parent has ended already. Makes system calls and nothing else."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(127)


def resident(pid: int, spared: Set[int]) -> int:
    """Bytes of memory that a process holds together with all below it and the orphans. Pages that
    several of them share count for each. spared: children of the grader that are no orphans."""
    total, waiting = 0, [pid, *orphans(spared)]
    visited: set[int] = set()
    while waiting:
        pid = waiting.pop()
        if pid in visited:
            continue
        visited.add(pid)
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may end meanwhile
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
            for task in os.listdir(f"/proc/{pid}/task"):
                children = Path(f"/proc/{pid}/task/{task}/children").read_text()
                waiting += [int(child) for child in children.split()]
    return total


def kill(process: subprocess.Popen[bytes], grace: float, spared: Set[int]) -> None:
    """Kills a command's session and all orphans, and waits for them.

    grace: seconds that the command gets to end by itself after SIGTERM.
    spared: children of the grader that are no orphans.
    """
    if grace and process.poll() is None:
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(grace)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    while left := orphans(spared):
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def orphans(spared: Set[int]) -> list[int]:
    """The grader's children, except for those that are spared."""
    me = os.getpid()
    try:
        children = Path(f"/proc/{me}/task/{me}/children").read_text().split()
    except OSError:
        return []  # no procfs: only the session is killed
    return [pid for pid in map(int, children) if pid not in spared]
