"""Who may use the processor: many that build and check, or one that is timed.

Two locked files. A worker at work holds `room` shared; one that times holds it alone. Whoever wants
to enter passes `door` first, which the one that waits to be alone keeps shut: so it need not wait
for ever while others come and go. The kernel releases the locks of a worker that dies.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Turns:
    def __init__(self, folder: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._door = os.open(folder / "door", flags, 0o600)
        self._room = os.open(folder / "room", flags, 0o600)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Beside others that are not timed."""
        self._enter()
        try:
            yield
        finally:
            fcntl.flock(self._room, fcntl.LOCK_UN)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Within together(): leaves the others' company, waits until they are out, comes back."""
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
