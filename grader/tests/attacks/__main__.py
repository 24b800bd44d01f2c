"""Makes the attacks and prints what came of each: `make attacks`.

    python -m grader.tests.attacks [--update] [PART OF A NAME]

With a part of a name, only the attacks that have it in their name or group are made, and
RESULTS.md stays as it is. With --update, RESULTS.md loses the rows of attacks that are gone, and
only those are made that are new or survived, or have the part of a name.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import grader.tests.plugin  # noqa: F401 - takes nvcc out of PATH, which would compile each again
from grader import exit_codes
from grader.compile import make
from grader.model import spec
from grader.sandbox import choice
from grader.sandbox.workspace import workspace
from grader.tests.attacks import archives, assistant, elsewhere, judge, keys, material, table
from grader.tests.attacks.attack import attacks
from grader.tests.attacks.judge import Outcome
from grader.tests.attacks.material import Target

Kept = Mapping[tuple[str, str], Outcome]  # by group and name


def listed(place: Target, home: Path) -> Iterator[tuple[str, str, Callable[[], Outcome]]]:
    """The group and name of every attack of this folder, and what makes it."""
    for name in archives.names():
        yield archives.GROUP, name, partial(archives.attempt, name, place)
    for name in keys.LOOKS:
        yield keys.GROUP, name, partial(keys.attempt, name)
    for name in assistant.ATTEMPTS:
        yield assistant.GROUP, name, partial(assistant.attempt, name)
    for attack in attacks():
        yield attack.group, attack.name, partial(judge.attempt, attack, place, home)


def has(pattern: str, group: str, name: str = "") -> bool:
    return pattern.lower() in f"{group}: {name}".lower()


def outcomes(pattern: str, kept: Kept, place: Target, home: Path) -> Iterator[Outcome]:
    """What comes of every attack that has the pattern in its name or group; of those that are kept,
    what came of them. The sandbox is probed in any case: it takes two seconds."""
    for group, name, make_it in listed(place, home):
        if has(pattern, group, name):
            yield kept.get((group, name)) or make_it()
    if has(pattern, "sandbox"):
        yield from elsewhere.probes(place)
    if has(pattern, "fault"):
        faults = elsewhere.faults()
        yield from (kept["fault", name] for name in faults if ("fault", name) in kept)
        yield from elsewhere.tested({n: t for n, t in faults.items() if ("fault", n) not in kept})


def stopped_before(again: str) -> Kept:
    """The rows of RESULTS.md that need not be made again."""
    return {
        (o.group, o.name): o
        for o in table.rows()
        if not o.survived and not (again and has(again, o.group, o.name))
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("pattern", nargs="?", default="", metavar="PART OF A NAME")
    parser.add_argument("--update", action="store_true", help="make only what RESULTS.md lacks")
    options = parser.parse_args()
    if reason := choice.missing():
        print(f"no attack is made without the sandbox: {reason}", file=sys.stderr)
        return exit_codes.FAULT
    make.prepare(spec.load("lab1"), "cpu", timed=False)
    make.prepare(spec.load("lab3"), "sim", timed=False)
    kept = stopped_before(options.pattern) if options.update else {}
    made = []
    with material.target() as place, workspace() as home:
        for outcome in outcomes("" if options.update else options.pattern, kept, place, home):
            made.append(outcome)
            if (outcome.group, outcome.name) not in kept:
                print(table.line(outcome), flush=True)
    survivors = [o for o in made if o.survived]
    print(f"{len(made) - len(survivors)} of {len(made)} attacks stopped")
    for outcome in survivors:
        print(f"  survived: {outcome.group}: {outcome.name}")
    if options.update or not options.pattern:
        table.save(checked=table.report(made))
    return 1 if survivors or not made else 0


if __name__ == "__main__":
    sys.exit(main())
