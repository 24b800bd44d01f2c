"""Makes the attacks that need a GPU and prints what came of each.

    python -m grader.tests.attacks.on_gpu [--out FILE] [--tier N] [PART OF A NAME]

Needs nvcc, a GPU that no one else uses, and the sandbox. The sandbox is probed first, as before a
bulk run, so that the known-answer kernel runs before and after each attack. Between the attacks an
accepted program must earn its points: no attack may damage the GPU for those after it. --out writes
the table as Markdown.
"""

import argparse
import datetime
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from grader import exit_codes
from grader.classroom.bulk.isolation import probe
from grader.compile import make
from grader.execute import backend
from grader.model import spec
from grader.sandbox import choice
from grader.sandbox.choice import Probed
from grader.sandbox.workspace import workspace
from grader.tests.attacks import judge, material, table
from grader.tests.attacks.attack import Attack, gpu_attacks
from grader.tests.attacks.judge import Outcome
from grader.tests.attacks.material import Target

CONTROL = 10  # attacks between two accepted programs
CORRECT, TIMED = "identity 3x3 on a ramp", "speed with one mask"
HEAD = """\
# Attacks on a machine with a GPU, and what stopped them

Made by `python -m grader.tests.attacks.on_gpu --out FILE` on {date}; {gpu}; sandbox: {sandbox}.
The columns are those of RESULTS.md. Group gpu: programs that misuse the GPU or forge a time that is
measured on it (gpu*.toml). The other groups: the attacks of programs in C, as programs for the GPU.
The accepted program runs before, between and after them, and must earn every point.
"""


def accepted(checks: str, place: Target, home: Path) -> Outcome:
    """What comes of the solution, on the GPU; it survives if it does not get every point."""
    control = Attack(
        f"accepted: {checks}", "control", "lab3", checks, "no error", limit=10, backend="gpu",
        timed=checks == TIMED, edits=[["float sum = 0.0f;", "float sum = 0.0f;", "first"]],
    )  # fmt: skip
    outcome = judge.attempt(control, place, home, patience=3)
    earned, _, most = outcome.verdict.partition("/")
    if earned != most:
        outcome.survived.append("an accepted program did not earn every point")
    return outcome


def outcomes(pattern: str) -> Iterator[Outcome]:
    """What comes of every attack with the pattern in its name or group, and of the controls."""
    with material.target() as place, workspace() as home:
        yield accepted(CORRECT, place, home)
        chosen = [a for a in gpu_attacks() if pattern.lower() in f"{a.group}: {a.name}".lower()]
        for number, attack in enumerate(chosen, 1):
            yield judge.attempt(attack, place, home, patience=3)
            if number % CONTROL == 0:
                yield accepted(CORRECT, place, home)
        yield accepted(CORRECT, place, home)
        yield accepted(TIMED, place, home)


def gpu_name() -> str:
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tier", type=int, help="of the sandbox; the strongest if left out")
    options = parser.parse_args()
    if options.tier:
        choice.require(Probed(options.tier, 0, ""))
    if reason := choice.missing(gpu=True) or backend.gpu_missing():
        print(f"no attack is made: {reason}", file=sys.stderr)
        return exit_codes.FAULT
    for where in ("sim", "gpu"):
        make.prepare(spec.load("lab3"), where, timed=where == "gpu")
    probes = probe.run_all(gpu=True)
    surprises = probe.problems(probes)
    print(f"{choice.name(gpu=True)}: {len(probes)} probes; {surprises or 'all as expected'}")
    tier = choice.tier(gpu=True)
    assert tier is not None
    choice.require(probe.record(tier, probes))
    head = HEAD.format(
        date=datetime.datetime.now(datetime.UTC).date(),
        gpu=gpu_name(),
        sandbox=f"{choice.name(gpu=True)}, {len(probes)} probes, {len(surprises)} not as expected",
    )
    made = []
    for outcome in outcomes(options.pattern):
        made.append(outcome)
        print(table.line(outcome), flush=True)
        if options.out:  # at each step: a later attack may hang the machine
            options.out.write_text(table.report(made, head))
    survivors = [o for o in made if o.survived]
    print(f"{len(made) - len(survivors)} of {len(made)} attacks stopped")
    return 1 if survivors or surprises or not made else 0


if __name__ == "__main__":
    sys.exit(main())
