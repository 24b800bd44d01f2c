"""The sandbox without namespaces: Landlock, seccomp, and another user if root grades.

The command runs in the namespaces of the machine. Landlock decides which files it may open, and
where the kernel can also keeps signals inside; seccomp refuses sockets and all else that reaches
beyond the process. A submission's program may write its outputs and nothing else, not even to /tmp;
a compiler has a folder for its temporary files, which is removed with the command.
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from grader import paths
from grader.sandbox import (
    cleanup_after_kill,
    landlock,
    process_tree,
    seccomp,
    system_files,
    users,
)
from grader.sandbox.landlock import Ruleset
from grader.sandbox.view import SandboxedCommand, View

DEVICES = tuple(Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom"))
# Of /proc, a command reads its own process and what describes the machine.
OF_PROC = tuple(Path("/proc", name) for name in ("cpuinfo", "meminfo", "stat", "sys/vm"))
OF_PROC_FOR_GPUS = tuple(Path("/proc", name) for name in ("driver", "devices", "modules"))


@contextmanager
def command(
    argv: Sequence[str],
    view: View,
    cwd: Path,
    env: dict[str, str],
    processes: int,
    other_user: bool,
) -> Iterator[SandboxedCommand]:
    """Yields how to run `argv` confined. To be called by root where other_user is set. Raises
    OSError where a path of the view is missing, or the kernel has no Landlock."""
    code = seccomp.program(view.debugger, namespaces=False, compiler=view.compiler)
    if code is None:
        raise OSError(errno.ENOSYS, f"there is no seccomp filter for a {os.uname().machine}")
    user = users.user_of(view.compiler) if other_user else None
    with ExitStack() as stack:
        rules = Ruleset()
        stack.callback(rules.close)
        home = stack.enter_context(_scratch(user)) if view.compiler else None
        if user is not None:  # the watchdog finds its processes by their user
            env = {k: v for k, v in env.items() if k != cleanup_after_kill.VARIABLE}
        _allow(rules, view, home)
        if view.compiler:  # make lists a folder to find a file in it
            rules.allow(cwd, landlock.READ_DIR)
        yield SandboxedCommand(
            _without_files_in_tmp(argv),
            system_files.environment(str(home or "/tmp"), env),
            cwd,
            processes=processes if user is not None else processes + _threads_of_user(),
            confine=_in_child(rules, seccomp.installer(code), user, view.gpu),
            user=user,
        )


def _without_files_in_tmp(argv: Sequence[str]) -> list[str]:
    """A command line without make's option to keep the outputs of parallel commands apart. make 4.3
    does that with files in /tmp, whatever TMPDIR says, and crashes where it cannot."""
    return [word for word in argv if argv[0] != "make" or not word.startswith("-O")]


@contextmanager
def _scratch(user: int | None) -> Iterator[Path]:
    """A folder for temporary files, whose name starts with the grader's process id (workspace.py
    removes what a killed one leaves)."""
    parent = paths.BUILD / "run"
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=parent))
    try:
        if user is not None:
            os.chown(folder, user, user)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _allow(rules: Ruleset, view: View, home: Path | None) -> None:
    roots = [Path("/", name) for name in ("usr", *system_files.ROOT_FOLDERS)]
    rules.allow_existing([*roots, *system_files.FOR_THE_LINKER], landlock.READS)
    rules.allow_existing(system_files.installations(), landlock.READS)
    rules.allow_existing(OF_PROC, landlock.READS)
    rules.allow_existing(DEVICES, landlock.DEVICE)
    if view.gpu:
        rules.allow_existing(OF_PROC_FOR_GPUS, landlock.READS)
        devices = [*system_files.gpu_devices(view.gpu_minor), system_files.PARTITIONS]
        rules.allow_existing(devices, landlock.DEVICE | landlock.READS)
    for path in view.reads:
        rules.allow(path, landlock.READS)
    for path in (*view.writes, *([home] if home else [])):
        rules.allow(path, landlock.WRITES)


def _threads_of_user() -> int:
    """How many threads the user who grades has now: RLIMIT_NPROC counts them all."""
    user, threads = str(os.getuid()), 0
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with suppress(OSError, ValueError):  # it may end meanwhile
                status = Path(entry.path, "status").read_text()
                fields = dict(line.split(":", 1) for line in status.splitlines())
                threads += int(fields["Threads"]) if fields["Uid"].split()[0] == user else 0
    return threads


def _in_child(
    rules: Ruleset, install: Callable[[], None], user: int | None, gpu: bool
) -> Callable[[], None]:
    parent = os.getpid()

    def confine() -> None:
        if user is not None:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            process_tree.die_with_parent(parent)  # the kernel forgot it with the change of user
        rules.allow("/proc/self", landlock.READS)  # of this very process: it is the child
        if gpu:  # CUDA names its threads (task/N/comm), and gives up where it may not
            rules.allow("/proc/self/task", landlock.READS | landlock.WRITE_FILE)
        rules.enforce()
        install()

    return confine
