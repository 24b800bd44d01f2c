"""Runs one command within limits and leaves nothing of it behind.

The command gets a session of its own, limits on time, memory, file size and output, a small
environment and no standard input. When it ends, or must end, everything that descends from it is
killed: the grader is made the reaper of orphans, so a process that detached itself is found too.
"""

from __future__ import annotations

import contextlib
import ctypes
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

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)

# What a program needs to find its libraries and its language, and nothing that tells it more.
KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_PATH")


ADDRESS_SPACE = 16 << 30  # bytes; more than any lab needs


@dataclass(frozen=True)
class Limits:
    """What a command may use. Sizes in bytes, times in seconds of wall time."""

    seconds: float
    output: int = 1 << 20  # of stdout and stderr, each; more ends the command
    file_size: int = 1 << 30
    address_space: int | None = ADDRESS_SPACE
    processor: bool = True  # also limit processor time: Linux then reads its clock in steps of 4 ms
    grace: float = 0.0  # between SIGTERM and SIGKILL; make needs it to remove half-written files


@dataclass(frozen=True)
class Finished:
    """How a command ended. Exactly one of `status` and `signal` is set."""

    status: int | None
    signal: int | None
    timed_out: bool
    flooded: bool
    seconds: float
    stdout: bytes = b""
    stderr: bytes = b""


@dataclass
class _Stream:
    file: IO[bytes]
    data: bytearray = field(default_factory=bytearray)


def launch(
    argv: list[str],
    limits: Limits,
    cwd: Path,
    env: dict[str, str] | None = None,
) -> Finished:
    """Runs `argv` to its end or to a limit. Raises OSError when it cannot be started."""
    _become_reaper()
    environment = {k: os.environ[k] for k in KEPT_VARIABLES if k in os.environ}
    environment |= {"LC_ALL": "C.UTF-8"} | (env or {})
    start = time.monotonic()
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment,
        close_fds=True,
        start_new_session=True,
        preexec_fn=_limiter(limits),
    )
    try:
        streams, timed_out, flooded = _watch(process, limits, start + limits.seconds)
    finally:
        _kill_all(process, limits.grace)
    code = process.returncode
    return Finished(
        status=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        timed_out=timed_out,
        flooded=flooded,
        seconds=time.monotonic() - start,
        stdout=bytes(streams[0].data),
        stderr=bytes(streams[1].data),
    )


def _limiter(limits: Limits) -> Callable[[], None]:
    """What the child does between fork and exec: only system calls."""
    parent = os.getpid()

    def limit() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # the parent died before the line above took hold
            os._exit(127)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size))
        if limits.processor:
            cpu = int(limits.seconds * (os.cpu_count() or 1)) + 5
            hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
            cpu = cpu if hard == resource.RLIM_INFINITY else min(cpu, hard)
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        if limits.address_space is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limits.address_space, limits.address_space))

    return limit


def _watch(
    process: subprocess.Popen[bytes], limits: Limits, deadline: float
) -> tuple[list[_Stream], bool, bool]:
    """Reads both outputs until the process has ended, or kills it at a limit."""
    assert process.stdout is not None and process.stderr is not None
    streams = [_Stream(process.stdout), _Stream(process.stderr)]
    timed_out = flooded = False
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            os.set_blocking(stream.file.fileno(), False)
            selector.register(stream.file, selectors.EVENT_READ, stream)
        while selector.get_map():
            # A detached process may hold the pipes open after the command's end: look now and then.
            for key, _ in selector.select(timeout=max(0.0, min(0.05, deadline - time.monotonic()))):
                stream = key.data
                chunk = _read(stream.file)
                if chunk == b"":
                    selector.unregister(stream.file)
                elif chunk:
                    stream.data += chunk[: limits.output - len(stream.data)]
                    flooded = flooded or len(stream.data) >= limits.output
            timed_out = not flooded and time.monotonic() >= deadline
            if timed_out or flooded or process.poll() is not None:
                break
        if process.poll() is None and not (timed_out or flooded):
            timed_out = _outlasts(process, deadline)
        _kill_all(process, limits.grace)
        for stream in streams:
            _drain(stream, limits.output)
            stream.file.close()
    return streams, timed_out, flooded


def _outlasts(process: subprocess.Popen[bytes], deadline: float) -> bool:
    """Waits for a process that has closed its outputs; True when the deadline came first."""
    try:
        process.wait(timeout=max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return True
    return False


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
    """The processes whose parent is now the grader."""
    me = os.getpid()
    try:
        return [int(pid) for pid in Path(f"/proc/{me}/task/{me}/children").read_text().split()]
    except OSError:
        return []  # no procfs: only the session is killed
