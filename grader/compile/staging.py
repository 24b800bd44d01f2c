"""Folders in which submitted files are built, one for each content.

What is graded is what was read, a path with odd characters never reaches make, and an unchanged
file is not built again. Of a lab the last few are kept, and all that a grader still runs.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO

KEPT = 12  # in one place; older ones are removed. A submission may have several
IN_USE = ".in-use"  # in a folder, locked by the graders that run what is built there
LOCK = ".make.lock"  # in a folder, locked by the one whose make is at work there
# There while make is at work: what a killed make left half-written would else count as made.
UNFINISHED = ".unfinished"

_used: dict[Path, int] = {}  # the folders that this process uses, each with its locked file


def stage(home: Path, kind: str, contents: Mapping[str, bytes]) -> Path:
    """Copies files to home/<key>/src. `kind` is what else makes two builds differ; the same files
    of the same kind give the same folder. Nobody removes it before release(). Raises OSError."""
    mixed = hashlib.sha256(kind.encode())
    for name, content in sorted(contents.items()):
        mixed.update(f"{name}\0{len(content)}\0".encode() + content)
    out = home / mixed.hexdigest()[:12]
    source = out / "src"
    source.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        target = source / name
        if not target.exists() or target.read_bytes() != content:
            target.write_bytes(content)
    os.utime(out)
    _use(out)
    folders = sorted((d for d in home.iterdir() if d.is_dir()), key=lambda d: d.stat().st_mtime)
    for old in folders[:-KEPT]:
        _remove_unused(old)
    return out


def release() -> None:
    """The folders that this process has used may be removed now."""
    while _used:
        os.close(_used.popitem()[1])


def lock(folder: Path) -> IO[str]:
    """A file that is locked until it is closed. Raises OSError."""
    file = (folder / LOCK).open("w")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def begin(out: Path) -> None:
    """Before make, by who holds the lock. What an earlier make may not have finished goes."""
    if (out / UNFINISHED).exists():
        for left in out.iterdir():
            if left.name in ("src", IN_USE, LOCK):
                continue
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left)
            else:
                left.unlink()
    (out / UNFINISHED).touch()


def finish(out: Path) -> None:
    """After make, if it came to its own end."""
    (out / UNFINISHED).unlink(missing_ok=True)


def _use(out: Path) -> None:
    if out not in _used:
        _used[out] = os.open(out / IN_USE, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
        fcntl.flock(_used[out], fcntl.LOCK_SH)


def _remove_unused(out: Path) -> None:
    with contextlib.suppress(OSError), (out / IN_USE).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(out)
