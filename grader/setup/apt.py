"""Installs system packages with apt-get, where this user may."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence

from grader.setup import failure
from grader.setup.failure import SetupError
from grader.setup.runner import Runner
from grader.setup.system_packages import Package

# Gives up within seconds without a network, but waits while another program installs packages.
PATIENCE = (
    *("-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=1"),
    *("-o", "Acquire::http::Timeout=10", "-o", "Acquire::https::Timeout=10"),
)


def title(missing: Sequence[Package]) -> str:
    """The title of the step."""
    return f"system packages, with apt-get: {' '.join(package.name for package in missing)}"


def prefix(missing: Sequence[Package]) -> list[str]:
    """What to put before a command that installs: [] for root, else sudo. Raises SetupError where
    there is no apt-get or this user may not install; its advice is the line to run."""
    names = " ".join(package.name for package in missing)
    if shutil.which("apt-get") is None:
        needed = "; ".join(package.provides for package in missing)
        raise SetupError(
            "system packages are missing and this system has no apt-get",
            f"install these with the system's own package manager: {needed}. Then {failure.AGAIN}",
        )
    if os.geteuid() == 0:
        return []
    if sudo_without_password():
        return ["sudo", "-n"]
    raise SetupError(
        "system packages are missing and this user may not install them",
        "run this, or ask someone who may,\n\n"
        "    sudo apt-get update && sudo apt-get install -y --no-install-recommends "
        f"{names}\n\nthen {failure.AGAIN}",
    )


def sudo_without_password() -> bool:
    """Whether this user may use sudo without being asked for a password."""
    if shutil.which("sudo") is None:
        return False
    try:
        return subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


def install(missing: Sequence[Package], become: Sequence[str], runner: Runner) -> None:
    """Installs the packages. `become` is what prefix() returned. Raises SetupError."""
    names = [package.name for package in missing]
    command = [*become, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"]
    # apt-get refuses to work after an installation that was interrupted; this completes it.
    runner.doing("finishing any interrupted installation")
    runner.run([*command, "dpkg", "--configure", "-a"])
    runner.doing("updating the lists of packages")
    update = runner.run([*command, "apt-get", *PATIENCE, "update"])
    packages = ["install", "-y", "--no-install-recommends", *names]
    output = runner.run([*command, "apt-get", *PATIENCE, *packages], activity)
    if output.status != 0:
        # `apt-get update` exits with 0 even if it reaches no server; its output has the cause.
        text = f"{update.text}\n{output.text}"
        cause = failure.cause(text)
        servers = dict.fromkeys(re.findall(r"(?:resolve|resolving|connect to) '?([\w.-]+\w)", text))
        where = (
            f"could not reach {', '.join(servers)}"
            if servers and cause.is_network()
            else (f"could not install {' '.join(names)}")
        )
        raise SetupError(f"apt-get {where}: {cause.text}", cause.advice, text)
    absent = [package for package in missing if not package.present()]
    if absent:
        raise SetupError(
            "these were installed, but are still not found: "
            + "; ".join(f"{package.provides} ({package.name})" for package in absent),
            "see ./grade doctor for what is found",
        )


def activity(line: str) -> str:
    """What apt-get is doing, by a line of its output."""
    if match := re.match(r"Need to get (\S+ \S+?) of archives", line):
        return f"downloading {match[1]}"
    if match := re.match(r"Get:\d+ \S+ \S+ \S+ (\S+) .*\[(.*)\]$", line):
        return f"downloading {match[1]}, {match[2]}"
    if match := re.match(r"(Unpacking|Setting up) (\S+)", line):
        return f"{match[1].lower()} {match[2]}"
    return ""
