"""The sandbox of namespaces: bubblewrap.

A command inside sees the system's /usr, what its View names, and nothing else: no network, no other
process, no home folder, and an environment of a few variables. /tmp and /dev/shm are small file
systems in memory; everything else is read-only unless the View says otherwise. It runs as another
user:

  started by root        with a user id of this grader (users.py) and no capabilities, so that
                         RLIMIT_NPROC counts only the processes of that id
  started by anyone else in a user namespace, where RLIMIT_NPROC counts only what is inside
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

from grader.sandbox import cleanup_after_kill, seccomp, system_files, users
from grader.sandbox.view import SMALL, SandboxedCommand, View


@contextmanager
def command(
    argv: Sequence[str], view: View, cwd: Path, env: dict[str, str], processes: int
) -> Iterator[SandboxedCommand]:
    """Yields how to run `argv` in bubblewrap; its descriptors are closed at the end of the block.
    processes: how many may run inside at a time, with their threads."""
    with ExitStack() as stack:
        reading, writing = os.pipe()
        stack.callback(os.close, reading)
        stack.callback(os.close, writing)
        rules = os.memfd_create("seccomp", 0)
        stack.callback(os.close, rules)
        os.write(rules, seccomp.program(view.debugger, compiler=view.compiler) or b"")
        os.lseek(rules, 0, os.SEEK_SET)
        options = [shutil.which("bwrap") or "bwrap", *_user_options(), *_isolation_options(view)]
        options += ["--chdir", str(cwd), "--seccomp", str(rules), "--json-status-fd", str(writing)]
        options += ["--", *_become_user(processes, view.compiler), *argv]
        yield SandboxedCommand(
            options,
            system_files.environment("/tmp", env),
            Path("/"),
            (rules, writing),
            reading,
            # Root is not bound by this limit, and the user inside, which is, has no other process.
            processes if os.geteuid() == 0 else None,
        )


def exit_status(status_pipe: int) -> int | None:
    """The exit status of a command that has ended, 128 + the signal if a signal ended it; None when
    bubblewrap never started it. To be called once bubblewrap has ended, too."""
    os.set_blocking(status_pipe, False)
    try:
        report = os.read(status_pipe, 1 << 16)
    except BlockingIOError:
        return None
    for line in report.splitlines():
        with suppress(ValueError):
            code = json.loads(line).get("exit-code")
            if isinstance(code, int):
                return code
    return None


def _user_options() -> list[str]:
    if os.geteuid() != 0:
        return ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    return ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]


def _become_user(processes: int, compiler: bool) -> list[str]:
    """The command that becomes the user inside and then runs its arguments.

    Root becomes the other user, which drops its last capabilities; the launcher has set the limit
    on processes. For anyone else the limit is set here, where the user namespace exists and no
    process in it has been counted yet.
    """
    if os.geteuid() != 0:
        return ["prlimit", f"--nproc={processes}:{processes}", "--"]
    user = users.user_of(compiler)
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all"]


def _isolation_options(view: View) -> list[str]:
    # No --new-session: the launcher has seen to it that there is no terminal, and a session in here
    # would get as large a share of the processors as the grader's (priority.py).
    options = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    options += ["--unshare-cgroup-try", "--hostname", "sandbox"]
    options += ["--die-with-parent", "--unsetenv", cleanup_after_kill.VARIABLE]
    options += ["--perms", "0755", "--dir", "/etc", *_system()]
    options += ["--proc", "/proc", "--dev", "/dev"]
    if view.gpu:
        partitions = str(system_files.PARTITIONS)
        options += ["--dev-bind-try", partitions, partitions]
        for node in map(str, system_files.gpu_devices(view.gpu_minor)):
            options += ["--dev-bind", node, node]
    for folder, size in (("/dev/shm", SMALL), ("/tmp", view.temporary)):
        options += ["--size", str(size), "--perms", "1777", "--tmpfs", folder]
    bound = [("--ro-bind", path) for path in (*system_files.installations(), *view.reads)]
    bound += [("--bind", path) for path in view.writes]
    # bubblewrap would make the missing parent folders readable for root only.
    parents = {parent for _, path in bound for parent in path.parents if parent != Path("/")}
    for parent in sorted(parents, key=lambda p: len(p.parts)):
        options += ["--perms", "0755", "--dir", str(parent)]
    # A folder comes before what is inside it: it would hide what was bound there earlier.
    for option, path in sorted(bound, key=lambda b: len(b[1].parts)):
        options += [option, str(path), str(path)]
    return [*options, "--remount-ro", "/", "--remount-ro", "/dev"]


@cache
def _system() -> list[str]:
    """Shows programs and libraries, and of /etc only the files that help to find them."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in system_files.ROOT_FOLDERS:
        folder = Path("/", name)
        if folder.is_symlink():
            options += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.is_dir():
            options += ["--ro-bind", str(folder), str(folder)]
    for name in map(str, system_files.FOR_THE_LINKER):
        options += ["--ro-bind-try", name, name]
    return options
