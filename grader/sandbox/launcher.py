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
import fcntl
import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from grader import paths
from grader.sandbox import bubblewrap, watchdog
from grader.sandbox.bubblewrap import View, Walled

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
class Running:
    """A command under way. While another is waited for, this one is kept within its limits too."""

    process: subprocess.Popen[bytes]
    limits: Limits
    walled: Walled | None
    start: float
    streams: list[_Stream]
    timed_out: bool = False
    flooded: bool = False
    swollen: bool = False

    def finish(self) -> Finished:
        """Waits for its end or its limit. To be called once. Raises OSError when bubblewrap did
        not come to start it."""
        _watch(self)
        code = self.process.returncode
        if self.walled and code >= 0:
            code = _inside(self.walled, bytes(self.streams[1].data))
        return Finished(
            status=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            timed_out=self.timed_out,
            flooded=self.flooded,
            seconds=time.monotonic() - self.start,
            stdout=bytes(self.streams[0].data),
            stderr=bytes(self.streams[1].data),
            swollen=self.swollen,
        )

    def stopped(self) -> bool:
        return self.timed_out or self.flooded or self.swollen

    def look(self) -> None:
        """Looks at its memory and at the clock, and stops it at a limit."""
        if self.stopped() or self.process.poll() is not None:
            return
        self.swollen = _resident(self.process.pid) > self.limits.memory
        self.timed_out = not self.swollen and time.monotonic() >= self.deadline()
        if self.stopped():
            _kill_all(self.process, self.limits.grace)

    def deadline(self) -> float:
        return self.start + self.limits.seconds


_running: list[Running] = []


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
    with started(argv, limits, cwd, env, view) as running:
        return running.finish()


@contextlib.contextmanager
def started(
    argv: list[str],
    limits: Limits,
    cwd: Path,
    env: dict[str, str] | None = None,
    view: View | None = None,
    files: tuple[int, ...] = (),
) -> Iterator[Running]:
    """Starts what launch() would run, and kills it at the end of the block if it still runs.

    What it prints is taken by finish() alone: more than a pipe holds waits until then.
    files: descriptors that it gets, under the same numbers.
    """
    with contextlib.ExitStack() as stack:
        if view is not None and view.gpu and not view.compiler:
            stack.enter_context(_gpu_alone())
        walled, given = None, watchdog.mark() | (env or {})
        if view is not None and _are_there(view):
            made = bubblewrap.walled(argv, view, cwd, given, limits.processes)
            walled = stack.enter_context(made)
            argv, environment, cwd = walled.argv, walled.env, Path("/")
        else:
            environment = {k: os.environ[k] for k in KEPT_VARIABLES if k in os.environ}
            environment |= {"LC_ALL": "C.UTF-8"} | given
        running = _start(argv, limits, cwd, environment, walled, files)
        _running.append(running)
        try:
            yield running
        finally:
            if running.process.returncode is None:
                _kill_all(running.process, 0 if walled else limits.grace)
            _running.remove(running)
            for stream in running.streams:
                stream.file.close()


def _are_there(view: View) -> bool:
    """Whether this machine has the walls."""
    return (bubblewrap.missing_for_gpus() if view.gpu else bubblewrap.missing()) is None


@contextlib.contextmanager
def _gpu_alone() -> Iterator[None]:
    """One program after the other uses the GPUs: a neighbour could take all of their memory."""
    lock = os.open(paths.BUILD / "gpu.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _start(
    argv: list[str],
    limits: Limits,
    cwd: Path,
    env: dict[str, str],
    walled: Walled | None,
    files: tuple[int, ...],
) -> Running:
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
        pass_fds=(*files, *(walled.files if walled else ())),
        start_new_session=True,
        preexec_fn=_limiter(limits, walled is not None),
    )
    assert process.stdout is not None and process.stderr is not None
    streams = [_Stream(process.stdout), _Stream(process.stderr)]
    return Running(process, limits, walled, start, streams)


def _inside(walled: Walled, errors: bytes) -> int:
    """The exit status of the command itself, or minus its signal. Raises OSError when bubblewrap
    did not come to start it."""
    code = bubblewrap.exit_code(walled)
    if code is None:
        said = errors.decode(errors="replace").strip().splitlines()
        raise OSError(errno.EIO, f"the sandbox did not start: {said[-1] if said else 'no reason'}")
    return 128 - code if 128 < code <= 128 + signal.SIGRTMAX else code


def _limiter(limits: Limits, walled: bool) -> Callable[[], None]:
    """What the child does between fork and exec: only system calls."""
    parent = os.getpid()
    counted = walled and bubblewrap.limits_root_now()

    def limit() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # the parent died before the line above took hold
            os._exit(127)
        os.umask(0o022)  # what a compiler makes, the program's other user has to read
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


def _watch(running: Running) -> None:
    """Reads both outputs until the process has ended, or kills it at a limit. Looks after the
    others that run."""
    process, deadline = running.process, running.deadline()
    with selectors.DefaultSelector() as selector:
        for stream in running.streams:
            os.set_blocking(stream.file.fileno(), False)
            selector.register(stream.file, selectors.EVENT_READ, stream)
        look = time.monotonic() + LOOK
        while not running.stopped() and process.poll() is None:
            now = time.monotonic()
            if now >= look or now >= deadline:
                for other in _running:
                    other.look()
                look = now + LOOK
                continue
            # A detached process may hold the pipes open after the command's end, and a command may
            # close them long before its own: look now and then.
            wait = min(look, deadline) - now
            if selector.get_map():
                running.flooded = _take(selector, wait, running.limits.output)
            else:
                _wait(process, wait)
    _kill_all(process, running.limits.grace)
    for stream in running.streams:
        _drain(stream, running.limits.output)


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
    """Bytes of memory that a process and all below it hold, and what is orphaned. What forks share
    is counted twice."""
    total, waiting = 0, [pid, *_orphans()]
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
    while orphans := _orphans():
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _orphans() -> list[int]:
    """What commands left behind: the grader's children but for its guard and what still runs."""
    me = os.getpid()
    try:
        found = Path(f"/proc/{me}/task/{me}/children").read_text().split()
    except OSError:
        return []  # no procfs: only the session is killed
    known = {watchdog.pid(), *(running.process.pid for running in _running)}
    return [pid for pid in map(int, found) if pid not in known]
