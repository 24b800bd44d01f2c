"""NVIDIA's compiler in build/nvcc, from the wheels that NVIDIA publishes on PyPI, under NVIDIA's
licence. It needs neither a GPU nor root. Nothing of it is part of this repository."""

import hashlib
import os
import shutil
from pathlib import Path

from grader.setup import python_packages, stamp
from grader.setup.runner import Runner

LOCK = Path(stamp.ROOT) / "grader" / "setup" / "requirements-nvcc.lock"
HOME = Path(stamp.ROOT) / "build" / "nvcc"
BIN = HOME / "nvidia" / "cu13" / "bin"
LICENCE = "https://docs.nvidia.com/cuda/eula/"
DOWNLOAD, DISK = 128, 325  # MB
COMMAND = "./grade setup --nvcc"
TITLE = (
    f"NVIDIA's compiler nvcc into build/nvcc: about {DOWNLOAD} MB to download, {DISK} MB on disk; "
    f"its licence: {LICENCE}"
)
OFFER = f"{COMMAND} downloads it, without root ({DOWNLOAD} MB, {DISK} MB on disk)"


def ready() -> bool:
    """Whether build/nvcc holds what the lock asks for, for this kind of machine."""
    try:
        return (HOME / "stamp").read_text() == _key() and os.access(BIN / "nvcc", os.X_OK)
    except OSError:
        return False


def _key() -> str:
    return f"{hashlib.sha256(LOCK.read_bytes()).hexdigest()} {os.uname().machine}\n"


def install(runner: Runner) -> None:
    """Puts the compiler into build/nvcc, whole or not at all. Raises SetupError and OSError."""
    part = HOME.with_name("nvcc.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        count = len(list(python_packages.locked(LOCK)))
        more = ("--no-deps", "--target", str(part))
        python_packages.pip_install(LOCK, count, runner, COMMAND, more)
        (part / "stamp").write_text(_key())
        shutil.rmtree(HOME, ignore_errors=True)
        part.rename(HOME)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def add_to_path() -> None:
    """Lets every program find build/nvcc: behind the system's own compiler, or before it where
    CONVLABS_NVCC=own asks for that."""
    if os.access(BIN / "nvcc", os.X_OK):
        path = [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]
        others = [folder for folder in path if folder != str(BIN)]
        first = os.environ.get("CONVLABS_NVCC") == "own"
        os.environ["PATH"] = os.pathsep.join([str(BIN), *others] if first else [*others, str(BIN)])
