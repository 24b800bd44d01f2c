"""The walls around a command that runs or compiles what a student wrote: bubblewrap.

Inside there is the system's /usr, what the View names, and nothing else: no network, no other
process, no home, an environment of a few variables, small memory file systems for /tmp and
/dev/shm, everything else read-only. The user is another one:

  started by root        a user id of its own, taken from the grader's process id, and no
                         capabilities; RLIMIT_NPROC counts the processes of that id alone. A
                         compiler has another one than the program that may run beside it
  started by anyone else a user namespace, in which RLIMIT_NPROC counts what is inside alone

Where bubblewrap is missing or may not work, `missing()` says why. `./grade labN` then runs the
student's own code without walls, as it has to; a bulk run refuses.
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
from grader.sandbox import seccomp, watchdog

KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_PATH")
SMALL = 64 << 20  # bytes of /tmp and of /dev/shm
FIRST_USER, PAIRS = 50_000, 4_096  # of the range that Debian leaves to nobody
PROBE_SECONDS = 10
# Set where the walls have been probed, for the processes that follow: they put them up without
# asking again, and run nothing where that fails. A machine that is slow for a while opens no gate.
REQUIRED = "CONVLABS_WALLS_REQUIRED"


@dataclass(frozen=True)
class View:
    """What a command sees besides the system: its paths are the same inside as outside.

    `compiler`: it is not the program, but what makes it. `debugger`: it may ptrace what is inside
    with it. `gpu`: it sees the GPUs.
    """

    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    temporary: int = SMALL  # bytes of /tmp
    compiler: bool = False
    debugger: bool = False
    gpu: bool = False


@dataclass(frozen=True)
class Walled:
    """A command with its walls, ready to be started."""

    argv: list[str]
    env: dict[str, str]
    files: tuple[int, ...]  # descriptors that bubblewrap inherits
    status: int  # where it says how the command ended: exit_code()


def _user(compiler: bool) -> int | None:
    """The user id of what runs inside, where we may choose it."""
    return FIRST_USER + 2 * (os.getpid() % PAIRS) + compiler if os.geteuid() == 0 else None


def give(path: Path, compiler: bool = False) -> None:
    """Lets what runs inside write a file or a folder with all in it; links are not followed."""
    user = _user(compiler)
    if user is None or missing() is not None:
        return
    os.lchown(path, user, user)
    if path.is_dir():
        path.chmod(0o755)  # bubblewrap goes there before it becomes that user
    for folder, folders, files in os.walk(path):
        for name in [*folders, *files]:
            os.lchown(os.path.join(folder, name), user, user)


@cache
def missing() -> str | None:
    """Why there are no walls here, or None. Asks bubblewrap itself, once."""
    if os.environ.get(REQUIRED):
        return None
    if os.environ.get("CONVLABS_NO_SANDBOX"):
        return "CONVLABS_NO_SANDBOX is set"
    for tool in ("bwrap", "prlimit", "setpriv"):
        if shutil.which(tool) is None:
            package = "bubblewrap" if tool == "bwrap" else "util-linux"
            return f"{tool} is not installed (apt-get install {package})"
    if paths.ROOT.is_relative_to("/usr"):
        return f"the course lies in {paths.ROOT}, and /usr can be read inside"
    if seccomp.program() is None:
        return f"there is no seccomp filter for a {os.uname().machine}"
    view = View(reads=(paths.ROOT / "Makefile", *interpreter()))
    argv = ["test", "-r", str(paths.ROOT / "Makefile"), "-a", "-x", sys.executable]
    try:
        done, ran = _tried(argv, view)
    except subprocess.TimeoutExpired:
        return "bubblewrap does not come to an end"
    except OSError as problem:
        return f"bubblewrap cannot be started: {problem.strerror}"
    if done.returncode == 0:
        return None
    if ran:
        return f"the course's files in {paths.ROOT} are not readable for every user"
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return f"bubblewrap is not allowed to work here ({said[-1] if said else 'no reason given'})"


@cache
def missing_for_gpus() -> str | None:
    """Why programs that use a GPU have no walls here, or None. Asks the driver inside, once: the
    devices may be others than we know, or not everybody's."""
    if (why := missing()) is not None or os.environ.get(REQUIRED):
        return why
    try:
        done, _ = _tried(["nvidia-smi", "-L"], View(gpu=True))
    except (OSError, subprocess.TimeoutExpired):
        return "nvidia-smi does not come to an end behind them"
    if done.returncode == 0 and b"GPU 0" in done.stdout:
        return None
    return "no GPU answers behind them"


def _tried(argv: list[str], view: View) -> tuple[subprocess.CompletedProcess[bytes], bool]:
    """Runs a command of ours inside, and tells whether it was started."""
    with walled(argv, view, Path("/tmp"), {}, processes=64) as made:
        done = subprocess.run(
            made.argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=made.env,
            pass_fds=made.files,
            timeout=PROBE_SECONDS,
            check=False,
        )
        return done, exit_code(made) is not None


def tier(gpu: bool = False) -> str:
    """What a grade says about the walls it was made behind."""
    if (missing_for_gpus() if gpu else missing()) is not None:
        return "none"
    return "bubblewrap, own user" if limits_root_now() else "bubblewrap, user namespace"


def interpreter() -> tuple[Path, ...]:
    """What the Python of our environment needs to be started inside."""
    base = Path(sys.base_prefix)
    return (Path(sys.prefix), *(() if base.is_relative_to("/usr") else (base,)))


@contextmanager
def walled(
    argv: Sequence[str],
    view: View,
    cwd: Path,
    env: dict[str, str],
    processes: int,
) -> Iterator[Walled]:
    """The command line that runs `argv` inside. Its descriptors are closed afterwards."""
    reading, writing = os.pipe()
    rules = os.memfd_create("seccomp", 0)
    try:
        os.write(rules, seccomp.program(view.debugger) or b"")
        os.lseek(rules, 0, os.SEEK_SET)
        environment = {k: os.environ[k] for k in KEPT_VARIABLES if k in os.environ}
        environment |= {"HOME": "/tmp", "TMPDIR": "/tmp", "LC_ALL": "C.UTF-8"} | env
        made = [shutil.which("bwrap") or "bwrap", *_user_options(), *_walls(view)]
        made += ["--chdir", str(cwd), "--seccomp", str(rules), "--json-status-fd", str(writing)]
        made += ["--", *_become(processes, view.compiler), *argv]
        yield Walled(made, environment, (rules, writing), reading)
    finally:
        for descriptor in (rules, writing, reading):
            os.close(descriptor)


def exit_code(made: Walled) -> int | None:
    """How the command ended, once all is dead: 128 + the signal, if one ended it. None: it was
    never started."""
    os.set_blocking(made.status, False)
    try:
        said = os.read(made.status, 1 << 16)
    except BlockingIOError:
        return None
    for line in said.splitlines():
        with suppress(ValueError):
            code = json.loads(line).get("exit-code")
            if isinstance(code, int):
                return code
    return None


def _user_options() -> list[str]:
    if not limits_root_now():
        return ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    return ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]


def _become(processes: int, compiler: bool) -> list[str]:
    """The last step: root becomes the other user, which drops what capabilities are left, and has
    the limit on processes from the launcher. Anyone else gets it here, where the user namespace
    exists and its count of processes is at 0."""
    user = _user(compiler)
    if user is None:
        return ["prlimit", f"--nproc={processes}:{processes}", "--"]
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all"]


def limits_root_now() -> bool:
    """Whether the launcher sets the limit on processes: root itself is not bound by it."""
    return os.geteuid() == 0


def _walls(view: View) -> list[str]:
    options = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    options += ["--unshare-cgroup-try", "--hostname", "sandbox"]
    options += ["--die-with-parent", "--new-session", "--unsetenv", watchdog.VARIABLE]
    options += ["--perms", "0755", "--dir", "/etc", *_system()]
    options += ["--proc", "/proc", "--dev", "/dev"]
    if view.gpu:
        options += _gpus()
    for place, size in (("/dev/shm", SMALL), ("/tmp", view.temporary)):
        options += ["--size", str(size), "--perms", "1777", "--tmpfs", place]
    bound = [("--ro-bind", path) for path in view.reads]
    bound += [("--bind", path) for path in view.writes]
    # bubblewrap makes folders on the way for root alone.
    above = {parent for _, path in bound for parent in path.parents if parent != Path("/")}
    for folder in sorted(above, key=lambda p: len(p.parts)):
        options += ["--perms", "0755", "--dir", str(folder)]
    # What lies within another comes later, or would be covered by it.
    for option, path in sorted(bound, key=lambda b: len(b[1].parts)):
        options += [option, str(path), str(path)]
    return [*options, "--remount-ro", "/", "--remount-ro", "/dev"]


def _gpus() -> list[str]:
    """The driver's devices: nvidiactl, nvidia-uvm, one for each GPU; dxg of Windows' own Linux.
    Its libraries lie in /usr."""
    found = [*Path("/dev").glob("nvidia*"), Path("/dev/dxg")]
    nodes = sorted(node for node in found if node.is_char_device())
    parts = "/dev/nvidia-caps"  # of a GPU that is shared out
    options = ["--dev-bind-try", parts, parts]
    return options + [word for node in nodes for word in ("--dev-bind", str(node), str(node))]


@cache
def _system() -> list[str]:
    """Programs and libraries, and of /etc only what finds them."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib64", "lib32"):
        place = Path("/", name)
        if place.is_symlink():
            options += ["--symlink", os.readlink(place), str(place)]
        elif place.is_dir():
            options += ["--ro-bind", str(place), str(place)]
    for name in ("/etc/ld.so.cache", "/etc/alternatives"):
        options += ["--ro-bind-try", name, name]
    tools = map(_home_of, ("gcc", "g++", "make", "nvcc"))
    for place in sorted({tool for tool in tools if tool is not None}):
        options += ["--ro-bind", str(place), str(place)]
    return options


def _home_of(tool: str) -> Path | None:
    """Where a tool that is not in /usr is installed: PREFIX of PREFIX/bin/tool, unless more than a
    compiler lies there, such as somebody's home; then the tool alone is shown."""
    found = shutil.which(tool)
    if found is None:
        return None
    file = Path(os.path.realpath(found))
    if file.is_relative_to("/usr") or not file.parent.name:
        return None
    prefix = file.parent.parent
    shared = any(private.is_relative_to(prefix) for private in (Path.home(), paths.ROOT))
    shared = shared or prefix.parent in (Path("/"), Path("/home"))
    return file if shared or file.parent.name != "bin" else prefix
