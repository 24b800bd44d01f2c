"""What every sandbox shows of the system: programs, libraries, compilers, and the GPUs' devices."""

import os
import shutil
from functools import cache
from pathlib import Path

from grader import paths

KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_PATH")
ROOT_FOLDERS = ("bin", "sbin", "lib", "lib64", "lib32")  # today often links into /usr
FOR_THE_LINKER = (Path("/etc/ld.so.cache"), Path("/etc/alternatives"))  # all that is shown of /etc
PARTITIONS = Path("/dev/nvidia-caps")  # of a GPU that is split (MIG)


def environment(home: str, added: dict[str, str]) -> dict[str, str]:
    """The whole environment of a command inside. home: where it may write, if anywhere."""
    kept = {k: os.environ[k] for k in KEPT_VARIABLES if k in os.environ}
    return kept | {"HOME": home, "TMPDIR": home, "LC_ALL": "C.UTF-8"} | added


def installations() -> tuple[Path, ...]:
    """What is to be shown of the compilers that are not in /usr."""
    return _installations(os.environ.get("PATH", os.defpath))


@cache
def _installations(_path: str) -> tuple[Path, ...]:
    tools = map(_installation_of, ("gcc", "g++", "make", "nvcc", "nvdisasm"))
    return tuple(sorted({tool for tool in tools if tool is not None}))


def _installation_of(tool: str) -> Path | None:
    """What to show of a tool that is not in /usr: the folder PREFIX of PREFIX/bin/tool, or the tool
    alone where PREFIX may hold private files, as a home folder does. None: nothing to show."""
    command = shutil.which(tool)
    if command is None:
        return None
    file = Path(os.path.realpath(command))
    if file.is_relative_to("/usr") or not file.parent.name:
        return None
    prefix = file.parent.parent
    shared = any(private.is_relative_to(prefix) for private in (Path.home(), paths.ROOT))
    shared = shared or prefix.parent in (Path("/"), Path("/home"))
    return file if shared or file.parent.name != "bin" else prefix


def gpu_devices(minor: int | None) -> list[Path]:
    """The driver's devices: nvidiactl, nvidia-uvm, one for each GPU, or that of one GPU alone, and
    dxg in the Windows Subsystem for Linux. The driver's libraries are in /usr."""
    devices = [*Path("/dev").glob("nvidia*"), Path("/dev/dxg")]
    shown = (node for node in devices if minor is None or not _of_another_gpu(node, minor))
    return sorted(node for node in shown if node.is_char_device())


def _of_another_gpu(node: Path, minor: int) -> bool:
    number = node.name.removeprefix("nvidia")
    return number.isdecimal() and int(number) != minor
