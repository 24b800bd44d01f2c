"""The three sandboxes, from the strongest to the weakest.

Each tier says what it needs, how a command is started in it, and what it cannot stop.
`choice.py` tries them on this machine.
"""

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

from grader import paths
from grader.sandbox import bubblewrap, confined, landlock, seccomp
from grader.sandbox.view import SandboxedCommand, View


class Tier(Protocol):
    """A kind of sandbox."""

    @property
    def number(self) -> Literal[1, 2, 3]: ...

    @property
    def name(self) -> str:
        """As a grade reports it, and a report shows it."""

    @property
    def strangers(self) -> bool:
        """Whether it is strong enough for the code of people whom one does not know."""

    def missing(self) -> str | None:
        """What this machine visibly lacks for it, in words; None: it may work."""

    def version(self) -> str:
        """The versions of what makes it."""

    def cannot_stop(self) -> tuple[str, ...]:
        """What a command inside can still do, each in words that complete "a program can"."""

    def command(
        self, argv: Sequence[str], view: View, cwd: Path, env: dict[str, str], processes: int
    ) -> AbstractContextManager[SandboxedCommand]:
        """How to run `argv` in it. processes: how many may run at a time, with their threads.
        Raises OSError."""


class Namespaces:
    """Tier 1: bubblewrap and seccomp, and another user if root grades. A command has a file system,
    a network, processes and IPC of its own."""

    number: Literal[1] = 1
    strangers = True

    @property
    def name(self) -> str:
        return "bubblewrap, own user" if os.geteuid() == 0 else "bubblewrap, user namespace"

    def missing(self) -> str | None:
        for tool in ("bwrap", "prlimit", "setpriv"):
            if shutil.which(tool) is None:
                package = "bubblewrap" if tool == "bwrap" else "util-linux"
                return f"{tool} is not installed (apt-get install {package})"
        return _missing_anywhere()

    def version(self) -> str:
        return f"{_bubblewrap_version()}, Linux {platform.release()}"

    def cannot_stop(self) -> tuple[str, ...]:
        return ("use a kernel bug that the seccomp filter does not block",)

    def command(
        self, argv: Sequence[str], view: View, cwd: Path, env: dict[str, str], processes: int
    ) -> AbstractContextManager[SandboxedCommand]:
        return bubblewrap.command(argv, view, cwd, env, processes)


class OtherUser:
    """Tier 2: Landlock, seccomp and limits, as another user; needs root. For machines that refuse
    namespaces."""

    number: Literal[2, 3] = 2
    name = "Landlock, own user"
    strangers = True
    other_user = True

    def missing(self) -> str | None:
        if os.geteuid() != 0:
            return "only root can run programs as another user"
        return _missing_landlock()

    def version(self) -> str:
        return f"Landlock ABI {landlock.abi()}, Linux {platform.release()}"

    def cannot_stop(self) -> tuple[str, ...]:
        return (
            "see which files and processes exist, but not read them",
            "list the course's folders while it is compiled",
            "fill the disk while it is compiled, up to the size limit for each file",
            *Namespaces().cannot_stop(),
        )

    def command(
        self, argv: Sequence[str], view: View, cwd: Path, env: dict[str, str], processes: int
    ) -> AbstractContextManager[SandboxedCommand]:
        return confined.command(argv, view, cwd, env, processes, self.other_user)


class SameUser(OtherUser):
    """Tier 3: Landlock, seccomp and limits, as the user who grades. For one's own code: what the
    kernel allows a user to do to their own processes, it allows a submission."""

    number = 3
    name = "Landlock, same user"
    strangers = False
    other_user = False

    def missing(self) -> str | None:
        if os.geteuid() == 0:
            return "root would keep its rights in it"
        return _missing_landlock()

    def cannot_stop(self) -> tuple[str, ...]:
        return (
            *landlock.unhandled(landlock.abi()),
            "change the priority of the other processes of its user",
            "outlive a grader that is killed, if it erases its own environment",
            *super().cannot_stop(),
        )


# Where no tier works, in words as those of cannot_stop().
UNCONFINED = "end every process of its user, the grader too, with kill(-1, SIGKILL)"
ALL: tuple[Tier, ...] = (Namespaces(), OtherUser(), SameUser())


@cache
def _bubblewrap_version() -> str:
    argv = ["bwrap", "--version"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "bubblewrap"
    return done.stdout.strip()


def _missing_anywhere() -> str | None:
    if paths.ROOT.is_relative_to("/usr"):
        return f"the course is in {paths.ROOT}, and every sandbox can read /usr"
    if seccomp.program() is None:
        return f"there is no seccomp filter for a {os.uname().machine}"
    return None


def _missing_landlock() -> str | None:
    if landlock.abi() == 0:
        return "the kernel has no Landlock, or it is switched off"
    return _missing_anywhere()
