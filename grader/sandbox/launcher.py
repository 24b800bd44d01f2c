"""Runs one command within limits, in the sandbox or without it, and leaves nothing of it behind.

The command gets a new session, or a process group where this process has its own session without
a terminal (priority.py), limits on time, memory, processes, file size and output, a
small environment and no standard input. When it ends or reaches a limit, it is killed together with
everything that descends from it, even processes that detached themselves (process_tree.py). The
watchdog kills what is left when the grader itself is killed (cleanup_after_kill.py).

Memory and processor time are limited twice: the kernel limits those of each process (RLIMIT_AS,
RLIMIT_CPU), and the grader checks every 50 ms what all of them hold and have used together (of a
compiler, every 200 ms), and kills them at the limit. Time on the wall clock is not limited, except
for a command that waits (reached_limit.py).
"""

import contextlib
import errno
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from grader.sandbox import bubblewrap, choice, cleanup_after_kill, gpus, priority, process_tree
from grader.sandbox.ending import Finished, Limit, return_code
from grader.sandbox.limits import (
    Limits,
    set_kernel_limits,
    that_dies_with_parent,
    with_kernel_limits,
)
from grader.sandbox.reached_limit import Account
from grader.sandbox.view import SandboxedCommand, View

# What a program needs to find its libraries and its language, and nothing that tells it more.
KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_PATH")
UMASK = 0o022  # the user inside the sandbox has to read what a compiler writes
CHECK_INTERVAL = 0.05  # seconds between two checks of what the commands use
COMPILER_INTERVAL = 0.2  # the same for a compiler, which has many processes and runs for long


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
    check_interval: float = CHECK_INTERVAL
    stopped_by: Limit | None = None

    def wait(self) -> Finished:
        """Waits until it ends or reaches a limit. To be called once. Raises OSError when bubblewrap
        did not start the command."""
        _supervise(self)
        code = self.process.returncode
        if self.sandboxed and self.sandboxed.status_pipe is not None and code >= 0:
            code = _code_inside(self.sandboxed.status_pipe, bytes(self.streams[1].data))
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

    def has_ended(self) -> bool:
        """Would wait() return at once? Takes what was printed, which would fill the pipes."""
        for stream in self.streams:
            os.set_blocking(stream.file.fileno(), False)
            _read_rest(stream, self.limits.output)
        return self.stopped_by is not None or self.process.poll() is not None

    def enforce_limits(self) -> None:
        """Checks what it has used, if it is time to, and kills it at a limit."""
        now = time.monotonic()
        too_early = now - self.account.seen_at < self.check_interval
        if too_early or self.stopped_by or self.process.poll() is not None:
            return
        usage = process_tree.usage(self.process.pid, _spared())
        self.stopped_by = self.account.add(usage, now)
        if self.stopped_by:
            self.kill(self.limits.grace)

    def kill(self, grace: float) -> None:
        """Kills it with everything that comes from it. grace: seconds to end by itself before."""
        process_tree.kill(self.process, grace, _spared(), self._user_of_its_own())

    def _user_of_its_own(self) -> int | None:
        """The user whom it shares with no other command under way; None: there is none."""
        user = self.sandboxed.user if self.sandboxed else None
        users = [other.sandboxed.user for other in _running if other.sandboxed]
        return user if users.count(user) <= 1 else None


_running: list[Running] = []
_children: set[int] = set()  # processes of this grader that are no commands


def enforce_all() -> None:
    """Enforces the limits of all commands under way: for a caller that waits for something else."""
    for command in _running:
        command.enforce_limits()


def spare(pid: int) -> None:
    """Tells that a child is no orphan of a command."""
    _children.add(pid)


def is_spared(pid: int) -> bool:
    return pid in _children


def spare_no_more(pid: int) -> None:
    _children.discard(pid)


def forget_commands() -> None:
    """In a child of the grader: the commands under way are its parent's."""
    _running.clear()
    _children.clear()


def launch(
    argv: list[str],
    limits: Limits,
    cwd: Path,
    env: dict[str, str] | None = None,
    view: View | None = None,
    files: tuple[int, ...] = (),
) -> Finished:
    """Runs `argv` until it ends or reaches a limit. Raises OSError when it cannot be started.

    view: what it may see in the sandbox, where this machine has one; None runs the course's own
    programs without a sandbox.
    files: descriptors that the command gets, under the same numbers.
    """
    with start(argv, limits, cwd, env, view, files) as running:
        return running.wait()


def tool_output(argv: list[str], read: Path | None) -> str:
    """What a program of the compiler's prints, of a file that it may read; "" when it cannot."""
    folder, reads = (read.parent, (read,)) if read else (Path("/"), ())
    try:
        done = launch(argv, Limits(seconds=20), folder, view=View(reads))
    except OSError:
        return ""
    return done.stdout.decode(errors="replace")


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
        sandboxed, added = None, cleanup_after_kill.tag() | (env or {})
        if view is not None and view.gpu and not view.compiler:
            gpu = stack.enter_context(gpus.one_gpu())
            view, added = replace(view, gpu_minor=gpu.minor), added | gpu.environment()
        tier = choice.tier(view.gpu) if view is not None else None
        if view is not None and tier is not None:
            command = tier.command(argv, view, cwd, added, limits.processes)
            sandboxed = stack.enter_context(command)
            argv, environment, cwd = sandboxed.argv, sandboxed.env, sandboxed.cwd
        else:
            environment = {k: os.environ[k] for k in KEPT_VARIABLES if k in os.environ}
            environment |= {"LC_ALL": "C.UTF-8"} | added
        running = _start(argv, limits, cwd, environment, sandboxed, files)
        if view is not None and view.compiler:
            running.check_interval = COMPILER_INTERVAL
        _running.append(running)
        if sandboxed is not None and sandboxed.confine is not None:
            stack.enter_context(_pinned(running.process.pid))
        try:
            yield running
        finally:
            if running.process.returncode is None:
                running.kill(0 if sandboxed else limits.grace)
            _running.remove(running)
            for stream in running.streams:
                stream.file.close()


@contextlib.contextmanager
def _pinned(pid: int) -> Iterator[None]:
    """Keeps the inode of /proc/PID, for which a Landlock rule was made, in the kernel's memory: a
    sanitizer opens files in there long after the start."""
    process = os.open(f"/proc/{pid}", os.O_PATH | os.O_CLOEXEC)  # nobody has waited for it yet
    try:
        yield
    finally:
        os.close(process)


def _start(
    argv: list[str],
    limits: Limits,
    cwd: Path,
    env: dict[str, str],
    sandboxed: SandboxedCommand | None,
    files: tuple[int, ...],
) -> Running:
    process_tree.adopt_orphans()
    in_child: Callable[[], None] | None = None
    if sandboxed is not None and sandboxed.status_pipe is not None:
        # bubblewrap dies with its parent by itself; others must ask the kernel to kill them.
        argv = with_kernel_limits(argv, limits, True, sandboxed.processes)
    elif sandboxed is None and (mortal := that_dies_with_parent(argv)):
        argv = with_kernel_limits(mortal, limits, False, None)
    else:
        in_child = _before_exec(limits, sandboxed)
    priority.write_refused()
    started_at = time.monotonic()
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            close_fds=True,
            pass_fds=(*files, *(sandboxed.descriptors if sandboxed else ())),
            start_new_session=not priority.leads_session(),
            process_group=0 if priority.leads_session() else None,
            umask=UMASK,
            preexec_fn=in_child,
        )
    except subprocess.SubprocessError as problem:  # an error in _before_exec
        reason = "the sandbox did not start: the kernel refused a part of it"
        raise OSError(errno.EIO, reason) from problem
    assert process.stdout is not None and process.stderr is not None
    streams = [_Stream(process.stdout), _Stream(process.stderr)]
    account = Account(limits, started_at, started_at)
    return Running(process, limits, sandboxed, streams, account)


def _code_inside(status_pipe: int, errors: bytes) -> int:
    """The return code of the command in bubblewrap, as subprocess would give it. Raises OSError
    when bubblewrap did not start the command; `errors` is what was printed on stderr."""
    status = bubblewrap.exit_status(status_pipe)
    if status is None:
        lines = errors.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else "no reason"
        raise OSError(errno.EIO, f"the sandbox did not start: {reason}")
    return return_code(status)


def _before_exec(limits: Limits, sandboxed: SandboxedCommand | None) -> Callable[[], None]:
    """What the child does between fork and exec: only system calls."""
    parent = os.getpid()
    processes = sandboxed.processes if sandboxed is not None else None

    def prepare() -> None:
        process_tree.die_with_parent(parent)
        if sandboxed is not None and sandboxed.confine is not None:
            sandboxed.confine()  # it needs a descriptor: the grader may have more than the limit
        set_kernel_limits(limits, sandboxed is not None, processes)

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
                enforce_all()
                next_check = now + CHECK_INTERVAL
                continue
            # A detached process may hold the pipes open after the command has ended, and a command
            # may close them long before it ends: so never wait for them longer than this.
            seconds = next_check - now
            if not selector.get_map():
                _wait(process, seconds)
            elif _read_ready(selector, seconds, running.limits.output):
                running.stopped_by = "output"
    running.kill(running.limits.grace)
    for stream in running.streams:
        _read_rest(stream, running.limits.output)


def _spared() -> set[int]:
    """The grader's children that are no orphans: the watchdog, the commands under way, and those
    that it said to spare."""
    commands = (running.process.pid for running in _running)
    return {cleanup_after_kill.pid(), *commands, *_children}


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
