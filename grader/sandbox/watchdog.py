"""Kills what a killed grader leaves behind.

What the grader starts asks the kernel to die with it (PR_SET_PDEATHSIG), but not all of it does so
in time: the process that bubblewrap clones asks some milliseconds after it was made, and a program
that detached itself without walls never does. So a grader that starts a command has a guard, a
shell in a session of its own. It waits on a pipe for the grader's end and, unless that end was an
orderly one, kills every process whose first environment has the grader's mark.
"""

from __future__ import annotations

import atexit
import os
import secrets
import subprocess
from contextlib import suppress
from functools import cache

VARIABLE = "CONVLABS_GRADER"  # holds the mark in the environment of what the grader starts

# $1 is VARIABLE=mark. Ends when two looks in a row find nothing: while the processes of the first
# are listed, one of them may have made another. What cannot be killed is left after 5 seconds.
_SCRIPT = r"""
read -r done && exit
clean=0 looks=0
while [ $clean -lt 2 ] && [ $looks -lt 100 ]; do
  clean=$((clean + 1)) looks=$((looks + 1))
  for file in $(grep -slzxF -e "$1" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    kill -9 "${pid%/environ}"
    clean=0
  done
  sleep 0.05
done
"""


@cache
def _start() -> tuple[str, int]:
    """The mark, and the guard's process id. Once a process, when it first starts a command."""
    mark = f"{os.getpid()}-{secrets.token_hex(8)}"
    guard = subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT, "guard", f"{VARIABLE}={mark}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.defpath, "LC_ALL": "C"},
        start_new_session=True,
    )
    atexit.register(_dismiss, guard)
    return mark, guard.pid


def mark() -> dict[str, str]:
    """What to add to the environment of a command, so that it does not outlive the grader."""
    return {VARIABLE: _start()[0]}


def pid() -> int:
    """The guard: a child of the grader that is not to be killed with the others."""
    return _start()[1]


def _dismiss(guard: subprocess.Popen[bytes]) -> None:
    """The grader ends, and has killed by itself what it started."""
    with suppress(OSError):  # it was killed
        guard.communicate(b"done\n")
