"""Runs tests in each sandbox that this machine has, and as a user who is not root."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader import paths
from grader.sandbox import choice, tiers
from grader.sandbox.choice import Probed

NOBODY_ELSE = 61_234  # a user id that Debian assigns to no one
# What a copy of the course needs for its graders to run programs in a sandbox.
COPIED = ("Makefile", "grade", "grader", "labs", "datasets")
BUILT = ("lib", "given", "datasets")


def available() -> list[int]:
    """The tiers that this machine has for the user who runs the tests. A tier that the user may
    have is available also where another user could not read the tests' Python: programs in it need
    none."""
    return [tier.number for tier in tiers.ALL if tier.missing() is None]


@contextmanager
def using(number: int) -> Iterator[None]:
    """Everything inside runs in this tier or not at all, as in a bulk run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(choice.REQUIRED, "")
        choice.require(Probed(number, 0, ""))
        yield
    choice.chosen.cache_clear()


each_tier = pytest.mark.parametrize("number", available(), ids=lambda n: f"tier {n}")


def python_for_everyone() -> str | None:
    """A Python of this version that every user can start; None: there is none."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for command in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        # The shell has dropped root's rights; setpriv itself could still start it.
        argv = [*become(), "sh", "-c", '"$0" -c "import json"', command]
        if subprocess.run(argv, capture_output=True, check=False, cwd="/").returncode == 0:
            return command
    return None


def become() -> list[str]:
    """The command that becomes a user who is not root and then runs its arguments."""
    user = str(NOBODY_ELSE)
    return ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--"]


@contextmanager
def course_of_a_user(folder: Path) -> Iterator[tuple[list[str], dict[str, str]]]:
    """Copies the course for a user who is not root into `folder`, which is made, where every user
    can reach it. Yields the command line that starts Python as that user, and its environment.
    Skips the test where that is impossible."""
    python = python_for_everyone() if os.geteuid() == 0 and shutil.which("setpriv") else None
    packages = next((p for p in sys.path if p.endswith("site-packages")), None)
    if python is None or packages is None:
        pytest.skip("no Python here that root can start as another user")
    folder.mkdir()
    for name in COPIED:
        source = paths.ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy2(source, folder / name)  # with its time: nothing is to be made anew
    for name in BUILT:
        if (paths.BUILD / name).exists():
            shutil.copytree(paths.BUILD / name, folder / "build" / name)
    subprocess.run(["chown", "-R", f"{NOBODY_ELSE}:{NOBODY_ELSE}", folder], check=True)
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)}
    environment["PYTHONPATH"] = f"{folder}{os.pathsep}{packages}"
    yield [*become(), python, "-P"], environment
