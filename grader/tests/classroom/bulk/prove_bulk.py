"""`make prove-bulk`: grades a generated class of 300 from Canvas, kills the run 20 times, measures.

Writes grader/classroom/bulk/RESULTS.md: the bars that issue and design set, the times, the memory,
and what each attack earned. STUDENTS=30 KILLS=4 is a small form, PROVED_LAB=lab3 another lab, and
PAGE=no leaves out the class page, whose packages a machine without a network may lack; the table of
each of these goes to build/prove-bulk/.
"""

import argparse
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from grader import paths
from grader.classroom.bulk.isolation import probe
from grader.model import spec
from grader.sandbox import choice
from grader.tests.classroom.bulk import canvas_class, hostile
from grader.tests.classroom.bulk.canvas_class import Student
from grader.tests.classroom.bulk.measured import CORES, Ran, execute
from grader.tests.classroom.bulk.proof import (
    GRADE,
    LAB,
    PROCESSOR,
    WHOLE_CLASS,
    Failed,
    Proof,
    require,
    say,
)
from grader.tests.classroom.bulk.proof_table import hostile_table, write

BUSY, OVERHEAD, FLAT, QUICK = 0.85, 0.20, 0.10, 10.0  # the bars
SHARE = 256  # MB of memory for each worker, by which an instructor chooses --jobs


def grades(run: Path) -> int:
    """How many grades a run has made, so far."""
    try:
        with sqlite3.connect(f"file:{run}/.run/store.sqlite?mode=ro", uri=True) as store:
            return int(store.execute("select count(result) from grade").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


class Ticker:
    """Says every half minute how many grades there are."""

    def __init__(self, run: Path, total: int) -> None:
        self.run, self.total, self.next = run, total, time.monotonic() + 30

    def __call__(self) -> None:
        if time.monotonic() > self.next:
            self.next = time.monotonic() + 30
            say(f"  {self.run.name}: {grades(self.run)} grades of about {self.total}")


def undisturbed(proof: Proof, students: list[Student]) -> Ran:
    """Grades the class in one go; every student must get what was meant."""
    ticker = Ticker(proof.home / "whole", sum(one.status == "graded" for one in students))
    whole = execute(proof.bulk("whole"), tick=ticker)
    require(whole.status == 0, f"{len(students)} students graded in {whole.wall:.0f} s")
    check_rows(proof, students)
    load = f"{100 * whole.own:.0f} % by this run, {100 * (1 - whole.busy):.0f} % idle"
    proof.bar(f"cores busy, at least {BUSY:.0%}", f"{whole.busy:.0%} ({load})", whole.busy >= BUSY)
    proof.fact("graded in one go", spent(whole))
    each = whole.processor / grades(proof.home / "whole")
    most = PROCESSOR.get(LAB)
    if most:
        claim = f"CPU time of a grade of {LAB}, at most {most:g} s"
        proof.bar(claim, f"{each:.1f} s", each <= most)
    return whole


def check_rows(proof: Proof, students: list[Student]) -> None:
    """Every row of the gradebook: status, score, lateness and groups. Raises Failed."""
    book = proof.home / "whole" / "gradebook.csv"
    wrong = canvas_class.wrong_rows(book, spec.load(LAB), students)
    for line in wrong[:10]:
        say(line)
    require(not wrong, "every student has the status, the score and the late penalty that is right")
    pwned = (proof.home / "class" / "sibling" / "pwned").exists()
    require(not pwned, "no attack left a file")


def killed(proof: Proof, whole: Ran) -> None:
    """The same class in a run that is killed at random moments; the gradebook must be the same."""
    total, run = grades(proof.home / "whole"), proof.home / "killed"
    start = execute(proof.bulk("whole", "--resume"))
    require(grades(proof.home / "whole") == total and start.status == 0, "nothing is graded again")
    proof.fact("run again, nothing changed", f"{start.wall:.0f} s, nothing graded")
    seconds = _kills(proof, start.wall, 1.5 * max(0, whole.wall - start.wall), total)
    last = execute(proof.bulk("killed", "--resume"), tick=Ticker(run, total))
    require(last.status == 0, f"resumed to its end in {last.wall:.0f} s")
    books = [(proof.home / name / "gradebook.csv").read_bytes() for name in ("whole", "killed")]
    proof.bar(
        f"killed {proof.kills} times at random moments, the first within a second: the same "
        "gradebook, byte for byte",
        "the same" if books[0] == books[1] else "another",
        books[0] == books[1],
    )
    figure = f"{seconds + last.wall:.0f} s"
    proof.fact(f"killed {proof.kills} times and resumed (seed {proof.seed})", figure)


def _kills(proof: Proof, start: float, grading: float, total: int) -> float:
    """Kills the run each time at a random moment; returns the seconds that it ran. start: those
    before it grades. grading: to be divided among the kills; most of them, so that it does not end
    by itself."""
    dice, run = random.Random(proof.seed), proof.home / "killed"
    spent_seconds, amid = 0.0, 0
    for number in range(proof.kills):
        moment = dice.uniform(0.1, start + grading / proof.kills) if number else dice.random()
        before = grades(run)
        ran = execute(proof.bulk("killed", *(["--resume"] if number else [])), moment)
        spent_seconds += ran.wall
        if ran.status == 2 and not number:
            raise Failed("it refused to begin")
        amid += before < grades(run) < total
        what = f"kill {number + 1} of {proof.kills} after {moment:.1f} s: {grades(run)} of {total}"
        require(ran.status == -signal.SIGKILL, what)
    require(amid > 0, f"{amid} of {proof.kills} kills came while grades were made")
    return spent_seconds


def single_grades(proof: Proof, students: list[Student]) -> None:
    """Ordinary submissions graded by ./grade one by one, and by one bulk worker."""
    chosen = [one for one in students if one.kind in ("right", "late") or "wrong:" in one.kind]
    chosen = chosen[: 12 if proof.count >= 100 else 4]
    folder = proof.home / "sample"
    lab = spec.load(LAB)
    alone = Ran(0, 0, 0)
    for one in chosen:
        place = folder / one.id
        place.mkdir(parents=True)
        (place / lab.submit[0]).write_bytes(one.files[lab.submit[0]])
        argv = [GRADE, LAB, "--src", str(place), "--no-speed", "--html", f"{folder}/{one.id}.html"]
        ran = execute(argv)
        alone.wall += ran.wall
        alone.processor += ran.processor
    for page in folder.glob("*.html"):
        page.unlink()
    argv = [GRADE, "bulk", str(folder), "--out", str(proof.home / "sampled"), "--labs", LAB]
    # The sandbox is used, but not tested first: that is done once a run, whatever its size.
    together = execute([*argv, "--no-speed", "--jobs", "1", "--i-trust-these-submissions"])
    require(together.status == 0, f"{len(chosen)} submissions graded by one worker")
    more = together.processor / alone.processor - 1
    proof.fact(f"{len(chosen)} submissions one by one, `./grade {LAB} --html`", spent(alone))
    proof.fact("the same, in bulk with one worker", spent(together))
    claim = f"CPU time over the sum of single grades, at most {OVERHEAD:+.0%}"
    proof.bar(claim, f"{more:+.0%}", more <= OVERHEAD)


def memory(proof: Proof, whole: Ran) -> None:
    """What a class needs is there by half of its time: a small one lacks the programs that need
    much, and would tell little."""
    more = whole.memory / whole.at_half - 1
    figure = f"{whole.at_half >> 20} MB, {whole.memory >> 20} MB ({more:+.0%})"
    claim = "most memory of the command and its largest worker, in the first half of the run and "
    proof.bar(claim + f"in all of it, at most {FLAT:+.0%}", figure, more <= FLAT)
    each = whole.together / (CORES + 1) / 2**20
    claim = (
        f"most memory of the command and all {CORES + 1} workers at once, at most {SHARE} MB each"
    )
    proof.bar(claim, f"{whole.together >> 20} MB ({each:.0f} MB each)", each <= SHARE)


def exports(proof: Proof) -> None:
    """Each way out of the run, timed."""
    run, place = proof.home / "whole", proof.home / "class"
    out = proof.home / "out"
    out.mkdir()
    book = ["--gradebook", str(place / "canvas.csv"), "--out", str(out / "canvas.csv")]
    zipped = ["--feedback", str(out / "f.zip"), "--submissions", str(place / "submissions.zip")]
    forms = {
        "canvas": book,
        "canvas --feedback": [*book, *zipped],
        "csv --per-check": ["--per-check", "--out", str(out / "checks.csv")],
        "json": ["--out", str(out / "class.json")],
        "junit": ["--out", str(out / "junit.xml")],
        "gradescope": ["--out", str(out / "gradescope")],
        "autolab": ["--out", str(out / "autolab")],
        "prairielearn": ["--out", str(out / "prairielearn")],
    }
    for form, options in forms.items():
        argv = [GRADE, "export", str(run), "--format", form.split()[0], *options]
        timed(proof, f"`./grade export --format {form}`", argv)
    if not proof.page:
        say("left out: `./grade report`, the class page")
        return
    argv = [GRADE, "report", str(run)]
    require(execute(argv).status == 0, "the class page's packages are installed")
    timed(proof, "`./grade report`", argv)


def timed(proof: Proof, what: str, argv: list[str]) -> None:
    ran = execute(argv)
    require(ran.status == 0, f"{what}: exit status 0")
    figure = f"{ran.wall:.1f} s, {ran.processor:.1f} s of CPU time"
    # A machine that others keep busy says nothing of the seconds; then the CPU time is judged.
    crowded = ran.busy >= BUSY and ran.processor < ran.wall / 2
    figure += "; judged by that: other programs had the cores" if crowded else ""
    seconds = ran.processor if crowded else ran.wall
    proof.bar(f"{what}, at most {QUICK:.0f} s", figure, seconds <= QUICK)


def spent(ran: Ran) -> str:
    return f"{ran.wall:.0f} s, {ran.processor:.0f} s of CPU time"


def prove(proof: Proof) -> None:
    load = os.getloadavg()[0]
    lab = spec.load(LAB)
    sibling = proof.home / "class" / "sibling" / lab.submit[0]
    sibling.parent.mkdir(parents=True)
    sibling.write_text(hostile.solution(lab))
    students = canvas_class.make(lab, proof.count, sibling)
    canvas_class.write(lab, students, proof.home / "class")
    subprocess.run(["make", "-s", "runtime"], cwd=paths.ROOT, check=True)
    probes = probe.run_all()
    require(not probe.problems(probes), f"{len(probes)} probes of the sandbox: {choice.name()}")
    whole = undisturbed(proof, students)
    say(f"about {(2.4 * whole.wall + 180) / 60:.0f} min are left")
    memory(proof, whole)
    exports(proof)
    killed(proof, whole)
    single_grades(proof, students)
    write(proof, hostile_table(proof, students), load)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Proves what ./grade bulk promises, on a generated class."
    )
    parser.add_argument("--students", type=int, default=WHOLE_CLASS)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the kills")
    parser.add_argument("--no-page", action="store_true", help="leave out ./grade report")
    arguments = parser.parse_args()
    home = paths.BUILD / "prove-bulk"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    proof = Proof(
        home, arguments.students, arguments.kills, arguments.seed, page=not arguments.no_page
    )
    try:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            canvas_class.PORT = listener.getsockname()[1]
            prove(proof)
    except Failed as failure:
        sys.exit(f"does not hold: {failure}")
    if short := [bar.claim for bar in proof.bars if not bar.holds]:
        sys.exit("falls short: " + "; ".join(short))


if __name__ == "__main__":
    main()
