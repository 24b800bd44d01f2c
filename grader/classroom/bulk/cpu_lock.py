"""Who may use the processors: many workers that build and check, or one that measures times.

There are two files to lock. A worker that builds or checks holds `room` shared; one that measures
holds it exclusively. To enter, a worker has to pass `door` first. The one that waits for exclusive
use keeps `door` locked, so that it does not wait forever while others come and go. The kernel
releases the locks of a worker that dies.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class CpuLock:
    """A worker's handle of the lock whose files lie in `folder`."""

    def __init__(self, folder: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._door = os.open(folder / "door", flags, 0o600)
        self._room = os.open(folder / "room", flags, 0o600)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Use of the processors together with other workers."""
        self._enter()
        try:
            yield
        finally:
            fcntl.flock(self._room, fcntl.LOCK_UN)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Within shared(): gives the shared use up, waits until all others have too, and takes it
        again in the end."""
        fcntl.flock(self._room, fcntl.LOCK_UN)
        fcntl.flock(self._door, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._room, fcntl.LOCK_EX)
            yield
        finally:
            fcntl.flock(self._room, fcntl.LOCK_UN)
            fcntl.flock(self._door, fcntl.LOCK_UN)
            self._enter()

    def _enter(self) -> None:
        fcntl.flock(self._door, fcntl.LOCK_EX)
        fcntl.flock(self._room, fcntl.LOCK_SH)
        fcntl.flock(self._door, fcntl.LOCK_UN)
