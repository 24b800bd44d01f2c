"""Runs `./grade` with the arguments given and writes, to the file named first, the processor
seconds of each command that it started, by stage.

    python -m labs.studies.grade_cost.measured FILE labN --src FOLDER
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, cast

from grader import cli
from grader.sandbox import launcher

MAIN = "grader"  # the grader's own process
# The first whose word is in the command line.
STAGES = {
    "nvcc-report": "compile",
    "run-binary": "compile",
    "checked-binary": "instrument",
    "-given": "compile",
    "speed-binary": "compile",
    "grader.predict.process": "predict",
    "--steps": "drawn calls",
    "/checked ": "counted runs",
    "/raced ": "counted runs",
    "/run ": "cases",
    "/bench ": "timing",
}
PARTS = "parts"  # processes that judge a part each, with the cases and calls that they run


def stage_of(command: str) -> str:
    command = command.rpartition(" -- ")[2]  # without the sandbox, which names /run itself
    return next((stage for word, stage in STAGES.items() if word in command), "other")


class Popen(subprocess.Popen[Any]):
    """Notes what each child used, with all that it waited for, when it is reaped."""

    used: ClassVar[defaultdict[str, float]] = defaultdict(float)
    inside: ClassVar[
        dict[int, str]
    ] = {}  # the stage of each command in a sandbox that was seen running
    last = "other"  # that of the child that was reaped last

    def _internal_poll(self, _deadstate: int | None = None) -> Any:
        return super()._internal_poll(_deadstate, _waitpid=self._wait4)  # type: ignore[misc]

    def _try_wait(self, flags: int) -> tuple[int, int]:
        try:
            return self._wait4(self.pid, flags)
        except ChildProcessError:
            return self.pid, 0

    def _wait4(self, pid: int, flags: int) -> tuple[int, int]:
        """os.waitpid(), with a note of what the child used."""
        stage = stage_of(" ".join(cast(list[str], self.args)) + " ")
        with suppress(OSError):
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                self.inside[int(child)] = stage
        found, status, usage = os.wait4(pid, flags)
        if found:
            Popen.last = stage
            self.used[stage] += usage.ru_utime + usage.ru_stime
        return found, status


def wait_for_orphan(pid: int, flags: int) -> tuple[int, int]:
    """os.waitpid() of what a child left behind, such as the command in a sandbox; or of a process
    that judged a part, with all that it ran."""
    stage = PARTS if launcher.is_spared(pid) else Popen.inside.get(pid, Popen.last)
    found, status, usage = os.wait4(pid, flags)
    Popen.used[stage] += usage.ru_utime + usage.ru_stime
    return found, status


def main() -> None:
    subprocess.Popen = Popen  # type: ignore[misc]
    os.waitpid = wait_for_orphan
    out, sys.argv = Path(sys.argv[1]), ["grade", *sys.argv[2:]]
    try:
        cli.main()
    finally:
        user, system, *_ = os.times()
        Popen.used[MAIN] += user + system  # of its own
        out.write_text(json.dumps(Popen.used))


if __name__ == "__main__":
    main()
