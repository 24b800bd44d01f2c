"""The state that an attack must not change, compared before and after each one.

Other programs work in the same copy and on the same machine at the same time, so of folders that
all share, such as /tmp, only what bears the attacks' mark is looked at.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path

from grader import paths
from grader.compile import staging
from grader.sandbox import cleanup_after_kill
from grader.tests.attacks.material import Target

MARK = "pwned"  # in the names of all files that attacks try to make
SHARED = (Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"), Path.home(), Path.cwd())
# Of build/: what no grading of a submission changes. Tests that grade a student's own file note it
# in build/progress meanwhile.
REPOSITORY = paths.ROOT
SETTLED = ("lib", "progress")
ENDINGS = ("json", "last", "log", "log.head")
NOTED = frozenset({".lock", *(f"lab{n}.{end}" for n in range(1, 10) for end in ENDINGS)})
PASSED_OVER = frozenset({"build", ".git", "__pycache__", ".mypy_cache", ".ruff_cache",
                         ".pytest_cache", ".hypothesis", ".import_linter_cache"})  # fmt: skip
Stamp = tuple[int, int, int, int]  # mode, size, time of the last change, inode


@dataclass(frozen=True)
class HostState:
    """The machine as the grader's process sees it."""

    attacked: dict[str, tuple[Stamp, bytes]]  # the folder outside the sandbox, with contents
    repository: dict[str, Stamp]
    built: dict[str, Stamp]
    startup: dict[str, Stamp]  # files that Python runs when it starts
    marked: frozenset[str]  # files in shared folders
    processes: frozenset[int]  # below this one
    descriptors: frozenset[str]
    environment: dict[str, str]
    modules: tuple[str, ...]  # sys.path
    folder: str
    umask: int
    handlers: tuple[object, ...]


def look(place: Target) -> HostState:
    """The state now. What other tests have left to be collected is closed first."""
    gc.collect()
    staging.release()
    umask = os.umask(0)
    os.umask(umask)
    packages = paths.BUILD / "venv" / "lib"
    return HostState(
        attacked={p: (s, _content(p)) for p, s in _below(place.folder)},
        repository=dict(_below(REPOSITORY)),
        built={
            p: s
            for name in SETTLED
            for p, s in _below(paths.BUILD / name)
            if name == "lib" or os.path.basename(p) not in NOTED
        },
        startup={
            str(p): _stamp(p)
            for pattern in ("*.pth", "sitecustomize.py", "usercustomize.py")
            for p in packages.glob(f"python*/site-packages/{pattern}")
        },
        marked=frozenset(
            str(p)
            for folder in SHARED
            if folder.is_dir()
            for p in folder.iterdir()
            if MARK in p.name
        ),
        processes=frozenset(_descendants(os.getpid())) - {cleanup_after_kill.pid()},
        descriptors=frozenset(_descriptors()),
        environment=dict(os.environ),
        modules=tuple(sys.path),
        folder=str(Path.cwd()),
        umask=umask,
        handlers=tuple(
            signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
        ),
    )


def changes(before: HostState, after: HostState) -> list[str]:
    """What an attack changed, in words; [] for nothing."""
    problems = []
    for field in fields(HostState):
        old, new = getattr(before, field.name), getattr(after, field.name)
        if old == new:
            continue
        if isinstance(old, dict):
            keys = {k for k in old.keys() | new.keys() if old.get(k) != new.get(k)}
        elif isinstance(old, frozenset):
            keys = old ^ new
        else:
            keys = {f"{old} -> {new}"}
        problems.append(f"{field.name}: {', '.join(sorted(map(str, keys))[:3])}")
    return problems


def _below(folder: Path) -> Iterator[tuple[str, Stamp]]:
    """Every file below a folder, with what shows that it was changed. Follows no link."""
    for here, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if f not in PASSED_OVER]
        for name in files:
            path = os.path.join(here, name)
            try:
                yield path, _stamp(Path(path))
            except FileNotFoundError:  # an editor's or another test's temporary file
                continue


def _stamp(path: Path) -> Stamp:
    info = path.lstat()
    return info.st_mode, info.st_size, info.st_mtime_ns, info.st_ino


def _content(path: str) -> bytes:
    return Path(path).read_bytes() if os.path.isfile(path) and not os.path.islink(path) else b""


def _descriptors() -> Iterator[str]:
    """What this process has open. The descriptor that lists the folder is closed by then."""
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            yield f"{number} {os.readlink(f'/proc/self/fd/{number}')}"


def _descendants(pid: int) -> Iterator[int]:
    """The processes below one, also those of its other threads."""
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = file.read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            yield child
            yield from _descendants(child)
