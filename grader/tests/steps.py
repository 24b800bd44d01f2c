"""python3 grader/tests/steps.py NAME STEP...: runs `make STEP` for each, and says what came of it.

A step that fails does not end the run: with `--stop` it does. One Ctrl-C, or SIGTERM, ends the step
that runs, which prints what failed so far; then the steps that did not run are named. The exit
status is 1 if a step failed or did not run.
"""

import signal
import subprocess
import sys
import time
from types import FrameType


class Steps:
    """stopped: whether a signal asked for the end."""

    def __init__(self) -> None:
        self.stopped = False
        self.running: subprocess.Popen[bytes] | None = None

    def stop(self, number: int, _frame: FrameType | None) -> None:
        """A terminal gives SIGINT to the step as well; SIGTERM may come to this process alone."""
        self.stopped = True
        if number == signal.SIGTERM and self.running:
            self.running.terminate()

    def passes(self, step: str) -> bool:
        self.running = subprocess.Popen(["make", step])
        return self.running.wait() == 0


def main(name: str, stop_at_first: bool, steps: list[str]) -> int:
    """NAME: what to call the run."""
    run, failed, left = Steps(), list[str](), steps
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, run.stop)
    while left and not run.stopped and not (failed and stop_at_first):
        step, *left = left
        place, began = f"[{len(steps) - len(left)}/{len(steps)}] {step}", time.monotonic()
        print(place, flush=True)
        if run.passes(step):
            print(f"{place} passed in {time.monotonic() - began:.0f} s", flush=True)
        else:
            failed.append(step)
    for said, found in (("failed", failed), ("not run", left)):
        for step in found:
            print(f"{name}: {said}: {step} (`make {step}` runs it alone)", file=sys.stderr)
    return int(bool(failed or left))


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--stop"]
    sys.exit(main(words[0], "--stop" in sys.argv, words[1:]))
