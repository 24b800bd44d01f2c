"""All the processes that come from one command: what they have used, and how to end them.

The grader is the reaper of orphans (PR_SET_CHILD_SUBREAPER): a process whose parent has ended, or
that detached itself from its session, becomes the grader's own child and can be found.
"""

import contextlib
import ctypes
import io
import os
import resource
import signal
import subprocess
from collections.abc import Set
from dataclasses import dataclass

from grader.sandbox import users

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PAGE = resource.getpagesize()
TICKS = os.sysconf("SC_CLK_TCK")  # units of processor time in procfs, in a second
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Usage:
    """What a process, all below it and the orphans have used, and what they do now.

    processor: seconds of processor time, with that of the processes that they have waited for.
    busiest: seconds of processor time of the thread that has used most, of those that still run.
    memory: bytes that they hold; pages that several of them share count for each.
    active: at least one thread runs or waits for a core.
    """

    processor: float
    busiest: float
    memory: int
    active: bool


def adopt_orphans() -> None:
    """Makes this process the parent of every orphan below it."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    """Has the kernel kill this process when `parent`, its parent, ends. It ends at once where the
    parent has ended already. Makes system calls and nothing else."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(127)


def usage(pid: int, spared: Set[int]) -> Usage:
    """What a process has used together with all below it and the orphans. spared: children of the
    grader that are no orphans.

    A process is read before those below it. One that ends meanwhile is then counted too little and
    never twice: its parent counts it as soon as it has waited for it.
    """
    processor, busiest, memory, active = 0, 0, 0, False
    waiting = [pid, *orphans(spared)]
    visited: set[int] = set()
    while waiting:
        pid = waiting.pop()
        if pid in visited:
            continue
        visited.add(pid)
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may end meanwhile
            process = _stat(f"/proc/{pid}")
            processor += sum(map(int, process[11:15]))  # its own, and of ended children
            memory += int(process[21]) * PAGE
            for task in os.listdir(f"/proc/{pid}/task"):
                thread = _stat(f"/proc/{pid}/task/{task}")
                busiest = max(busiest, int(thread[11]) + int(thread[12]))
                active = active or thread[0] in (b"R", b"D")  # runs, or waits for a disk
                waiting += _children(f"/proc/{pid}/task/{task}")
    return Usage(processor / TICKS, busiest / TICKS, memory, active)


def below(pid: int) -> list[int]:
    """The processes that come from this one, as long as the parents between live."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        folder = f"/proc/{waiting.pop()}/task"
        with contextlib.suppress(OSError, ValueError):  # it may end meanwhile
            children = [pid for task in os.listdir(folder) for pid in _children(f"{folder}/{task}")]
            found += children
            waiting += children
    return found


def _stat(folder: str) -> list[bytes]:
    """The fields of /proc/PID/stat that follow the name, which may itself hold spaces."""
    return _read(f"{folder}/stat").rpartition(b")")[2].split()


def _children(folder: str) -> list[int]:
    """The processes that a thread has started."""
    return [int(pid) for pid in _read(f"{folder}/children").split()]


def _read(path: str) -> bytes:
    """A file of procfs, many times a second: pathlib and buffers take several times as long."""
    with io.FileIO(path) as file:
        return file.readall()


def kill(
    process: subprocess.Popen[bytes], grace: float, spared: Set[int], user: int | None = None
) -> None:
    """Kills a command's session and all orphans, and waits for them.

    grace: seconds that the command gets to end by itself after SIGTERM.
    spared: children of the grader that are no orphans.
    user: a user whose processes all come from the command; None: there is none.
    """
    if grace and process.poll() is None:
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(grace)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    while left := orphans(spared):
        if user is not None:
            kill_all_of(user)
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def kill_all_of(user: int) -> None:
    """Kills every process of a user at once, so that none can start another meanwhile. To be called
    by root; user: not root's id."""
    child = os.fork()
    if child == 0:
        try:
            # With another real id than theirs, or they could kill this process first. The effective
            # id decides whom it reaches: never anyone else while it is root's.
            os.setgroups([])
            os.setresuid(users.KILLER, user, users.KILLER)
            if user in range(users.FIRST, users.KILLER) and os.geteuid() == user:
                os.kill(-1, signal.SIGKILL)
        except OSError:
            pass  # there is none
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def orphans(spared: Set[int]) -> list[int]:
    """The grader's children, except for those that are spared."""
    me = os.getpid()
    try:
        children = _children(f"/proc/{me}/task/{me}")
    except OSError:
        return []  # no procfs: only the session is killed
    return [pid for pid in children if pid not in spared]
