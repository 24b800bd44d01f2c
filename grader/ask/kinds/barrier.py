"""What happens without a barrier?"""

from itertools import product

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.setting import runs
from grader.model.finding import Finding

REBUILDS = True
NOTHING = "none: the result does not depend on this barrier"


def ask(program: AskedPart, draw: Random) -> Draft:
    shared = [a for a in program.trace.warps if a.space == "shared"]
    stores, loads = ({a.line for a in shared if a.store == way} for way in (True, False))
    if not stores or not loads:
        raise CannotTell("no shared memory")
    functions = [program.text.function(line) for line in stores]
    barriers = program.text.barriers()
    lines = [at for at in barriers if any(first <= at <= last for first, last in functions)]
    if not lines:
        raise CannotTell("no barrier of its own")
    line = draw.choice(lines)
    changed = program.changed(program.text.without_barrier(line), checked=True)
    forwards = pairs(program.findings(changed), program.shown)
    answer = words(forwards)
    ordered = "no two threads access the same element there without another barrier between them"
    lines_of_two = sorted({(min(pair), max(pair)) for pair in product(stores, loads)} - forwards)
    mistakes = [
        (NOTHING, "threads would read what others have not stored yet, or already replaced"),
        *((words({pair}), ordered) for pair in lines_of_two),
        *((words({(one, one)}), "each element is stored by one thread") for one in sorted(stores)),
        *((words({(one, one)}), "threads that only read do not race") for one in sorted(loads)),
    ]
    within = program.text.function(line)
    kernel = next(a for a in shared if program.text.function(a.line) == within)
    setting = runs(program, program.case(), program.trace.launch(kernel))
    races = "races" if len(forwards) > 1 else "a race"
    return Draft(
        line=line,
        text=f"{setting}. Suppose this barrier is removed. Which lines then access the same words "
        "of shared memory from different threads, at least one of them storing, in no certain "
        "order?",
        answer=answer,
        second=lambda: words(pairs(program.findings(changed, True), program.shown)),
        why="In a run of your program without this barrier, the simulator finds "
        + (f"{races} of {answer}." if forwards else "no race."),
        mistakes=[(text, why) for text, why in mistakes if text not in answer.split("; ")],
    )


def pairs(findings: list[Finding], shown: str) -> set[tuple[int, int]]:
    """The pairs of lines that race. Raises CannotTell at any other finding."""
    found = set()
    for finding in findings:
        if not finding.kind.endswith("-race"):
            raise CannotTell(f"the changed program has another fault: {finding.kind}")
        if finding.file != shown or finding.other_file not in ("", shown):
            raise CannotTell("a race outside of the file")
        other = finding.other_line or finding.line
        found.add((min(finding.line, other), max(finding.line, other)))
    return found


def words(found: set[tuple[int, int]]) -> str:
    if not found:
        return NOTHING
    return "; ".join(
        f"line {one} with itself" if one == other else f"lines {one} and {other}"
        for one, other in sorted(found)
    )
