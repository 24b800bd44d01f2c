"""The Python packages in build/venv: which the lock asks for, which are there, and how the others
are installed."""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader import files
from grader.setup import bootstrap, failure, stamp
from grader.setup.failure import SetupError
from grader.setup.runner import Output, Runner, shown

VENV = Path(stamp.VENV)
# MB to download for x86-64; all include "run"
SIZES = {
    "run": 28,
    "handouts": 112,
    "dev": 117,
    "pages": 247,
    "slurm": 29,
    "bench": 152,
    "charts": 45,
}
INCLUDED_IN = {"dev": ("pages",), "charts": ("dev", "pages", "bench"), "handouts": ("pages",)}
# pip would compile 3,000 modules, of which a grade needs a tenth. Where the environment says that
# Python must not write bytecode, each grade would compile them again.
IMPORTED_ONCE = """
import sys
sys.dont_write_bytecode = False
import grader.cli, grader.commands.grade, grader.grading.pipeline, grader.render.html
import grader.grading.all_checks, grader.predict.process, grader.session.session
import grader.compile.permitted.submission_check
"""
PATIENCE = {"retries": "1", "timeout": "10"}  # pip's own are 5 and 15 s: minutes without a network
PIP = (stamp.PYTHON, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input")


# ------------------------------------------------------------------------------ what is there


def locked(lock: Path) -> Iterator[tuple[str, str]]:
    """The names and versions in a lock file, without the packages that are for Windows only."""
    for line in lock.read_text().splitlines():
        match = re.match(r"([A-Za-z0-9._-]+)==(\S+)(.*)", line)
        if match and "win32" not in match[3]:
            yield match[1], match[2]


def installed() -> dict[str, str]:
    """The versions of the packages in build/venv by their names, spelt as in a lock file."""
    folders = [str(folder) for folder in VENV.glob("lib/python3*/site-packages")]
    return {
        re.sub(r"[-_.]+", "-", name).lower(): package.version
        for package in importlib.metadata.distributions(path=folders)
        if (name := package.metadata["Name"])
    }


def lacking(flavour: str) -> list[str]:
    """The packages of a lock that build/venv does not have in the locked version."""
    present = installed()
    lock = locked(Path(stamp.LOCKS[flavour]))
    return [name for name, version in lock if present.get(name) != version]


def ready(flavour: str) -> bool:
    """Whether build/venv was set up completely, for this flavour or one that includes it, still
    fits, and has all its packages."""
    complete = any(stamp.valid(name) for name in (flavour, *INCLUDED_IN.get(flavour, ())))
    return complete and not lacking(flavour)


# ------------------------------------------------------------------------------ installing


def title(flavour: str) -> str:
    """What is to be installed: number and size."""
    size = SIZES[flavour] - (SIZES["run"] if ready("run") else 0)
    words = {
        "handouts": " for the handouts",
        "dev": " for the tests",
        "pages": " for the tests of pages",
        "slurm": " for Slurm",
        "bench": " for the comparisons",
        "charts": " for the charts",
    }
    what = f"Python packages{words.get(flavour, '')}"
    return f"{what}: {_count(flavour)} into build/venv, about {size} MB to download"


def _count(flavour: str) -> int:
    """How many packages are to be installed; all of them where build/venv is made again."""
    return len(lacking(flavour) if ready("run") else list(locked(Path(stamp.LOCKS[flavour]))))


def install(flavour: str, runner: Runner) -> None:
    """Makes build/venv, unless it is complete for "run", and installs the packages of the lock that
    it lacks. Raises SetupError."""
    count = _count(flavour)
    if not ready("run"):
        _make_environment(runner)
    commands = {"run": "./grade setup", "charts": "./grade report RUN"}
    again = commands.get(flavour, f"./grade setup --{flavour}")
    pip_install(Path(stamp.LOCKS[flavour]), count, runner, again)
    runner.doing("compiling what a grade imports")
    runner.run([stamp.PYTHON, "-P", "-c", IMPORTED_ONCE])
    for complete in dict.fromkeys(["run", flavour]):
        text = stamp.key(complete).encode(errors="surrogateescape")
        files.replace(Path(stamp.path(complete)), text)


def pip_install(
    lock: Path, count: int, runner: Runner, again: str, more: Sequence[str] = ()
) -> None:
    """Installs the packages of a lock, `count` in all. again: the command that does it. more:
    options of pip. Raises SetupError."""
    exactly = ["--require-hashes", "--only-binary", ":all:", "-r", str(lock)]
    quiet = ["--progress-bar", "off", "--no-warn-script-location", "--no-compile"]
    runner.doing("looking for the package index")
    configuration = pip_configuration()
    command = [*PIP, "install", *quiet, *exactly, *more]
    output = runner.run(command, Activity(count), patience(configuration))
    if output.status != 0:
        raise _install_error(output, configuration, lock, again)


def _make_environment(runner: Runner) -> None:
    if os.pathsep in str(VENV):
        raise SetupError(
            f"the folder {shown(Path(stamp.ROOT))} has a colon in its name, which Python's "
            "environments do not allow",
            f"rename or move the folder and {failure.AGAIN}",
        )
    for flavour in stamp.LOCKS:  # first: a removal that is interrupted must not leave a valid stamp
        Path(stamp.path(flavour)).unlink(missing_ok=True)
    runner.doing("making the environment build/venv")
    shutil.rmtree(VENV, ignore_errors=True)
    venv = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    has_pip = importlib.util.find_spec("ensurepip") is not None and runner.run(venv).status == 0
    if not has_pip:
        output = runner.run([*venv, "--without-pip"])
        if output.status != 0:
            cause = failure.cause(output.text)
            raise SetupError(
                f"Python could not make an environment in {shown(VENV)}: {cause.text}",
                cause.advice,
                output.text,
            )
    # Makes `grader` importable. The path is relative, so this folder may be moved.
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = VENV / "lib" / version / "site-packages"
    (site / "convlabs.pth").write_text("../../../../..\n")
    if not has_pip:
        bootstrap.add_pip(site, runner)


class Activity:
    """What pip is doing, by a line of its output: "downloading numpy 2.4.6, 16.9 MB (8 of 20)"."""

    def __init__(self, total: int) -> None:
        self.total, self.count = total, 0

    def __call__(self, line: str) -> str:
        if ".whl.metadata" in line:
            return "looking up the packages"
        if match := re.match(r"\s*Downloading (\S+?)-(\d[^-]*)-\S*(?: \(([^)]*)\))?", line):
            return f"downloading {match[1]} {match[2]}, {match[3] or 'size unknown'}{self._next()}"
        if match := re.match(r"\s*Using cached (\S+?)-(\d[^-]*)-", line):
            return f"{match[1]} {match[2]} was downloaded before{self._next()}"
        if line.startswith("Installing collected packages"):
            return f"installing {self.total} packages"
        if "Retrying (" in line:
            return "the package index does not answer; trying again"
        return ""

    def _next(self) -> str:
        self.count += 1
        return f" ({self.count} of {self.total})"


def patience(configuration: str) -> dict[str, str]:
    """Environment variables that make pip give up within seconds without a network. They leave out
    what the user has configured."""
    return {
        f"PIP_{name.upper()}": value
        for name, value in PATIENCE.items()
        if not re.search(rf"\b{name}=", configuration)
    }


def pip_configuration() -> str:
    """pip's settings from its files and the environment. Not logged: an address may contain a
    password."""
    command = [*PIP, "config", "list"]
    return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout


def _install_error(output: Output, configuration: str, lock: Path, again: str) -> SetupError:
    cause = failure.cause(output.text)
    if not cause.is_network():
        return SetupError(
            f"pip could not install the Python packages: {cause.text}", cause.advice, output.text
        )
    return SetupError(
        f"pip could not reach the package index {index(configuration)}: {cause.text}",
        f"{cause.advice}. Or, on a machine that has a network, a processor of the same kind "
        f"and Python {sys.version_info.major}.{sys.version_info.minor},\n\n"
        f"    python3 -m pip download --require-hashes --only-binary :all: -r {shown(lock)} "
        "-d wheels\n\n"
        "and here, with that folder,\n\n"
        f"    PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels {again}",
        output.text,
    )


def index(configuration: str) -> str:
    """The host of the package index that pip asks, without the password that its address may
    contain."""
    # The environment's comes first, and wins.
    match = re.search(r"(?<!extra-)index-url='([^']*)'", configuration)
    return urllib.parse.urlsplit(match[1]).hostname or match[1] if match else "pypi.org"
