"""What happens without a barrier?"""

from itertools import product
from random import Random

from grader.ask.draft import CannotTell, Draft
from grader.ask.program import Program
from grader.model.finding import Finding

ABOUT = "what a barrier is for"
REBUILDS = True
NOTHING = "none: the result does not depend on this barrier"


def ask(program: Program, draw: Random) -> Draft:
    trace = program.trace
    stores, loads = trace.at("shared", True), trace.at("shared", False)
    launches = {a.launch for found in stores.values() for a in found}
    if not stores or not loads or not launches:
        raise CannotTell("no shared memory")
    functions = [program.text.function(line) for line in stores]
    lines = [
        line
        for line in program.text.barriers()
        if any(first <= line <= last for first, last in functions)
    ]
    if not lines:
        raise CannotTell("no barrier of its own")
    line = draw.choice(lines)
    changed = program.changed(program.text.without_barrier(line), checked=True)
    forwards = pairs(program.findings(changed), program.shown)

    def second() -> str:
        return words(pairs(program.findings(changed, backwards=True), program.shown))

    answer = words(forwards)
    wrong = {NOTHING: "threads would read what others have not stored yet, or already replaced"}
    for one, other in sorted(product(stores, loads)):
        if (min(one, other), max(one, other)) not in forwards:
            wrong[words({(min(one, other), max(one, other))})] = (
                "no two threads access the same element there without another barrier between them"
            )
    for one in sorted(stores):
        if (one, one) not in forwards:
            wrong[f"line {one} with itself"] = "each element is stored by one thread"
    for one in sorted(loads):
        if (one, one) not in forwards:
            wrong[f"line {one} with itself"] = "threads that only read do not race"
    return Draft(
        file=program.shown,
        line=line,
        text="Suppose this barrier is removed. Which lines then access the same words of shared "
        "memory from different threads, at least one of them storing, in no certain order?",
        answer=answer,
        second=second,
        ways=(
            "the race check of the changed program",
            "the same with threads and blocks in reverse order",
        ),
        why="A run of your program without this barrier: "
        + (
            "the simulator finds no race."
            if not forwards
            else f"the simulator reports a race of {answer}."
        ),
        mistakes={text: why for text, why in wrong.items() if text != answer},
        typed=False,
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
    texts = [
        f"line {one} with itself" if one == other else f"lines {one} and {other}"
        for one, other in sorted(found)
    ]
    return "; ".join(texts)
