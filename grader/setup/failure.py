"""Why a set-up could not go on, in words: the cause, and what to do."""

import os
import re
import sys
from dataclasses import dataclass

AGAIN = "run the same command again"
OFFLINE = "no network"


class SetupError(Exception):
    """Why the set-up cannot go on. `advice`: what to do; `output`: the command's that failed."""

    def __init__(self, message: str, advice: str, output: str = "") -> None:
        super().__init__(message)
        self.advice = advice
        self.output = output


@dataclass(frozen=True)
class Cause:
    """A known cause of a failure, and what to do about it."""

    text: str
    advice: str

    def is_network(self) -> bool:
        return self.text.startswith(OFFLINE)


_NAMES = Cause(f"{OFFLINE} (names cannot be resolved)", f"connect to a network and {AGAIN}")
_CONNECTION = Cause(f"{OFFLINE} (no connection)", f"connect to a network and {AGAIN}")
_SILENCE = Cause(f"{OFFLINE}, or the server does not answer", f"connect to a network and {AGAIN}")

# What the output of apt-get, pip or venv contains, in lower case; the first that fits is the cause.
CAUSES: dict[str, Cause] = {
    "no space left": Cause("the disk is full", f"free some space and {AGAIN}"),
    "read-only file system": Cause(
        "the file system is read-only", f"copy the folder to one that is not and {AGAIN}"
    ),
    "do not match the hashes": Cause(
        "a downloaded package does not match the lock file",
        f"{AGAIN}; if it fails again, do not trust the package server",
    ),
    "could not get lock": Cause("another program is installing packages", f"wait and {AGAIN}"),
    "permission denied": Cause(
        "permission denied", f"give yourself write access to this folder and {AGAIN}"
    ),
    "name resolution": _NAMES,
    "name or service not known": _NAMES,
    "nodename nor servname": _NAMES,
    "could not resolve": _NAMES,
    "failure resolving": _NAMES,
    "certificate verify failed": Cause(
        "this machine does not trust the server's certificate",
        f"set PIP_CERT to the right certificates, or correct the clock, and {AGAIN}",
    ),
    "network is unreachable": _CONNECTION,
    "connection refused": _CONNECTION,
    "failed to establish a new connection": _CONNECTION,
    "newconnectionerror": _CONNECTION,
    "timed out": _SILENCE,
    "connection broken": _SILENCE,
    "failed to fetch": _SILENCE,
    "no matching distribution": Cause(
        f"there is no ready-made package for Python {sys.version_info.major}."
        f"{sys.version_info.minor} on {os.uname().machine}",
        f"use Python 3.11 to 3.13 on x86-64 or aarch64 Linux and {AGAIN}",
    ),
}


def cause(output: str) -> Cause:
    """The cause of a failure by a command's output: a known one, else its last error line."""
    lower = output.lower()
    for sign, known in CAUSES.items():
        if sign in lower:
            return known
    return Cause((error_lines(output) or ["no reason was given"])[-1], f"fix that and {AGAIN}")


def error_lines(output: str, count: int = 3) -> list[str]:
    """The last lines of a command's output that report an error or a warning; where there are
    none, the last lines of all."""
    lines = [line.strip()[:320] for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(e|w|error|warning|fatal)\b:?", line.lower())]
    return list(dict.fromkeys(errors or lines))[-count:]
