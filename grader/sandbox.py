"""Runs one command within limits and leaves nothing of it behind.

The command gets a session of its own, limits on time, memory, processes, file size and output, a
small environment and no standard input. When it ends, or must end, everything that descends from it
is killed: the grader is made the reaper of orphans, so a process that detached itself is found too.
What is left when the grader itself is killed is for its guard (guard.py).
With a View it also runs behind walls, where this machine has them (jail.py).

Memory is limited twice: the addresses of one process by the kernel (RLIMIT_AS), and what all of
them together hold in fact by the grader, which looks every 50 ms and kills.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from grader import guard, jail
from grader.jail import View, Walled

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)

# What a program needs to find its libraries and its language, and nothing that tells it more.
KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_PATH")


ADDRESS_SPACE = 16 << 30  # bytes; more than any lab needs
MEMORY = 4 << 30  # bytes that a command and what it started may hold; labs need a tenth of it
SWOLLEN = f"used more than {MEMORY >> 30} GB of memory and was stopped"
LOOK = 0.05  # seconds between two looks at the clock and the memory
PAGE = resource.getpagesize()


def _most_processes() -> int:
    """Room for make and its compilers, or for OpenMP's threads on every core."""
    return 64 + 4 * (os.cpu_count() or 1)


@dataclass(frozen=True)
class Limits:
    """What a command may use. Sizes in bytes, times in seconds of wall time."""

    seconds: float
    output: int = 1 << 20  # of stdout and stderr, each; more ends the command
    file_size: int = 1 << 30
    address_space: int | None = ADDRESS_SPACE
    memory: int = MEMORY  # resident, of all its processes
    processes: int = field(default_factory=_most_processes)  # and threads; behind walls only
    open_files: int = 256  # behind walls only
    processor: bool = True  # also limit processor time: Linux then reads its clock in steps of 4 ms
    grace: float = 0.0  # between SIGTERM and SIGKILL; make needs it to remove half-written files


@dataclass(frozen=True)
class Finished:
    """How a command ended. Exactly one of `status` and `signal` is set.

    `swollen`: it held more memory than it may, and was killed.
    """

    status: int | None
    signal: int | None
    timed_out: bool
    flooded: bool
    seconds: float
    stdout: bytes = b""
    stderr: bytes = b""
    swollen: bool = False


@dataclass
class _Stream:
    file: IO[bytes]
    data: bytearray = field(default_factory=bytearray)


@dataclass
class _Watched:
    """What was seen of a command until it ended or had to."""

    streams: list[_Stream]
    timed_out: bool = False
    flooded: bool = False
    swollen: bool = False

    def stopped(self) -> bool:
        return self.timed_out or self.flooded or self.swollen


def launch(
    argv: list[str],
    limits: Limits,
    cwd: Path,
    env: dict[str, str] | None = None,
    view: View | None = None,
) -> Finished:
    """Runs `argv` to its end or to a limit. Raises OSError when it cannot be started.

    `view`: what it may see, where there are walls; None for what is ours.
    """
    if view is None or view.gpu or jail.missing() is not None:
        environment = {k: os.environ[k] for k in KEPT_VARIABLES if k in os.environ}
        environment |= {"LC_ALL": "C.UTF-8"} | guard.mark() | (env or {})
        return _launch(argv, limits, cwd, environment, None)
    with jail.walled(argv, view, cwd, env or {}, limits.processes) as walled:
        return _launch(walled.argv, limits, Path("/"), walled.env, walled)


def _launch(
    argv: list[str], limits: Limits, cwd: Path, env: dict[str, str], walled: Walled | None
) -> Finished:
    _become_reaper()
    start = time.monotonic()
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        close_fds=True,
        pass_fds=walled.files if walled else (),
        start_new_session=True,
        preexec_fn=_limiter(limits, walled is not None),
    )
    try:
        watched = _watch(process, limits, start + limits.seconds)
    finally:
        _kill_all(process, 0 if walled else limits.grace)
    code = process.returncode
    if walled and code >= 0:
        code = _inside(walled, watched)
    return Finished(
        status=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        timed_out=watched.timed_out,
        flooded=watched.flooded,
        seconds=time.monotonic() - start,
        stdout=bytes(watched.streams[0].data),
        stderr=bytes(watched.streams[1].data),
        swollen=watched.swollen,
    )


def _inside(walled: Walled, watched: _Watched) -> int:
    """The exit status of the command itself, or minus its signal. Raises OSError when bubblewrap
    did not come to start it."""
    code = jail.exit_code(walled)
    if code is None:
        said = watched.streams[1].data.decode(errors="replace").strip().splitlines()
        raise OSError(errno.EIO, f"the sandbox did not start: {said[-1] if said else 'no reason'}")
    return 128 - code if 128 < code <= 128 + signal.SIGRTMAX else code


def _limiter(limits: Limits, walled: bool) -> Callable[[], None]:
    """What the child does between fork and exec: only system calls."""
    parent = os.getpid()
    counted = walled and jail.limits_root_now()

    def limit() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # the parent died before the line above took hold
            os._exit(127)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size))
        if walled:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limits.open_files, limits.open_files))
        if counted:
            resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
        if limits.processor:
            cpu = int(limits.seconds * (os.cpu_count() or 1)) + 5
            hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
            cpu = cpu if hard == resource.RLIM_INFINITY else min(cpu, hard)
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        if limits.address_space is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limits.address_space, limits.address_space))

    return limit


def _watch(process: subprocess.Popen[bytes], limits: Limits, deadline: float) -> _Watched:
    """Reads both outputs until the process has ended, or kills it at a limit."""
    assert process.stdout is not None and process.stderr is not None
    seen = _Watched([_Stream(process.stdout), _Stream(process.stderr)])
    with selectors.DefaultSelector() as selector:
        for stream in seen.streams:
            os.set_blocking(stream.file.fileno(), False)
            selector.register(stream.file, selectors.EVENT_READ, stream)
        look = time.monotonic() + LOOK
        while not seen.stopped() and process.poll() is None:
            now = time.monotonic()
            if now >= look:
                seen.swollen = _resident(process.pid) > limits.memory
                look = now + LOOK
            # A detached process may hold the pipes open after the command's end, and a command may
            # close them long before its own: look now and then.
            wait = max(0.0, min(look, deadline) - now)
            if selector.get_map():
                seen.flooded = _take(selector, wait, limits.output)
            else:
                _wait(process, wait)
            seen.timed_out = not seen.stopped() and time.monotonic() >= deadline
        _kill_all(process, limits.grace)
        for stream in seen.streams:
            _drain(stream, limits.output)
            stream.file.close()
    return seen


def _take(selector: selectors.BaseSelector, wait: float, most: int) -> bool:
    """Reads what there is. True when a stream has come to its limit."""
    flooded = False
    for key, _ in selector.select(timeout=wait):
        stream = key.data
        chunk = _read(stream.file)
        if chunk == b"":
            selector.unregister(stream.file)
        elif chunk:
            stream.data += chunk[: most - len(stream.data)]
            flooded = flooded or len(stream.data) >= most
    return flooded


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=seconds)


def _resident(pid: int) -> int:
    """Bytes of memory that a process and all below it hold. What forks share is counted twice."""
    total, waiting = 0, [pid, *_children()]
    seen: set[int] = set()
    while waiting:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        with contextlib.suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
            for task in os.listdir(f"/proc/{pid}/task"):
                below = Path(f"/proc/{pid}/task/{task}/children").read_text()
                waiting += [int(child) for child in below.split()]
    return total


def _read(file: IO[bytes]) -> bytes | None:
    """What is there to read: b"" at the end, None for nothing yet."""
    try:
        return os.read(file.fileno(), 1 << 16)
    except BlockingIOError:
        return None


def _drain(stream: _Stream, limit: int) -> None:
    """What was written before the end and not read yet."""
    while len(stream.data) < limit:
        chunk = _read(stream.file)
        if not chunk:
            return
        stream.data += chunk[: limit - len(stream.data)]


def _become_reaper() -> None:
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _kill_all(process: subprocess.Popen[bytes], grace: float) -> None:
    """Kills the command's session and all that it left behind, and waits for them."""
    if grace and process.poll() is None:
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(grace)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    while orphans := _children():
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    """The processes whose parent is now the grader, but for its guard."""
    me = os.getpid()
    try:
        found = Path(f"/proc/{me}/task/{me}/children").read_text().split()
    except OSError:
        return []  # no procfs: only the session is killed
    return [pid for pid in map(int, found) if pid != guard.pid()]
