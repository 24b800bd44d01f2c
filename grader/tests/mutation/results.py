"""The committed table of what became of each mutant."""

import tomllib
from collections import Counter
from pathlib import Path

from grader.classroom.audit.mutants import KINDS, Mutant
from grader.classroom.audit.trial import Outcome
from grader.tests.mutation import wanted

HERE = Path(__file__).parent
FILE = HERE / "RESULTS.md"
# Why no check can catch a mutant, by its id.
EQUIVALENT: dict[str, str] = tomllib.loads((HERE / "equivalent.toml").read_text())

HEAD = """\
# What the grader makes of slips in the solutions

Each mutant is a solution with a change, made by `mutants.py`. Most have one small change
(`slips.py`): an axis swapped, a barrier dropped, a bound, a constant, an index or an operator
changed. A `pair` has two such changes, in two lines of one function, that might hide each other. A
`call` makes other calls than the solution, or the same ones in another order (`calls.py`): one
dropped, made twice, exchanged with the next statement, made on the first use only, its error
ignored.

`make mutation` grades every mutant for `correct`, `safe` and `technique` and writes this file.

A mutant that does not compile proves nothing about the grader and is not counted. One that no check
catches is either equivalent, with its reason below, or has survived; there must be none of those.
One that the grader could not judge counts as a survivor.
"""


def report(every: list[Mutant], found: dict[str, Outcome]) -> str:
    """RESULTS.md."""
    parts = [
        HEAD,
        f"The solutions and the choice of mutants: `{wanted.fingerprint()}`\n",
        _by("lab", list(wanted.WANTED), every, found),
        _by("kind", list(KINDS), every, found),
        _reasons(every, found),
        _each(every, found),
    ]
    return "\n".join(parts)


def state(outcome: Outcome) -> str:
    """What the tables count it as."""
    if outcome.caught_by == "error":
        return "survived"
    if outcome.caught_by is None:
        return "equivalent" if outcome.id in EQUIVALENT else "survived"
    return "does not compile" if outcome.caught_by == "build" else "caught"


def _by(what: str, names: list[str], every: list[Mutant], found: dict[str, Outcome]) -> str:
    """A table of counts, a row for each lab or kind, and their sum."""
    lines = [
        f"| {what} | mutants | caught | correct | safe | technique | equivalent | survived |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name in [*names, "all"]:
        here = [found[m.id] for m in every if name in ("all", getattr(m, what))]
        states = Counter(state(outcome) for outcome in here)
        by = Counter(outcome.caught_by for outcome in here)
        count = len(here) - states["does not compile"]
        figures = [count, states["caught"], by["correct"], by["safe"], by["technique"]]
        figures += [states["equivalent"], states["survived"]]
        lines.append(f"| {name} | " + " | ".join(str(f) for f in figures) + " |")
    return "\n".join(lines) + "\n"


def _reasons(every: list[Mutant], found: dict[str, Outcome]) -> str:
    lines = ["## Equivalent", ""]
    for mutant in every:
        if state(found[mutant.id]) == "equivalent":
            reason = " ".join(EQUIVALENT[mutant.id].split())
            lines.append(f"- {mutant.id} (line {mutant.line}, {mutant.change()}): {reason}")
    return "\n".join(lines) + "\n"


def _each(every: list[Mutant], found: dict[str, Outcome]) -> str:
    lines = ["## Each mutant", "", "| mutant | line | change | |", "|---|---:|---|---|"]
    for mutant in every:
        outcome = found[mutant.id]
        told = state(outcome) == "caught" or outcome.caught_by == "error"
        words = outcome.words() if told else state(outcome)
        lines.append(f"{row(mutant)} {words} |")
    return "\n".join(lines) + "\n"


def row(mutant: Mutant) -> str:
    """The beginning of a row of a table: which mutant it is."""
    change = mutant.change().replace("|", "\\|")
    return f"| {mutant.id} | {mutant.line} | {change} |"
