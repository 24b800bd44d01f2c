"""Which mistakes the submissions of a lab make, and one example of each."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grader.classroom.course.final import Final
from grader.model.result import Check

NOT_COMPILED = "does not compile"
UNNAMED = "other failures, without a known cause"
LINES = 4  # of a message that are shown


@dataclass(frozen=True)
class Mistake:
    """A mistake that `count` submissions make; one of them is the example."""

    name: str
    count: int
    checks: tuple[tuple[str, int], ...]  # that it fails: name and how often, most often first
    example: Final
    message: tuple[str, ...]


def of_submissions(submissions: Iterable[Final]) -> list[Mistake]:
    """The mistakes, the most common first. The example of one is the submission with the fewest
    others beside it, then with the fewest failed checks; the first of those."""
    counts: Counter[str] = Counter()
    failed: dict[str, Counter[str]] = {}
    examples: dict[str, tuple[tuple[int, int], Final, Check]] = {}
    for final in submissions:
        checks = final.result.checks if final.result else []
        mine: dict[str, Check] = {}
        for check in checks:
            if check.verdict == "fail":
                name = _name(check)
                failed.setdefault(name, Counter())[check.name] += 1
                mine.setdefault(name, check)
        counts.update(mine.keys())
        others = len(mine), sum(check.verdict == "fail" for check in checks)
        for name, check in mine.items():
            if name not in examples or others < examples[name][0]:
                examples[name] = others, final, check
    found = [
        Mistake(name, count, tuple(failed[name].most_common()), example, _first_lines(check))
        for name, count in counts.items()
        for _, example, check in [examples[name]]
    ]
    return sorted(found, key=lambda each: (each.name == UNNAMED, -each.count, each.name))


def _name(check: Check) -> str:
    if check.diagnosis:
        return check.diagnosis
    return NOT_COMPILED if check.kind == "build" else UNNAMED


def _first_lines(check: Check) -> tuple[str, ...]:
    lines = [line.strip() for line in check.message if line.strip()]
    shown = tuple(lines[:LINES])
    return (*shown, "…") if len(lines) > LINES else shown
