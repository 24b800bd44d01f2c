"""Kills the processes that a killed grader leaves behind.

A command that the grader starts asks the kernel to be killed with it (PR_SET_PDEATHSIG). That is
not enough: the process that bubblewrap clones asks some milliseconds after it was started, and a
program that detached itself outside a sandbox never asks. So a grader that starts a command also
starts a watchdog, a shell in another session. The watchdog waits on a pipe until the grader
ends. Unless the grader said goodbye, it then kills every process that was started with the grader's
mark in its environment.
"""

from __future__ import annotations

import atexit
import os
import secrets
import subprocess
from contextlib import suppress
from functools import cache

VARIABLE = "CONVLABS_GRADER"  # its value is the mark

# $1 is VARIABLE=mark. Ends when two scans in a row find nothing: during the first, a process that
# was not listed yet may have started another. Gives up after 5 seconds.
_SCRIPT = r"""
read -r done && exit
clean=0 scans=0
while [ $clean -lt 2 ] && [ $scans -lt 100 ]; do
  clean=$((clean + 1)) scans=$((scans + 1))
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
    """Starts the watchdog, once a process. Returns the mark and the watchdog's process id."""
    mark = f"{os.getpid()}-{secrets.token_hex(8)}"
    watchdog = subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT, "watchdog", f"{VARIABLE}={mark}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.defpath, "LC_ALL": "C"},
        start_new_session=True,
    )
    atexit.register(_dismiss, watchdog)
    return mark, watchdog.pid


def mark() -> dict[str, str]:
    """What the environment of a command must contain for the watchdog to find it."""
    return {VARIABLE: _start()[0]}


def pid() -> int:
    """The watchdog's process id: a child of the grader that must not be killed as an orphan."""
    return _start()[1]


def _dismiss(watchdog: subprocess.Popen[bytes]) -> None:
    """Says goodbye: the grader ends, and has itself killed everything it started."""
    with suppress(OSError):  # the watchdog was killed
        watchdog.communicate(b"done\n")
