"""`make prove-bulk`: grades a generated class of 120, kills the run three times, and measures.

Writes grader/bulk/RESULTS.md: the times, the memory, the core use, and what each attack earned.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from grader import paths
from grader.bulk.intake.student_names import student
from grader.bulk.isolation import probe
from grader.sandbox import bubblewrap
from grader.tests.bulk import classes

RESULTS = paths.ROOT / "grader" / "bulk" / "RESULTS.md"
GRADE = str(paths.ROOT / "grade")
SINGLE = 12  # submissions that are also graded one by one
KILLS = (0.2, 0.5, 0.8)  # the run is killed at these shares of all grades
STOPPED = (
    "timeout",
    "waiting",
    "flood",
    "crashed",
    "no-result",
)  # diagnoses of a program that was ended
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Ran:
    """A finished or killed run of ./grade: seconds, and the most memory of it and its workers."""

    status: int
    wall: float
    processor: float
    memory: int = 0  # bytes
    samples: list[int] = field(default_factory=list)


class Failed(Exception):  # noqa: N818 (it ends the program)
    """A claim does not hold."""


def bulk(submissions: Path, run: Path, lab: str, *options: str) -> list[str]:
    argv = [GRADE, "bulk", str(submissions), "--out", str(run), "--labs", lab]
    return [*argv, "--seconds", "4", "--no-speed", *options]


def execute(argv: list[str], kill_at: tuple[Path, int] | None = None) -> Ran:
    """Runs it to its end; or kills it once this run folder has so many grades."""
    start = time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    samples: list[int] = []
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            break
        samples.append(held(process.pid))
        if kill_at and grades(kill_at[0]) >= kill_at[1]:
            process.send_signal(signal.SIGKILL)
        time.sleep(0.25)
    seconds = used.ru_utime + used.ru_stime
    wall = time.monotonic() - start
    return Ran(process.returncode, wall, seconds, max(samples, default=0), samples)


def held(pid: int) -> int:
    """Bytes of memory of a process and its workers, without the programs that these started."""
    total = 0
    with contextlib.suppress(OSError, ValueError):
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for one in [str(pid), *below]:
            total += int(Path(f"/proc/{one}/statm").read_text().split()[1]) * PAGE
    return total


def grades(run: Path) -> int:
    try:
        with sqlite3.connect(f"file:{run}/.run/store.sqlite?mode=ro", uri=True) as store:
            return int(store.execute("select count(result) from grade").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def require(holds: bool, claim: str) -> None:
    """Raises Failed unless the claim holds."""
    if not holds:
        raise Failed(claim)
    print(f"  holds: {claim}", flush=True)


def whole_and_killed(home: Path, lab: str, count: int) -> tuple[Ran, list[Ran], list[str]]:
    """Grades the class in one go, and again in a run that is killed three times."""
    students = classes.make(home / "in", lab, count, distinct=True)
    whole = execute(bulk(home / "in", home / "whole", lab))
    require(whole.status == 0, f"a class of {count} x {lab} in {whole.wall:.0f} s")
    total = grades(home / "whole")
    killed: list[Ran] = []
    for share in KILLS:
        resume = ["--resume"] if killed else []
        at = (home / "killed", int(share * total))
        killed.append(execute(bulk(home / "in", home / "killed", lab, *resume), at))
        require(killed[-1].status == -signal.SIGKILL, f"killed after {grades(at[0])} of {total}")
    killed.append(execute(bulk(home / "in", home / "killed", lab, "--resume")))
    require(killed[-1].status == 0, "resumed to its end")
    books = [(home / name / "gradebook.csv").read_bytes() for name in ("whole", "killed")]
    require(books[0] == books[1], "the gradebooks are the same, byte for byte")
    again = execute(bulk(home / "in", home / "killed", lab, "--resume"))
    require(grades(home / "killed") == total and again.status == 0, "nothing is graded again")
    return whole, [*killed, again], hostile_table(home, lab, students)


def hostile_table(home: Path, lab: str, students: list[classes.Student]) -> list[str]:
    """A row for each attack: what it earned, and the longest of its checks."""
    rows = []
    for one in students:
        if not one.name.startswith(("hostile", "archive")):
            continue
        folder = home / "whole" / student(one.name) / lab
        result = folder / "result.json"
        if one.status == "rejected":
            reason = (folder / "feedback.txt").read_text().splitlines()[-1].strip()
            require(not result.exists(), f"{one.name}: rejected")
            rows.append(f"| {one.kind} | archive | rejected | {reason.split(': ', 1)[-1]} | |")
            continue
        document = json.loads(result.read_text())
        earned = document["score"]["earned"]
        require(earned == 0, f"{one.name}: 0 points")
        ran = [c for c in document["checks"] if c["kind"] != "build"]
        failed = [c for c in document["checks"] if c["verdict"] == "fail" and c["message"]]
        stopped = [c for c in failed if c["diagnosis"] in STOPPED]
        why = (stopped or failed)[0]["message"][0].replace("|", "/")
        why = why.replace(str(home), "COURSE").replace(str(paths.ROOT), "COURSE")
        longest = max(c["seconds"] for c in ran)
        what = f"{earned:g}/{document['score']['measured']:g}"
        rows.append(f"| {one.kind} | program | {what} | {why} | {longest:.1f} s |")
    return rows


def one_by_one(home: Path, lab: str) -> tuple[Ran, Ran]:
    """The same submissions graded by ./grade labN one by one, and by one bulk worker."""
    folder, chosen = home / "sample", home / "in"
    ordinary = sorted(p for p in chosen.iterdir() if p.name.startswith("student") and p.is_dir())
    for one in ordinary[:SINGLE]:
        shutil.copytree(one, folder / one.name)
    alone = Ran(0, 0, 0)
    for one in sorted(folder.iterdir()):
        inside = next(p.parent for p in one.rglob("*.c*"))
        ran = execute([GRADE, lab, "--src", str(inside), "--no-speed"])
        alone.wall += ran.wall
        alone.processor += ran.processor
    together = execute(bulk(folder, home / "sampled", lab, "--jobs", "1"))
    return alone, together


def memory(home: Path, counts: tuple[int, int]) -> list[tuple[int, Ran]]:
    """Runs of a small and a large class of lab 1, which is quick. No two files are the same."""
    runs = []
    for count in counts:
        folder = home / f"memory{count}"
        students = classes.plain(folder, "lab1", count)
        run = home / f"remembered{count}"
        runs.append((len(students), execute(bulk(folder, run, "lab1"))))
        require(runs[-1][1].status == 0, f"{count} x lab1")
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Proves what ./grade bulk promises, on generated classes."
    )
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--lab", default="lab3")
    parser.add_argument("--memory", type=int, nargs=2, default=(30, 300))
    arguments = parser.parse_args()
    home = paths.BUILD / "prove-bulk"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    try:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            classes.PORT = listener.getsockname()[1]
            prove(home, arguments.lab, arguments.count, tuple(arguments.memory))
    except Failed as failure:
        sys.exit(f"does not hold: {failure}")


def prove(home: Path, lab: str, count: int, sizes: tuple[int, int]) -> None:
    load = os.getloadavg()[0]
    cores = len(os.sched_getaffinity(0))
    probes = probe.run_all()
    require(not probe.problems(probes), f"{len(probes)} probes of the sandbox: {bubblewrap.tier()}")
    whole, killed, table = whole_and_killed(home, lab, count)
    alone, together = one_by_one(home, lab)
    sizes_measured = memory(home, sizes)
    used = 100 * whole.processor / whole.wall / cores
    where = f"{platform.platform()}, {cores} cores, {bubblewrap.tier()}"
    shares = ", ".join(f"{k:.0%}" for k in KILLS)
    resumed = sum(r.wall for r in killed[:-1])
    lines = [
        *HEAD,
        f"On {where}. The load average at the start was {load:.1f}, from other programs.",
        "",
        f"| a class of {count} x {lab}, no two files the same | |",
        "|---|---|",
        f"| graded in one go | {spent(whole)} |",
        f"| use of the cores | {used:.0f} % of {cores} cores |",
        f"| killed after {shares}, resumed | {resumed:.0f} s in all, the same gradebook |",
        f"| run again, nothing changed | {killed[-1].wall:.0f} s, nothing graded |",
        f"| probes of the sandbox | {len(probes)}, all passed |",
        f"| {SINGLE} submissions one by one, `./grade {lab}` | {spent(alone)} |",
        f"| the same, in bulk with one worker | {spent(together)} |",
    ]
    lines += [f"| most memory, {n} x lab1 | {r.memory >> 20} MB |" for n, r in sizes_measured]
    lines += [
        "",
        "| attack | as | verdict | reason | longest check |",
        "|---|---|---|---|---|",
        *table,
    ]
    RESULTS.write_text("\n".join([*lines, ""]))
    print(f"written: {RESULTS}")


def spent(ran: Ran) -> str:
    return f"{ran.wall:.0f} s, {ran.processor:.0f} s of CPU time"


HEAD = [
    "# Bulk grading: what was measured",
    "",
    "Made by `make prove-bulk`. Every attacking program is the right solution behind a gate, which",
    "opens only if the attack succeeds (`grader/tests/bulk/hostile.py`): 0 points mean that the",
    "attack failed. The time limit of a case is 4 s here; `longest check` includes the start and",
    "the end of the program. Other programs on the same cores lower the use and make times longer.",
    "",
]


if __name__ == "__main__":
    main()
