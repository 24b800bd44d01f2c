"""How long programs that resist being ended outlive their limit, and the grader that started them.

    python -m grader.tests.sandbox.dying TIER    measures here, as JSON

`make sandbox-times` prints it as a table.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from grader import paths
from grader.sandbox import choice, launcher
from grader.sandbox.choice import Probed
from grader.sandbox.limits import Limits
from grader.sandbox.view import View

SOURCE = Path(__file__).with_name("resisters.c")
NAMES = (
    *("sleeps", "spins", "ignores-signals", "blocks-signals", "stops-itself", "becomes-daemon"),
    *("leaves-daemon", "new-session", "children-of-children", "fork-bomb", "endless-fork-bomb"),
    *("runs-away", "thread-bomb", "forgets-its-mark", "traced", "waits-for-itself"),
)
LIMIT = 0.5  # seconds of processor time, or of waiting
LONGEST = 20.0  # seconds after which a program counts as immortal
ENDS_ITSELF = {"leaves-daemon", "runs-away"}  # so that its grader ends it long before it is killed
# What tier 3 says that it cannot stop.
IMMORTAL = {3: {"forgets-its-mark"}}
GRADER = """
import sys
from pathlib import Path
from grader.sandbox import choice
from grader.sandbox.launcher import launch
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
choice.require(choice.Probed(int(sys.argv[3]), 0, ""))
program = Path(sys.argv[1])
launch([str(program), sys.argv[2]], Limits(60, waiting=60), Path("/tmp"), view=View((program,)))
"""


def compiled(folder: Path) -> Path:
    """The program with all resisters, which every user can start."""
    program = folder / f"resisters-{os.getpid()}"
    argv = ["gcc", "-std=gnu11", "-O1", "-pthread", str(SOURCE), "-o", str(program)]
    subprocess.run(argv, check=True)
    program.chmod(0o755)
    return program


def alive(program: Path) -> list[int]:
    """The processes that run this program; a zombie runs nothing."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if os.fsencode(program) in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def until(true: Callable[[], bool]) -> float:
    """Seconds until something is so; LONGEST if it never is."""
    start = time.monotonic()
    while not true():
        if time.monotonic() - start > LONGEST:
            return LONGEST
        time.sleep(0.005)
    return time.monotonic() - start


def after_its_limit(program: Path, name: str) -> float:
    """Seconds from the moment at which the launcher sees that a program has reached its limit, or
    has ended, until none of its processes is left. The launcher looks every 50 ms."""
    kill = launcher.Running.kill
    begun: list[float] = []

    def timed(running: launcher.Running, grace: float) -> None:
        begun.append(time.monotonic())
        kill(running, grace)

    limits = Limits(LIMIT, waiting=LIMIT)
    with mock.patch.object(launcher.Running, "kill", timed):
        launcher.launch([str(program), name], limits, Path("/tmp"), view=View((program,)))
    until(lambda: not alive(program))
    return time.monotonic() - begun[0]


def after_its_grader(program: Path, name: str, tier: int) -> float:
    """Seconds from SIGKILL for the grader until none of the program's processes is left."""
    argv = [sys.executable, "-c", GRADER, str(program), name, str(tier)]
    with subprocess.Popen(argv, cwd=paths.ROOT, stderr=subprocess.DEVNULL) as grader:
        started = until(lambda: bool([p for p in alive(program) if p != grader.pid]))
        assert started < LONGEST, f"{name} did not start"
        time.sleep(LIMIT)
        os.kill(grader.pid, signal.SIGKILL)
        begun = time.monotonic()
    until(lambda: not alive(program))
    return time.monotonic() - begun


def measured(tier: int) -> dict[str, tuple[float, float | None]]:
    """For each resister the seconds after its limit, and after its grader was killed; None: the
    program ends before, or the tier says that it cannot stop it."""
    choice.require(Probed(tier, 0, ""))
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        folder.chmod(0o755)
        program = compiled(folder)
        seconds: dict[str, tuple[float, float | None]] = {}
        for name in NAMES:
            left_out = name in ENDS_ITSELF | IMMORTAL.get(tier, set())
            killed = None if left_out else after_its_grader(program, name, tier)
            seconds[name] = (after_its_limit(program, name), killed)
        for pid in alive(program):  # only where a test fails
            os.kill(pid, signal.SIGKILL)
        return seconds


if __name__ == "__main__":
    print(json.dumps(measured(int(sys.argv[1]))))
