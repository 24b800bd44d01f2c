"""Runs ./grade and measures it: seconds, memory, how busy the cores were; kills it if asked to."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
CORES = len(os.sched_getaffinity(0))
TICK = 0.25  # seconds between two looks at the memory


@dataclass
class Ran:
    """A finished or killed command. processor: CPU seconds of it and of all that it started.
    memory: the most bytes of it and of any one of its workers; at_half: the same, in the first half
    of the time; together: of it and all workers at once. busy: the share of all cores that worked,
    for this command or for others."""

    status: int
    wall: float
    processor: float
    memory: int = 0
    at_half: int = 0
    together: int = 0
    busy: float = 0.0

    @property
    def own(self) -> float:
        """The share of all cores that worked for this command."""
        return self.processor / self.wall / CORES


def execute(
    argv: list[str], kill_after: float | None = None, tick: Callable[[], None] = lambda: None
) -> Ran:
    """Runs a command to its end, or kills it with SIGKILL after so many seconds. tick: is called
    a few times a second. A killed command's CPU time lacks that of its workers."""
    start, before = time.monotonic(), _cores()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    own = worker = together = 0
    peaks = [(0.0, 0)]
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            break
        mine, *workers = _held(process.pid)
        own, worker = max(own, mine), max(worker, *workers, 0)
        together = max(together, mine + sum(workers))
        peaks.append((time.monotonic() - start, own + worker))
        left = kill_after - (time.monotonic() - start) if kill_after is not None else TICK
        if left <= 0:
            os.kill(process.pid, signal.SIGKILL)  # send_signal() would wait for it, without usage
        tick()
        time.sleep(max(0.01, min(TICK, left)))
    wall, after = time.monotonic() - start, _cores()
    idle, every = after[0] - before[0], after[1] - before[1]
    busy = 1 - idle / every if every else 0.0
    processor = used.ru_utime + used.ru_stime
    at_half = max(most for moment, most in peaks if moment <= wall / 2)
    return Ran(process.returncode, wall, processor, own + worker, at_half, together, busy)


def _held(pid: int) -> list[int]:
    """Bytes of memory of a process and of each of its workers, without the programs that these
    started."""
    below: list[str] = []
    with contextlib.suppress(OSError):
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [_resident(one) for one in [str(pid), *below]]


def _resident(pid: str) -> int:
    with contextlib.suppress(OSError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    return 0


def _cores() -> tuple[int, int]:
    """Ticks of all cores that were idle, and all ticks, since the machine started."""
    ticks = [int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)
