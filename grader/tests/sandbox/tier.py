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
from grader.tests import captured, needs

NOBODY_ELSE = 61_234  # a user id that Debian assigns to no one
# What a copy of the course needs for its graders to run programs in a sandbox.
COPIED = ("Makefile", "grade", "grader", "labs", "datasets")
BUILT = ("lib", "given", "datasets")


def available() -> list[int]:
    """The tiers that work on this machine for the user who runs the tests."""
    return [tier.number for tier in tiers.ALL if needs.missing(f"tier {tier.number}") is None]


@contextmanager
def using(number: int) -> Iterator[None]:
    """Everything inside runs in this tier or not at all, as in a bulk run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(choice.REQUIRED, "")
        choice.require(Probed(number, 0, ""))
        yield
    choice.chosen.cache_clear()


# Of the tiers with Landlock, root may have the second, and others the third.
WITH_LANDLOCK = 2 if os.geteuid() == 0 else 3


def _each(how: str = "") -> pytest.MarkDecorator:
    """Runs a test in the tiers that this user may have."""
    return pytest.mark.parametrize(
        "number",
        [
            pytest.param(n, id=f"tier {n}", marks=pytest.mark.needs(f"tier {n}{how}"))
            for n in (1, WITH_LANDLOCK)
        ],
    )


each_tier = _each()
each_tier_that_reads = _each(", reading")  # the course's files


def python_for_everyone(packages: str) -> str | None:
    """A Python of this version that every user can start, with packages that every user can read;
    None: there is none."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    environment = {"PATH": os.defpath, "PYTHONPATH": packages}
    for command in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        # The shell has dropped root's rights; setpriv itself could still start it.
        argv = [*become(), "sh", "-c", '"$0" -c "import json, msgspec"', command]
        if captured.run(argv, cwd="/", env=environment).returncode == 0:
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
    packages = next(p for p in sys.path if p.endswith("site-packages"))
    may = os.geteuid() == 0 and shutil.which("setpriv")
    python = python_for_everyone(packages) if may else None
    if python is None:
        pytest.skip("needs root, and a Python with packages that another user can read")
    folder.mkdir()
    for name in COPIED:
        source = paths.ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy2(source, folder / name)  # with its time: nothing is to be made again
    for name in BUILT:
        if (paths.BUILD / name).exists():
            shutil.copytree(paths.BUILD / name, folder / "build" / name)
    subprocess.run(["chown", "-R", f"{NOBODY_ELSE}:{NOBODY_ELSE}", folder], check=True)
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)}
    environment["PYTHONPATH"] = f"{folder}{os.pathsep}{packages}"
    yield [*become(), python, "-P"], environment
