"""The sandbox for commands that compile or run a student's code: bubblewrap.

A command inside sees the system's /usr, what its View names, and nothing else: no network, no other
process, no home folder, and an environment of a few variables. /tmp and /dev/shm are small file
systems in memory; everything else is read-only unless the View says otherwise. It runs as another
user:

  started by root        with a user id taken from the grader's process id and no capabilities, so
                         that RLIMIT_NPROC counts only the processes of that id. A compiler and a
                         program that may run at the same time have different ids
  started by anyone else in a user namespace, where RLIMIT_NPROC counts only what is inside

Where bubblewrap is not installed or not allowed to work, `missing()` says why. `./grade labN` then
runs the student's own code without the sandbox; a bulk run refuses to grade.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader import paths
from grader.sandbox import cleanup_after_kill, seccomp

KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_PATH")
SMALL = 64 << 20  # bytes of /tmp and of /dev/shm
FIRST_USER, PAIRS = 50_000, 4_096  # user ids: from a range that Debian assigns to no one
PROBE_SECONDS = 60  # a busy machine may take seconds
# The variables are described in grader/sandbox/__init__.py. Where REQUIRED is set, a probe that is
# slow for once cannot switch the sandbox off.
REQUIRED = "CONVLABS_SANDBOX_REQUIRED"
SWITCHED_OFF = "CONVLABS_NO_SANDBOX"


@dataclass(frozen=True)
class View:
    """What a command sees besides the system. Paths are the same inside as outside.

    compiler: the command is a compiler, not a submission's program.
    debugger: it may use ptrace on the processes inside.
    gpu: it sees the GPUs.
    """

    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    temporary: int = SMALL  # bytes of /tmp
    compiler: bool = False
    debugger: bool = False
    gpu: bool = False


@dataclass(frozen=True)
class SandboxedCommand:
    """A command line that starts a command in the sandbox."""

    argv: list[str]
    env: dict[str, str]
    descriptors: tuple[int, ...]  # which bubblewrap must inherit
    status_pipe: int  # where bubblewrap says how the command ended: exit_status()


def _user(compiler: bool) -> int | None:
    """The user id of the command inside; None where the grader is not root and cannot choose it."""
    return FIRST_USER + 2 * (os.getpid() % PAIRS) + compiler if os.geteuid() == 0 else None


def hand_over(path: Path, compiler: bool = False) -> None:
    """Lets the command inside write a file, or a folder and everything in it, by making its user
    the owner. Does not follow links. compiler: the command is a compiler."""
    user = _user(compiler)
    if user is None or missing() is not None:
        return
    os.lchown(path, user, user)
    if path.is_dir():
        path.chmod(0o755)  # bubblewrap enters it before it becomes that user
    for folder, folders, files in os.walk(path):
        for name in [*folders, *files]:
            os.lchown(os.path.join(folder, name), user, user)


@cache
def missing() -> str | None:
    """Why this machine has no sandbox, or None if it has one. Tries bubblewrap once a process."""
    if os.environ.get(REQUIRED):
        return None
    if os.environ.get(SWITCHED_OFF):
        return f"{SWITCHED_OFF} is set"
    for tool in ("bwrap", "prlimit", "setpriv"):
        if shutil.which(tool) is None:
            package = "bubblewrap" if tool == "bwrap" else "util-linux"
            return f"{tool} is not installed (apt-get install {package})"
    if paths.ROOT.is_relative_to("/usr"):
        return f"the course is in {paths.ROOT}, and every sandbox can read /usr"
    if seccomp.program() is None:
        return f"there is no seccomp filter for a {os.uname().machine}"
    view = View(reads=(paths.ROOT / "Makefile", *interpreter()))
    argv = ["test", "-r", str(paths.ROOT / "Makefile"), "-a", "-x", sys.executable]
    try:
        done, started = _probe(argv, view)
    except subprocess.TimeoutExpired:
        return f"bubblewrap did not finish a test within {PROBE_SECONDS} s"
    except OSError as problem:
        return f"bubblewrap cannot be started: {problem.strerror}"
    if done.returncode == 0:
        return None
    if started:
        return f"not every user can read the course's files in {paths.ROOT}"
    errors = done.stderr.decode(errors="replace").strip().splitlines()
    return f"bubblewrap is not allowed to work here ({errors[-1] if errors else 'no reason given'})"


@cache
def missing_for_gpus() -> str | None:
    """Why programs that use a GPU have no sandbox here, or None when they have one. Asks the driver
    in the sandbox, once a process: it may need devices that are not shown inside, or that only
    root may open."""
    if (why := missing()) is not None or os.environ.get(REQUIRED):
        return why
    try:
        done, _ = _probe(["nvidia-smi", "-L"], View(gpu=True))
    except (OSError, subprocess.TimeoutExpired):
        return f"nvidia-smi did not finish within {PROBE_SECONDS} s in the sandbox"
    if done.returncode == 0 and b"GPU 0" in done.stdout:
        return None
    return "no GPU answers in the sandbox"


def _probe(argv: list[str], view: View) -> tuple[subprocess.CompletedProcess[bytes], bool]:
    """Runs a harmless command in the sandbox. Returns how it ended, and whether it was started."""
    with sandboxed(argv, view, Path("/tmp"), {}, processes=64) as command:
        done = subprocess.run(
            command.argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=command.env,
            pass_fds=command.descriptors,
            timeout=PROBE_SECONDS,
            check=False,
        )
        return done, exit_status(command) is not None


def tier(gpu: bool = False) -> str:
    """The kind of sandbox that programs run in, as a grade reports it; "none" without one."""
    if (missing_for_gpus() if gpu else missing()) is not None:
        return "none"
    return "bubblewrap, own user" if limits_root_now() else "bubblewrap, user namespace"


def interpreter() -> tuple[Path, ...]:
    """The folders that a sandbox must show for the grader's own Python to start inside."""
    base = Path(sys.base_prefix)
    return (Path(sys.prefix), *(() if base.is_relative_to("/usr") else (base,)))


@contextmanager
def sandboxed(
    argv: Sequence[str],
    view: View,
    cwd: Path,
    env: dict[str, str],
    processes: int,
) -> Iterator[SandboxedCommand]:
    """Yields the command line that runs `argv` in the sandbox; its descriptors are closed at the
    end of the block. processes: how many may run inside at a time, with their threads."""
    reading, writing = os.pipe()
    rules = os.memfd_create("seccomp", 0)
    try:
        os.write(rules, seccomp.program(view.debugger) or b"")
        os.lseek(rules, 0, os.SEEK_SET)
        environment = {k: os.environ[k] for k in KEPT_VARIABLES if k in os.environ}
        environment |= {"HOME": "/tmp", "TMPDIR": "/tmp", "LC_ALL": "C.UTF-8"} | env
        command = [shutil.which("bwrap") or "bwrap", *_user_options(), *_isolation_options(view)]
        command += ["--chdir", str(cwd), "--seccomp", str(rules), "--json-status-fd", str(writing)]
        command += ["--", *_become_user(processes, view.compiler), *argv]
        yield SandboxedCommand(command, environment, (rules, writing), reading)
    finally:
        for descriptor in (rules, writing, reading):
            os.close(descriptor)


def exit_status(command: SandboxedCommand) -> int | None:
    """The exit status of a command that has ended, 128 + the signal if a signal ended it; None when
    bubblewrap never started it. To be called once bubblewrap has ended, too."""
    os.set_blocking(command.status_pipe, False)
    try:
        report = os.read(command.status_pipe, 1 << 16)
    except BlockingIOError:
        return None
    for line in report.splitlines():
        with suppress(ValueError):
            code = json.loads(line).get("exit-code")
            if isinstance(code, int):
                return code
    return None


def _user_options() -> list[str]:
    if not limits_root_now():
        return ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    return ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]


def _become_user(processes: int, compiler: bool) -> list[str]:
    """The command that becomes the user inside and then runs its arguments.

    Root becomes the other user, which drops its last capabilities; the launcher has set the limit
    on processes. For anyone else the limit is set here, where the user namespace exists and no
    process in it has been counted yet.
    """
    user = _user(compiler)
    if user is None:
        return ["prlimit", f"--nproc={processes}:{processes}", "--"]
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all"]


def limits_root_now() -> bool:
    """Whether the launcher may set the limit on processes before it starts bubblewrap: root is not
    bound by it, and the user inside, which is, has no other processes."""
    return os.geteuid() == 0


def _isolation_options(view: View) -> list[str]:
    options = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    options += ["--unshare-cgroup-try", "--hostname", "sandbox"]
    options += ["--die-with-parent", "--new-session", "--unsetenv", cleanup_after_kill.VARIABLE]
    options += ["--perms", "0755", "--dir", "/etc", *_system()]
    options += ["--proc", "/proc", "--dev", "/dev"]
    if view.gpu:
        options += _gpus()
    for folder, size in (("/dev/shm", SMALL), ("/tmp", view.temporary)):
        options += ["--size", str(size), "--perms", "1777", "--tmpfs", folder]
    bound = [("--ro-bind", path) for path in view.reads]
    bound += [("--bind", path) for path in view.writes]
    # bubblewrap would make the missing parent folders readable for root only.
    parents = {parent for _, path in bound for parent in path.parents if parent != Path("/")}
    for parent in sorted(parents, key=lambda p: len(p.parts)):
        options += ["--perms", "0755", "--dir", str(parent)]
    # A folder comes before what is inside it: it would hide what was bound there earlier.
    for option, path in sorted(bound, key=lambda b: len(b[1].parts)):
        options += [option, str(path), str(path)]
    return [*options, "--remount-ro", "/", "--remount-ro", "/dev"]


def _gpus() -> list[str]:
    """Shows the driver's devices: nvidiactl, nvidia-uvm, one for each GPU, and dxg in the Windows
    Subsystem for Linux. The driver's libraries are in /usr."""
    devices = [*Path("/dev").glob("nvidia*"), Path("/dev/dxg")]
    nodes = sorted(node for node in devices if node.is_char_device())
    partitions = "/dev/nvidia-caps"  # of a GPU that is split (MIG)
    options = ["--dev-bind-try", partitions, partitions]
    return options + [word for node in nodes for word in ("--dev-bind", str(node), str(node))]


@cache
def _system() -> list[str]:
    """Shows programs and libraries, and of /etc only the files that help to find them."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib64", "lib32"):
        folder = Path("/", name)
        if folder.is_symlink():
            options += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.is_dir():
            options += ["--ro-bind", str(folder), str(folder)]
    for name in ("/etc/ld.so.cache", "/etc/alternatives"):
        options += ["--ro-bind-try", name, name]
    tools = map(_installation_of, ("gcc", "g++", "make", "nvcc"))
    for path in sorted({tool for tool in tools if tool is not None}):
        options += ["--ro-bind", str(path), str(path)]
    return options


def _installation_of(tool: str) -> Path | None:
    """What to show of a tool that is not in /usr: the folder PREFIX of PREFIX/bin/tool, or the tool
    alone where PREFIX may hold private files, as a home folder does. None: nothing to show."""
    command = shutil.which(tool)
    if command is None:
        return None
    file = Path(os.path.realpath(command))
    if file.is_relative_to("/usr") or not file.parent.name:
        return None
    prefix = file.parent.parent
    shared = any(private.is_relative_to(prefix) for private in (Path.home(), paths.ROOT))
    shared = shared or prefix.parent in (Path("/"), Path("/home"))
    return file if shared or file.parent.name != "bin" else prefix
