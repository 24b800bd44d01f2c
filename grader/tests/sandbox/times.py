"""`make sandbox-times`: what a sandbox costs, and how long a program outlives its limit.

A command, not a test: on a busy machine the figures grow. Prints two tables, for the tiers that
this machine has for the user who runs it, and for tier 3 in a copy of the course if root does.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pytest

from grader import paths
from grader.sandbox import choice, launcher
from grader.sandbox.choice import Probed
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
from grader.tests import captured
from grader.tests.sandbox import dying
from grader.tests.sandbox.tier import available, course_of_a_user

LAUNCHES = 60


def start_times(tier: int | None) -> list[float]:
    """Milliseconds of launches of /bin/true, which end with it; None: without a sandbox."""
    if tier is not None:
        choice.require(Probed(tier, 0, ""))
    view = None if tier is None else View()
    times = []
    for _ in range(LAUNCHES + 1):
        begun = time.perf_counter()
        done = launcher.launch(["/bin/true"], Limits(5), Path("/tmp"), view=view)
        times.append(1000 * (time.perf_counter() - begun))
        assert done.status == 0
    return times[1:]  # the first one also starts the watchdog


def measure(tier: int | None) -> tuple[list[float], dict[str, list[float | None]]]:
    """The start times of a tier, and how long programs outlive their limit and their grader."""
    begun = start_times(tier)
    return begun, {} if tier is None else {k: list(v) for k, v in dying.measured(tier).items()}


def _in_a_process(
    prefix: list[str], tier: str, environment: dict[str, str], cwd: Path
) -> tuple[list[float], dict[str, list[float | None]]]:
    argv = [*prefix, "-m", "grader.tests.sandbox.times", tier]
    done = captured.run(argv, env=environment, cwd=cwd)
    if done.returncode != 0:
        sys.exit(f"tier {tier} cannot be measured: {done.stderr.strip()[-500:]}")
    starts, deaths = json.loads(done.stdout)
    return starts, deaths


def main() -> None:
    measured = {}
    for tier in ("none", *map(str, available())):
        environment = dict(os.environ)
        measured[tier] = _in_a_process([sys.executable], tier, environment, paths.ROOT)
    if os.geteuid() == 0:
        with tempfile.TemporaryDirectory() as home:
            Path(home).chmod(0o755)
            try:
                with course_of_a_user(Path(home) / "course") as (python, environment):
                    measured["3"] = _in_a_process(python, "3", environment, Path(home))
            except pytest.skip.Exception as why:
                print(f"tier 3 is left out: {why}")
    print(f"ms of {LAUNCHES} launches of /bin/true; load average {os.getloadavg()[0]:.1f}\n")
    print("| tier | median | 90 % | longest | more than without |\n|---|---|---|---|---|")
    base = statistics.median(measured["none"][0])
    for tier, (starts, _) in measured.items():
        ninety = statistics.quantiles(starts, n=10)[-1]
        median = statistics.median(starts)
        print(f"| {tier} | {median:.1f} | {ninety:.1f} | {max(starts):.1f} | {median - base:.1f} |")
    tiers = [tier for tier in measured if tier != "none"]
    print("\nms from the limit, and from SIGKILL for the grader, until no process is left\n")
    print(f"| program | {' | '.join(f'tier {tier}: limit | grader' for tier in tiers)} |")
    print("|---" * (1 + 2 * len(tiers)) + "|")
    for name in dying.NAMES:
        cells = [_ms(s) for tier in tiers for s in measured[tier][1][name]]
        print(f"| {name} | {' | '.join(cells)} |")


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.0f}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(None if sys.argv[1] == "none" else int(sys.argv[1]))))
    else:
        main()
