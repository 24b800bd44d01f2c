"""What a test may need and a machine need not have.

`@pytest.mark.needs("sandbox")` names it; where it is missing, plugin.py skips the test before its
fixtures are made, and the end of the run lists what was skipped and why. What concerns one file
alone, such as the instructions of a processor, is a skipif there.
"""

import os
import pty
import shutil
import signal
import subprocess
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from grader import paths
from grader.sandbox import choice, landlock, tiers
from grader.sandbox.view import View


def _tier(number: int, *reads: Path) -> str | None:
    """Why no command that reads these files runs in a tier. Where other users cannot reach the
    course, as in root's home, tier 2 still confines what needs none of its files."""
    tier = tiers.ALL[number - 1]
    if why := tier.missing():
        return why
    try:
        done, status = choice._run(tier, ["cat", "/dev/null", *map(str, reads)], View(reads))
    except (OSError, subprocess.SubprocessError) as problem:
        return str(problem)
    return None if status == 0 else done.stderr.decode(errors="replace").strip() or "it fails"


def _landlock() -> str | None:
    return None if landlock.abi() else "the kernel has no Landlock, or it is switched off"


def _root() -> str | None:
    return None if os.geteuid() == 0 else "another user runs the tests"


def _no_gpu() -> str | None:
    return "there is a GPU" if choice.missing(gpu=True) is None else None


def _git() -> str | None:
    return None if shutil.which("git") else "git is not installed"


def _namespaces(*options: str) -> str | None:
    """Why unshare cannot do this."""
    try:
        done = subprocess.run(["unshare", *options], capture_output=True, text=True, check=False)
    except OSError as problem:
        return f"unshare: {problem.strerror}"
    return (done.stderr.strip() or "unshare fails") if done.returncode else None


def _processor_limit() -> str | None:
    """Why the kernel does not end a process that has used a second of the processor."""
    burn = ["sh", "-c", "ulimit -S -t 1; while :; do :; done"]
    try:
        ended = subprocess.run(burn, timeout=60, check=False).returncode
    except subprocess.TimeoutExpired:
        return "the kernel does not enforce it"
    return None if ended == -signal.SIGXCPU else f"the kernel ends a process with {-ended}"


def _terminal() -> str | None:
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as problem:
        return f"no pseudoterminal: {problem.strerror}"
    return None


# What a marker may name: why this machine lacks it; None: it has it.
NEEDS: dict[str, Callable[[], str | None]] = {
    "sandbox": choice.missing,
    **{f"tier {n}": partial(_tier, n) for n in (1, 2, 3)},
    **{f"tier {n}, reading": partial(_tier, n, paths.ROOT / "Makefile") for n in (1, 2, 3)},
    "landlock": _landlock,
    "processor limit": _processor_limit,
    "root": _root,
    "no gpu": _no_gpu,
    "git": _git,
    "mounts": partial(_namespaces, "--mount", "mount", "-t", "tmpfs", "none", "/mnt"),
    "user mounts": partial(_namespaces, "--user", "--map-root-user", "--mount", "true"),
    "no network": partial(_namespaces, "--user", "--map-root-user", "--net", "true"),
    "terminal": _terminal,
}


@cache
def missing(name: str) -> str | None:
    """Why a test that needs this is skipped here; None: it is not. Raises KeyError for a name that
    is not in NEEDS."""
    why = NEEDS[name]()
    return why and f"needs {name}: {' '.join(why.split())}"
