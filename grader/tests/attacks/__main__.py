"""Makes the attacks and prints what came of each: `make attacks`.

    python -m grader.tests.attacks [PART OF A NAME]

With a part of a name, only the attacks that have it in their name or group are made, and
RESULTS.md stays as it is.
"""

import sys
from collections.abc import Iterator

import grader.tests.plugin  # noqa: F401 - takes nvcc out of PATH, which would compile each again
from grader import exit_codes
from grader.compile import make
from grader.model import spec
from grader.sandbox import choice
from grader.sandbox.workspace import workspace
from grader.tests.attacks import archives, elsewhere, judge, keys, material, table
from grader.tests.attacks.attack import attacks
from grader.tests.attacks.judge import Outcome


def outcomes(pattern: str) -> Iterator[Outcome]:
    """What comes of every attack that has the pattern in its name or group."""

    def wanted(group: str, name: str = "") -> bool:
        return pattern.lower() in f"{group}: {name}".lower()

    with material.target() as place, workspace() as home:
        for name in archives.names():
            if wanted(archives.GROUP, name):
                yield archives.attempt(name, place)
        for name in keys.LOOKS:
            if wanted(keys.GROUP, name):
                yield keys.attempt(name)
        for attack in attacks():
            if wanted(attack.group, attack.name):
                yield judge.attempt(attack, place, home)
        if wanted("sandbox"):
            yield from elsewhere.probes(place)
        if wanted("fault"):
            yield from elsewhere.tested()


def main(pattern: str = "") -> int:
    if reason := choice.missing():
        print(f"no attack is made without the sandbox: {reason}", file=sys.stderr)
        return exit_codes.FAULT
    make.prepare(spec.load("lab1"), "cpu", timed=False)
    make.prepare(spec.load("lab3"), "sim", timed=False)
    made = []
    for outcome in outcomes(pattern):
        made.append(outcome)
        print(table.line(outcome), flush=True)
    survivors = [o for o in made if o.survived]
    print(f"{len(made) - len(survivors)} of {len(made)} attacks stopped")
    for outcome in survivors:
        print(f"  survived: {outcome.group}: {outcome.name}")
    if not pattern:
        table.save(checked=table.report(made))
    return 1 if survivors or not made else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
