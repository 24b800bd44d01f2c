"""Kills the processes that a killed grader leaves behind.

A command that the grader starts asks the kernel to be killed with it (PR_SET_PDEATHSIG). That is
not enough: the process that bubblewrap clones asks some milliseconds after it was started, and a
program that detached itself outside a sandbox never asks. So a grader that starts a command also
starts a watchdog, a shell in another session. The watchdog waits on a pipe until the grader
ends. Unless the grader said goodbye, it then kills every process that was started with the grader's
tag in its environment, and every process of the users that only this grader uses (users.py): what
runs as one of them may have erased its environment.
"""

import atexit
import os
import secrets
import subprocess
from contextlib import suppress
from functools import cache

from grader.sandbox import users

VARIABLE = "CONVLABS_GRADER"  # its value is the tag

# $1 is VARIABLE=tag, the others are users. Kills all processes of a user or a group at once, or a
# program that starts one after the other could run away from this loop. The grader is in none of
# these groups: each command has a session of its own. Ends when two scans in a row find
# nothing: during the first, a process that was not listed yet may have started another. Gives up
# after 5 seconds.
_SCRIPT = r"""
read -r done && exit
tag=$1 clean=0 scans=0
shift
while [ $clean -lt 2 ] && [ $scans -lt 100 ]; do
  clean=$((clean + 1)) scans=$((scans + 1))
  for user in "$@"; do
    setpriv --reuid "$user" --regid "$user" --clear-groups sh -c 'kill -9 -1'
  done
  for file in $(
    grep -slzxF -e "$tag" /proc/[0-9]*/environ
    for user in "$@"; do grep -slE "^Uid:[[:space:]]+$user[[:space:]]" /proc/[0-9]*/status; done
  ); do
    pid=${file#/proc/} pid=${pid%/*} stat=
    read -r stat < "/proc/$pid/stat"
    group=${stat##*) } group=${group#* * } group=${group%% *}  # after the name, state and parent
    kill -9 "$pid" ${group:+"-$group"}
    clean=0
  done
  sleep 0.05
done
"""


@cache
def _start() -> tuple[str, subprocess.Popen[bytes]]:
    """Starts the watchdog, once a process. Returns the tag and the watchdog."""
    tag = f"{os.getpid()}-{secrets.token_hex(8)}"
    as_root = os.geteuid() == 0
    watched = [str(user) for user in (users.users() if as_root else ())]
    lock = users.lock() if as_root else None  # until the watchdog ends, too
    watchdog = subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT, "watchdog", f"{VARIABLE}={tag}", *watched],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.defpath, "LC_ALL": "C"},
        start_new_session=True,
        pass_fds=() if lock is None else (lock,),
    )
    atexit.register(dismiss)
    return tag, watchdog


def tag() -> dict[str, str]:
    """What the environment of a command must contain for the watchdog to find it."""
    return {VARIABLE: _start()[0]}


def pid() -> int:
    """The watchdog's process id: a child of the grader that must not be killed as an orphan."""
    return _start()[1].pid


def forget() -> None:
    """In a child of the grader: the watchdog is its parent's, and the child gets one of its own."""
    _start.cache_clear()


def dismiss() -> None:
    """Says goodbye: the grader ends, and has itself killed everything it started."""
    if _start.cache_info().currsize:
        with suppress(OSError):  # the watchdog was killed
            _start()[1].communicate(b"done\n")
