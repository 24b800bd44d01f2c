"""The folders in which submitted files are built: build/<lab>/<key>, one for each content.

The files are copied there after they were read, so that the grader builds exactly what it has read,
a path with odd characters never reaches make, and an unchanged file is not built again. The last
few folders of a lab are kept, and all that a running grader uses.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from grader import files

KEPT = 36  # folders of a lab; a submission has several: its two programs, nvcc, speed
# Files in such a folder:
IN_USE = ".in-use"  # locked by each grader that runs what is built there
LOCK = ".make.lock"  # locked by the grader that runs make there
UNFINISHED = ".unfinished"  # exists while make runs: a killed make may leave incomplete files

_used: dict[Path, int] = {}  # folder that this process uses: descriptor of its IN_USE file


def stage(home: Path, kind: str, contents: Mapping[str, bytes], kept: int = KEPT) -> Path:
    """Copies files to home/<key>/src and returns home/<key>. The key depends on the files and on
    `kind`, which names everything else in which two builds may differ. No grader removes the folder
    before release(); it is one of the `kept` that stay. Raises OSError."""
    key = hashlib.sha256(kind.encode())
    for name, content in sorted(contents.items()):
        key.update(f"{name}\0{len(content)}\0".encode() + content)
    out = home / key.hexdigest()[:12]
    _use(out)
    source = out / "src"
    source.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        target = source / name
        if not target.exists() or target.read_bytes() != content:
            files.replace(target, content, sync=False)  # another grader may read it
    os.utime(out)
    for old in sorted((d for d in home.iterdir() if d.is_dir()), key=_last_use)[:-kept]:
        _remove_unused(old)
    return out


def release() -> None:
    """Lets any grader remove the folders that this process has used."""
    while _used:
        os.close(_used.popitem()[1])


def lock(folder: Path) -> IO[str]:
    """Waits for the right to run make in a folder. Returns a file: to close it gives the right up.
    Raises OSError."""
    file = (folder / LOCK).open("w")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def begin(out: Path) -> None:
    """To be called before make, while the lock is held. Removes what an earlier make did not
    finish."""
    discard(out)
    (out / UNFINISHED).touch()


def discard(out: Path) -> None:
    """Removes what make was making when it was killed, if it was."""
    if (out / UNFINISHED).exists():
        for product in out.iterdir():
            if product.name in ("src", IN_USE, LOCK, UNFINISHED):
                continue
            if product.is_dir() and not product.is_symlink():
                shutil.rmtree(product)
            else:
                product.unlink()
        finish(out)


@contextlib.contextmanager
def building(out: Path) -> Iterator[None]:
    """Around make, while the lock is held: nothing stays of a make that an exception ended, such as
    Ctrl-C."""
    begin(out)
    try:
        yield
    except BaseException:
        discard(out)
        raise


def finish(out: Path) -> None:
    """To be called after make, unless make was killed."""
    (out / UNFINISHED).unlink(missing_ok=True)


def _use(out: Path) -> None:
    """Makes the folder, if need be, and keeps other graders from removing it."""
    while out not in _used:
        out.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            out.mkdir()
        with contextlib.suppress(FileNotFoundError):  # it has been removed: make it again
            lock = os.open(out / IN_USE, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
            fcntl.flock(lock, fcntl.LOCK_SH)
            if _is_at(lock, out / IN_USE):
                _used[out] = lock
            else:
                os.close(lock)


def _is_at(descriptor: int, path: Path) -> bool:
    """Is the open file still the one at the path?"""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def _last_use(out: Path) -> float:
    try:
        return out.stat().st_mtime
    except FileNotFoundError:  # another grader has removed it
        return 0


def _remove_unused(out: Path) -> None:
    """Removes the folder unless it is in use. It gets another name first: a grader that stages the
    same files meanwhile makes its own."""
    with contextlib.suppress(OSError), (out / IN_USE).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(lock.fileno(), out / IN_USE):
            shutil.rmtree(out.rename(out.with_name(f"{out.name}.{os.getpid()}")))
