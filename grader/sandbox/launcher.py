"""Runs one command within limits, in the sandbox or without it, and leaves nothing of it behind.

The command gets a new session, limits on time, memory, processes, file size and output, a
small environment and no standard input. When it ends or reaches a limit, it is killed together with
everything that descends from it, even processes that detached themselves (process_tree.py). The
watchdog kills what is left when the grader itself is killed (cleanup_after_kill.py).

Memory and processor time are limited twice: the kernel limits those of each process (RLIMIT_AS,
RLIMIT_CPU), and the grader checks every 50 ms what all of them hold and have used together, and
kills them at the limit. Time on the wall clock is not limited, except for a command that waits
(account.py).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from grader import paths
from grader.sandbox import bubblewrap, cleanup_after_kill, process_tree
from grader.sandbox.account import Account
from grader.sandbox.bubblewrap import SandboxedCommand, View
from grader.sandbox.ending import Finished, Limit, return_code
from grader.sandbox.limits import Limits, set_kernel_limits

# What a program needs to find its libraries and its language, and nothing that tells it more.
KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_PATH")
CHECK_INTERVAL = 0.05  # seconds between two checks of what the commands use


@dataclass
class _Stream:
    file: IO[bytes]
    data: bytearray = field(default_factory=bytearray)


@dataclass
class Running:
    """A command under way. Its limits on time and memory hold also while another is waited for."""

    process: subprocess.Popen[bytes]
    limits: Limits
    sandboxed: SandboxedCommand | None
    streams: list[_Stream]  # stdout and stderr
    account: Account
    stopped_by: Limit | None = None

    def wait(self) -> Finished:
        """Waits until it ends or reaches a limit. To be called once. Raises OSError when bubblewrap
        did not start the command."""
        _supervise(self)
        code = self.process.returncode
        if self.sandboxed and code >= 0:
            code = _code_inside(self.sandboxed, bytes(self.streams[1].data))
        return Finished(
            limits=self.limits,
            status=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            stopped_by=self.stopped_by,
            seconds=time.monotonic() - self.account.started_at,
            processor=self.account.processor,
            stdout=bytes(self.streams[0].data),
            stderr=bytes(self.streams[1].data),
        )

    def enforce_limits(self) -> None:
        """Checks what it has used, and kills it at a limit."""
        if self.stopped_by or self.process.poll() is not None:
            return
        usage = process_tree.usage(self.process.pid, _spared())
        self.stopped_by = self.account.add(usage, time.monotonic())
        if self.stopped_by:
            process_tree.kill(self.process, self.limits.grace, _spared())


_running: list[Running] = []


def launch(
    argv: list[str],
    limits: Limits,
    cwd: Path,
    env: dict[str, str] | None = None,
    view: View | None = None,
) -> Finished:
    """Runs `argv` until it ends or reaches a limit. Raises OSError when it cannot be started.

    view: what it may see in the sandbox, where this machine has one; None runs the course's own
    programs without a sandbox.
    """
    with start(argv, limits, cwd, env, view) as running:
        return running.wait()


@contextlib.contextmanager
def start(
    argv: list[str],
    limits: Limits,
    cwd: Path,
    env: dict[str, str] | None = None,
    view: View | None = None,
    files: tuple[int, ...] = (),
) -> Iterator[Running]:
    """Starts a command as launch() does, and kills it at the end of the block if it still runs.

    Only wait() reads what the command prints: until then it blocks once its pipes are full.
    files: descriptors that the command gets, under the same numbers.
    """
    with contextlib.ExitStack() as stack:
        if view is not None and view.gpu and not view.compiler:
            stack.enter_context(_gpu_lock())
        sandboxed, added = None, cleanup_after_kill.mark() | (env or {})
        if view is not None and _sandbox_available(view):
            command = bubblewrap.sandboxed(argv, view, cwd, added, limits.processes)
            sandboxed = stack.enter_context(command)
            argv, environment, cwd = sandboxed.argv, sandboxed.env, Path("/")
        else:
            environment = {k: os.environ[k] for k in KEPT_VARIABLES if k in os.environ}
            environment |= {"LC_ALL": "C.UTF-8"} | added
        running = _start(argv, limits, cwd, environment, sandboxed, files)
        _running.append(running)
        try:
            yield running
        finally:
            if running.process.returncode is None:
                process_tree.kill(running.process, 0 if sandboxed else limits.grace, _spared())
            _running.remove(running)
            for stream in running.streams:
                stream.file.close()


def _sandbox_available(view: View) -> bool:
    return (bubblewrap.missing_for_gpus() if view.gpu else bubblewrap.missing()) is None


@contextlib.contextmanager
def _gpu_lock() -> Iterator[None]:
    """One program at a time uses the GPUs: another one could take all of their memory."""
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
    sandboxed: SandboxedCommand | None,
    files: tuple[int, ...],
) -> Running:
    process_tree.adopt_orphans()
    started_at = time.monotonic()
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        close_fds=True,
        pass_fds=(*files, *(sandboxed.descriptors if sandboxed else ())),
        start_new_session=True,
        preexec_fn=_before_exec(limits, sandboxed is not None),
    )
    assert process.stdout is not None and process.stderr is not None
    streams = [_Stream(process.stdout), _Stream(process.stderr)]
    account = Account(limits, started_at, started_at)
    return Running(process, limits, sandboxed, streams, account)


def _code_inside(sandboxed: SandboxedCommand, errors: bytes) -> int:
    """The return code of the command in the sandbox, as subprocess would give it. Raises OSError
    when bubblewrap did not start the command; `errors` is what was printed on stderr."""
    status = bubblewrap.exit_status(sandboxed)
    if status is None:
        lines = errors.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else "no reason"
        raise OSError(errno.EIO, f"the sandbox did not start: {reason}")
    return return_code(status)


def _before_exec(limits: Limits, sandboxed: bool) -> Callable[[], None]:
    """What the child does between fork and exec: only system calls."""
    parent = os.getpid()
    count_processes = sandboxed and bubblewrap.limits_root_now()

    def prepare() -> None:
        process_tree.die_with_parent(parent)
        os.umask(0o022)  # the user inside the sandbox has to read what a compiler writes
        set_kernel_limits(limits, sandboxed, count_processes)

    return prepare


def _supervise(running: Running) -> None:
    """Reads both outputs until the process has ended, or kills it at a limit. Meanwhile enforces
    the limits of all other commands under way."""
    process = running.process
    with selectors.DefaultSelector() as selector:
        for stream in running.streams:
            os.set_blocking(stream.file.fileno(), False)
            selector.register(stream.file, selectors.EVENT_READ, stream)
        next_check = time.monotonic() + CHECK_INTERVAL
        while not running.stopped_by and process.poll() is None:
            now = time.monotonic()
            if now >= next_check:
                for command in _running:
                    command.enforce_limits()
                next_check = now + CHECK_INTERVAL
                continue
            # A detached process may hold the pipes open after the command has ended, and a command
            # may close them long before it ends: so never wait for them longer than this.
            seconds = next_check - now
            if not selector.get_map():
                _wait(process, seconds)
            elif _read_ready(selector, seconds, running.limits.output):
                running.stopped_by = "output"
    process_tree.kill(process, running.limits.grace, _spared())
    for stream in running.streams:
        _read_rest(stream, running.limits.output)


def _spared() -> set[int]:
    """The grader's children that are no orphans: the watchdog and the commands under way."""
    return {cleanup_after_kill.pid(), *(running.process.pid for running in _running)}


def _read_ready(selector: selectors.BaseSelector, seconds: float, limit: int) -> bool:
    """Waits for output and reads it. Returns whether a stream has reached `limit` bytes."""
    full = False
    for key, _ in selector.select(timeout=seconds):
        stream = key.data
        chunk = _read(stream.file)
        if chunk == b"":
            selector.unregister(stream.file)
        elif chunk:
            stream.data += chunk[: limit - len(stream.data)]
            full = full or len(stream.data) >= limit
    return full


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=seconds)


def _read(file: IO[bytes]) -> bytes | None:
    """What can be read now: b"" at the end of the file, None when there is nothing yet."""
    try:
        return os.read(file.fileno(), 1 << 16)
    except BlockingIOError:
        return None


def _read_rest(stream: _Stream, limit: int) -> None:
    """Reads what the command printed before it ended and is still in the pipe."""
    while len(stream.data) < limit:
        chunk = _read(stream.file)
        if not chunk:
            return
        stream.data += chunk[: limit - len(stream.data)]
