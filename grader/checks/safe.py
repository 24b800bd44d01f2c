"""A `safe` check: the instrumented program must run without a finding."""

import random
from collections.abc import Sequence

import msgspec
import numpy as np

from grader.checks import crash, prerequisites, safe_calls
from grader.diagnose import source_text
from grader.execute.instrumented import InstrumentedRun, Runner
from grader.execute.openmp_team import SHARE
from grader.model.finding import Finding
from grader.model.grade_line import grade_line
from grader.model.lab import Lab, Safe
from grader.model.result import Check, Verdict
from grader.model.submission import Submission
from grader.oracle import compare, operations
from grader.oracle.operations import Operation
from grader.session.programs import Binary
from grader.session.session import Session

MOST = 3  # findings that are shown
NOTHING_SHARED = "one thread alone has no data race, but the task is to divide the work"
MANY = 2  # threads
MORE = range(12, 17)  # threads, of which a run has a number that no program can know
MOST_READ = 3.2  # times what 3 threads read: bands with the rows around them are 2.7 for 16
ROWS_OF_A_TEAM = 4  # a function that starts its threads for fewer rows does so too often


def judge_safety(session: Session, safe: Safe, binary: Binary) -> Check:
    """Judges a run of the instrumented program and, of a part's first safe check that passed, calls
    generated from the part's contracts as well.

    Raises OSError or DatasetMissing, for which the student is not to blame.
    """
    runner = session.runner_of(binary)
    line = _judged(session, safe, runner)
    lab = session.lab
    if line.verdict != "pass" or safe != next(s for s in lab.safe if s.part == safe.part):
        return line
    for allowed in (c for c in lab.contract if c.part == safe.part):
        if unsafe := safe_calls.find(runner, allowed, safe.any_order):
            verdict: Verdict = "error" if unsafe.is_fault else "fail"
            details = {"findings": [f.kind for f in unsafe.findings], "in_call": unsafe.in_call}
            return grade_line(
                lab, safe, verdict, unsafe.lines, diagnosis=unsafe.name, details=details
            )
    return line


def _judged(session: Session, safe: Safe, runner: Runner) -> Check:
    """Runs the check's input forwards and, on the simulator, with threads and blocks in reverse
    order; a file in C, also under the check for data races."""
    submission = session.submission
    if (raced := runner.openmp_races(safe)) and (findings := raced.errors()):
        return _found(submission, safe, raced, findings)
    forwards = runner.forwards(safe)
    if forwards.outcome.end == "our-fault":
        lines = [f"the runner failed: {forwards.outcome.reason}"]
        return _verdict(submission, safe, "error", forwards, lines)
    if findings := forwards.errors():
        return _found(submission, safe, forwards, findings)
    if lines := prerequisites.without_end(session.so_far, safe.part, forwards.outcome):
        return _verdict(submission, safe, "fail", forwards, lines, str(forwards.outcome.end))
    if not forwards.right:  # then nothing is proved
        needs = prerequisites.first_wrong_case(session.so_far, safe.part)
        return _verdict(submission, safe, "skip", forwards, needs=needs)
    if not safe.one_thread and (alone := _one_thread(safe, runner)):
        lines = [alone, NOTHING_SHARED, *_why(safe)]
        return _verdict(submission, safe, "fail", forwards, lines, "no-team")
    if not safe.one_thread and (alike := _more_threads(session.lab, safe, runner)):
        return _verdict(submission, safe, "fail", forwards, [alike, *_why(safe)], "no-team")
    if many := _many_teams(safe, runner):
        return _verdict(submission, safe, "fail", forwards, [many, *_why(safe)], "many-teams")
    backwards = runner.backwards(safe)
    if backwards is None:
        return _verdict(submission, safe, "pass", forwards)
    if findings := backwards.errors():
        return _found(submission, safe, backwards, findings)
    if not (safe.any_order and backwards.right) and not _same_bits(forwards, backwards):
        operation = operations.of(submission.lab, safe.part)
        lines = [
            _difference(operation, forwards, backwards),
            "the result depends on the order in which threads run, and a GPU guarantees no order: "
            "look for a value that one thread writes and another uses, or a sum that many threads "
            "add to",
            *_why(safe),
        ]
        return _verdict(submission, safe, "fail", backwards, lines, "order-dependent")
    return _verdict(submission, safe, "pass", forwards)


def _found(
    submission: Submission, safe: Safe, run: InstrumentedRun, findings: list[Finding]
) -> Check:
    lines = []
    for finding in findings[:MOST]:
        lines.append(crash.misaligned(submission, finding) or finding.render())
        lines += _source_lines(submission, finding)
        source = submission.text(submission.lab.file_of(safe))
        lines += filter(None, [source_text.missing_barrier(source, finding)])
    if len(findings) > MOST:
        lines.append(f"and {len(findings) - MOST} more; the first one often causes the others")
    raced = [finding for finding in findings if finding.kind == "thread-race"]
    file = submission.lab.file_of(safe)
    diagnosis = source_text.undivided_loop(submission.text(file), raced[0].line) if raced else None
    if diagnosis:
        lines.append(diagnosis.text)
    elif raced:
        lines.append(
            "if it is a variable: one declared inside the parallel loop is private to each thread, "
            "one declared outside it, or static, is shared. If it is an element of an array: do "
            "the parts of two threads overlap?"
        )
    return _verdict(
        submission,
        safe,
        "fail",
        run,
        [*lines, *_why(safe)],
        diagnosis.name if diagnosis else findings[0].kind,
    )


TURNS = (
    "your function started {} threads, but they take turns: between two barriers, one of them does "
    "nearly all the work; let all work at the same time"
)


def _one_thread(safe: Safe, runner: Runner) -> str:
    """How it came that one thread did all the work of a check with several; "" if several did, or
    that is not known."""
    threads = int(safe.settings().get("threads", "1"))
    team = runner.openmp_team(safe)
    if threads < MANY or team is None:
        return ""
    if team.working() >= MANY:
        return TURNS.format(team.largest) if team.takes_turns() else ""
    if team.largest < MANY:
        return (
            f"your function ran on one thread, and could use {threads}: put `#pragma omp parallel "
            "for` above a loop whose iterations are independent; num_threads(1) and an if() that "
            "is false keep a parallel region to one thread"
        )
    if not any(team.written):
        return (
            f"your function started {team.largest} threads, but each works only while it holds "
            "a lock, as in a critical section, so one at a time: keep what needs no lock out of it"
        )
    return (
        f"your function started {team.largest} threads, but one of them did all the work: divide "
        "the iterations with `#pragma omp for`, or by omp_get_thread_num()"
    )


def _more_threads(lab: Lab, safe: Safe, runner: Runner) -> str:
    """What shows with more threads than the check has: that one thread does all, or that each does
    what all do together; "" if neither shows, or the check has no team."""
    few = runner.openmp_team(safe)
    if few is None or few.largest < MANY or 4 * few.largest > MORE.start:
        return ""
    secrets = [c.secret_seed for c in lab.contract if c.part == safe.part]
    count = random.Random(next(filter(None, secrets), safe.seed)).choice(MORE)  # always the same
    more = runner.openmp_team(
        msgspec.structs.replace(safe, set={**safe.set, "threads": str(count)})
    )
    if more is None or not more.written:
        return ""
    if more.working(SHARE * few.largest / count) < MANY:
        return (
            f"with {count} threads in place of {few.largest}, one thread did all the work: divide "
            "it for any number of threads"
        )
    # Loads that gcc does not report, as of some intrinsics, leave too little to compare.
    if more.largest != count or few.read <= sum(few.written):
        return ""
    times = more.read / few.read
    if times > MOST_READ:
        return (
            f"{count} threads read {times:.1f} times as much as {few.largest} do: each thread does "
            "the whole work, or much of it; divide it, so that each reads what its own rows need"
        )
    return ""


def _many_teams(safe: Safe, runner: Runner) -> str:
    """That a function starts its threads for every few rows or more often; "" if it does not."""
    team = runner.openmp_team(safe)
    rows = safe.size[1] if safe.size else 0
    if team is None or not rows or team.teams <= rows // ROWS_OF_A_TEAM:
        return ""
    return (
        f"your function started its threads {team.teams} times for {rows} rows, as if for each "
        f"row, tap or pixel, and they synchronize each time: start them once, around the loop "
        "over the rows"
    )


def _source_lines(submission: Submission, finding: Finding) -> list[str]:
    """The student's own line or, for a data race, both."""
    locations = [(finding.file, finding.line), (finding.other_file, finding.other_line)]
    shown = []
    for file, line in dict.fromkeys(locations):
        if text := submission.line(file, line):
            shown.append(f"    {line}: {text}" if finding.other_line else f"    {text}")
    return shown


def _same_bits(a: InstrumentedRun, b: InstrumentedRun) -> bool:
    """Are two outputs equal bit for bit? So NaN equals NaN."""
    one, other = a.outcome.output, b.outcome.output
    return one is not None and other is not None and one.tobytes() == other.tobytes()


def _difference(operation: Operation, a: InstrumentedRun, b: InstrumentedRun) -> str:
    one, other = a.outcome.output, b.outcome.output
    if one is None or other is None:
        return f"with threads and blocks in reverse order your program {b.outcome.reason}"
    different = compare.bits(one) != compare.bits(other)
    index = tuple(int(i) for i in np.argwhere(different)[0])
    first, then = (compare.number(float(output[index]), output.dtype) for output in (one, other))
    return (
        f"{int(different.sum())} of {one.size} {operation.things()} change when threads and blocks "
        f"run in reverse order: out{operation.subscript(index)} = {first}, then {then}"
    )


def _why(safe: Safe) -> list[str]:
    return [f"this case: {safe.why}"] if safe.why else []


def _verdict(
    submission: Submission,
    safe: Safe,
    of: Verdict,
    run: InstrumentedRun,
    lines: Sequence[str] = (),
    diagnosis: str | None = None,
    needs: str | None = None,
) -> Check:
    return grade_line(
        submission.lab,
        safe,
        of,
        lines,
        diagnosis=diagnosis,
        needs=needs,
        details={"findings": [f.kind for f in run.errors()]} if of == "fail" else None,
        seconds=run.outcome.seconds,
    )
