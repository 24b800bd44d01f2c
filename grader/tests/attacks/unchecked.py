"""Grades attacks as if the check of their source and objects had refused nothing: what stops them
then? Prints and keeps the second table of RESULTS.md: `make attacks-unchecked`.

    python -m grader.tests.attacks.unchecked [PART OF A NAME]

Only this process of the tests can leave the check out: no option, no variable of the environment
and no submission does.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import msgspec

import grader.tests.plugin  # noqa: F401 - takes nvcc out of PATH, which would compile each again
from grader import exit_codes
from grader.compile import make
from grader.compile.compiler_messages import Diagnostic
from grader.compile.permitted import submission_check
from grader.compile.permitted.submission_check import Product
from grader.model import spec
from grader.model.submission import Submission
from grader.sandbox import choice
from grader.sandbox.workspace import workspace
from grader.tests.attacks import judge, material, table
from grader.tests.attacks.attack import Attack, attacks
from grader.tests.attacks.judge import Outcome
from grader.tests.attacks.material import Target

GROUPS = ("run", "escape", "evidence")
PATIENCE = 4  # the table says what stops an attack; how fast, the first table says


def attempt(attack: Attack, place: Target, home: Path) -> Outcome | None:
    """As judge.attempt(), without the check of source and objects. None where the check would have
    refused nothing: then the first table has the same. An attack that must not build must earn
    nothing."""
    refused = []
    check = submission_check.find

    def refuse_nothing(
        submission: Submission, out: Path, groups: list[Sequence[Product]], backend: str
    ) -> list[Diagnostic]:
        refused.extend(check(submission, out, groups, backend))
        return []

    if attack.expect == "refused":
        attack = msgspec.structs.replace(attack, expect="nothing")
    with mock.patch.object(submission_check, "find", refuse_nothing):
        outcome = judge.attempt(attack, place, home, PATIENCE)
    return outcome if refused else None


def main(pattern: str = "") -> int:
    """Succeeds whatever survives: the check is one of several walls, and here it is missing."""
    if reason := choice.missing():
        print(f"no attack is made without the sandbox: {reason}", file=sys.stderr)
        return exit_codes.FAULT
    make.prepare(spec.load("lab1"), "cpu", timed=False)
    make.prepare(spec.load("lab3"), "sim", timed=False)
    made = []
    with material.target() as place, workspace() as home:
        for attack in attacks():
            if attack.group not in GROUPS or pattern.lower() not in attack.name.lower():
                continue
            if outcome := attempt(attack, place, home):
                made.append(outcome)
                print(table.line(outcome), flush=True)
    held = sum(not outcome.survived for outcome in made)
    print(f"{held} of {len(made)} attacks stopped without the check of source and objects")
    if not pattern:
        table.save(unchecked=table.unchecked_report(made))
    return exit_codes.FULL_MARKS if made else exit_codes.USAGE


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
