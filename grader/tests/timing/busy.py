"""Does a busy machine change a grade?  `make busy N=20`, about 15 N minutes on 2 cores.

Grades every lab's solution once on the machine as it is, then N times while LOOPS busy loops run,
each time built anew; once without speed and, where something is timed here, once with it. Prints
for each lab how many checks had the same verdict as before, how many were not decided, and which
ones changed; exits 1 where one changed, because that would be a grade that the machine decides.
The table in busy.md is its output.
"""

import argparse
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from grader import paths
from grader.execute import backend
from grader.grading import pipeline
from grader.model import outline, spec
from grader.model import submission as submissions
from grader.model.result import Check, Result
from grader.session.observer import Observer
from grader.session.plan import plan_for

UNDECIDED = ("uncertain", "error")  # verdicts that cost no points
HOME = paths.BUILD / "tests" / "busy"


def graded(lab_id: str, timed: bool) -> Result:
    """The grade of a lab's solution, built anew. To be called in another process than the one that
    started the loops: the launcher kills all orphans of the process that uses it."""
    lab = spec.load(lab_id)
    submission = replace(submissions.find(lab, "solutions"), home=HOME / str(os.getpid()))
    plan = plan_for(lab, backend.choose(lab, lab.backends[0]), timed=timed)
    try:
        return pipeline.grade(plan, submission, Observer())
    finally:
        shutil.rmtree(HOME, ignore_errors=True)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Each in a session of its own: Linux may share the cores out among sessions."""
    command = ["sh", "-c", "while :; do :; done"]
    loops = [subprocess.Popen(command, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@dataclass
class Tally:
    """What became of the checks of one lab, in all rounds."""

    before: Result
    kinds: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    seconds: float = 0

    def add(self, after: Result, seconds: float) -> None:
        """Compares a grade under load. A check that was not decided without load, or that needs
        one which is not decided, proves nothing."""
        self.seconds += seconds
        open_names = {c.name for c in after.checks if c.verdict in UNDECIDED}
        before = {c.id: c for c in self.before.checks}
        for new in after.checks:
            old = before[new.id]
            if outcome(old) == outcome(new):
                self.kinds["same"] += 1
            elif new.verdict in UNDECIDED or new.needs in open_names or not new.max_points:
                self.kinds["undecided"] += 1
                print(f"  {new.part} {new.name}: {new.verdict}, {new.message[:1]}", file=sys.stderr)
            elif old.verdict in UNDECIDED:
                self.kinds["decided only now"] += 1
            else:
                self.kinds["changed"] += 1
                points = f"{old.points:g} became {new.points:g}"
                self.changed[f"{new.part} {new.name}: {points}, {new.message[:1]}"] += 1


def outcome(check: Check) -> tuple[str, float]:
    return check.verdict, check.points


def main(rounds: int, loops: int, labs: list[str]) -> int:
    runs = [(lab, False) for lab in labs] + [(lab, True) for lab in labs if is_timed(lab)]
    tallies: dict[tuple[str, bool], Tally] = {}
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as grader:
        for run in runs:
            tallies[run] = Tally(grader.submit(graded, *run).result())
        try:
            with busy_loops(loops):
                for number in range(1, rounds + 1):
                    for run in runs:
                        began = time.monotonic()
                        result = grader.submit(graded, *run).result()
                        tallies[run].add(result, time.monotonic() - began)
                        print(f"round {number}: {run}, {dict(tallies[run].kinds)}", file=sys.stderr)
        except KeyboardInterrupt:
            print("interrupted: what was graded counts", file=sys.stderr)
    print(f"{rounds} rounds, {loops} busy loops on {len(os.sched_getaffinity(0))} cores\n")
    columns = ("same", "undecided", "decided only now", "changed")
    print(f"| lab | speed | grade without load | {' | '.join(columns)} | seconds |")
    print("|---" * (len(columns) + 4) + "|")
    for (lab, with_speed), tally in tallies.items():
        counts = " | ".join(str(tally.kinds[column]) for column in columns)
        marks = tally.before.score
        grade = f"{marks.earned:g}/{marks.measured:g}"
        speed = "yes" if with_speed else "no"
        print(f"| {lab} | {speed} | {grade} | {counts} | {tally.seconds:.0f} |")
    for tally in tallies.values():
        for line, count in tally.changed.items():
            print(f"{tally.before.lab} changed {count} times: {line}")
    return int(any(tally.kinds["changed"] for tally in tallies.values()))


def is_timed(lab_id: str) -> bool:
    """Whether a function of the lab is timed on a CPU: one in C."""
    lab = spec.load(lab_id)
    return any(lab.file_of(speed).endswith(".c") for speed in lab.speed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rounds", type=int)
    parser.add_argument("--loops", type=int, default=16)
    parser.add_argument("labs", nargs="*", default=list(outline.available()))
    options = parser.parse_intermixed_args()
    sys.exit(main(options.rounds, options.loops, options.labs))
