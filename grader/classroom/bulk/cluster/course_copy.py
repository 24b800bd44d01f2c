"""A copy of the course on a node's own disk.

Nodes that share one build/ would remove each other's folders, which carry process ids, and would
use each other's objects, made by another compiler for another processor. So each node builds in a
copy. It stays for the next task, readable to its owner alone unless root grades (whose sandbox has
another user).
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from grader import paths
from grader.model import course_key, outline

VARIABLE = (
    "CONVLABS_NODE_FOLDER"  # where copies lie, instead of the node's folder for temporary files
)
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")


class CopyError(Exception):
    """The course cannot be copied to this node; the message says why."""


def make(labs: list[str]) -> Path:
    """The folder of the copy, which is made where this node has none. Raises CopyError, OSError."""
    home = _home()
    whole = hashlib.sha256(os.fsencode(paths.ROOT))
    for lab in sorted(labs):
        whole.update(repr(sorted(course_key.parts(lab).items())).encode())
        spec = outline.available()[lab]  # with the words, which decide nothing
        for file in (spec, paths.hidden_cases(spec.parent.name)):
            whole.update(file.read_bytes() if file.exists() else b"")
    copy = home / whole.hexdigest()[:32]
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (copy / "build").exists():
            _fill(copy)
    return copy


def _home() -> Path:
    """The folder of all copies of this user. Raises CopyError when it belongs to another user, who
    could have left a changed course there."""
    default = os.environ.get("SLURM_TMPDIR") or tempfile.gettempdir()
    home = Path(os.environ.get(VARIABLE) or default) / f"convlabs-{os.getuid()}"
    home.mkdir(mode=0o755 if os.getuid() == 0 else 0o700, parents=True, exist_ok=True)
    if home.is_symlink() or home.stat().st_uid != os.getuid():
        raise CopyError(f"{home} belongs to another user; set {VARIABLE} to another folder")
    return home


def _fill(copy: Path) -> None:
    """Copies what grading reads. build/ comes last: with it, the copy is complete."""
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for name in (*course_key.TOP, "starter"):
        source = paths.ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, symlinks=True, ignore=LEFT_OUT)
        elif source.exists():
            shutil.copy2(source, copy / name)
    build = copy / "build.new"
    build.mkdir()
    if (paths.BUILD / "datasets").is_dir():
        shutil.copytree(paths.BUILD / "datasets", build / "datasets")
    # Python's packages are only read. The paths in them are relative, so they lead into the copy.
    (build / "venv").symlink_to(paths.BUILD / "venv")
    build.rename(copy / "build")
