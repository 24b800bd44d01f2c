"""The folders of runs: where a program finds its inputs and leaves its outputs."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader import files, paths
from grader.sandbox import choice


@contextmanager
def workspace() -> Iterator[Path]:
    """A folder for the runs of one grading, removed at the end whatever happens. Its name starts
    with the process id of the grader. Raises OSError."""
    home = paths.BUILD / "run"
    home.mkdir(parents=True, exist_ok=True)
    remove_abandoned(home)
    folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=home))
    folder.chmod(0o711)  # another user inside the sandbox passes through it
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(home: Path) -> None:
    """Removes the folders in `home` whose names start with the id of a process that has ended: a
    killed grader could not remove its own."""
    for folder in home.iterdir():
        pid = folder.name.split("-")[0]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(folder, ignore_errors=True)


def create_outputs(folder: Path, names: tuple[str, ...]) -> tuple[Path, ...]:
    """Creates the empty files that a program will write, and returns their paths. Lets the user
    inside the sandbox write them, and read everything else in `folder`."""
    outputs = tuple(folder / name for name in names)
    for file in outputs:
        file.touch()
    for file in folder.iterdir():
        file.chmod(0o644)  # whatever the umask is: inside the sandbox it is another user
    for file in outputs:
        choice.hand_over(file)
    folder.chmod(0o755)  # mkdtemp() lets only our own user in
    return outputs


def read_output(file: Path, limit: int) -> bytes:
    """What a program that has ended wrote to an output, its first `limit` bytes at most; b"" when
    there is no regular file any more."""
    try:
        return files.read_regular(file, limit, truncate=True)
    except OSError:
        return b""
