"""Grades the mutants and writes RESULTS.md: `make mutation`. 40 to 60 minutes on two cores.

    python -m grader.tests.mutation [ID]...     grades these only, and writes nothing

Each mutant is graded for `correct`, `safe` and `technique`, until the first check fails. One that
no check catches must stand in equivalent.toml with the reason why it is as right as the solution;
the others have survived and are listed at the end.
"""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

from grader.classroom.audit.mutants import Mutant
from grader.classroom.audit.trial import Outcome, judge
from grader.tests.mutation import results, wanted

WORKERS = len(os.sched_getaffinity(0))


def outcomes(chosen: list[Mutant]) -> Iterator[Outcome]:
    """As they come; the costly ones are begun first."""
    first = sorted(chosen, key=lambda m: m.lab != "lab4")
    with ProcessPoolExecutor(WORKERS, initializer=os.nice, initargs=(10,)) as pool:
        mutant_of = {pool.submit(judge, mutant): mutant for mutant in first}
        for done in as_completed(mutant_of):
            try:
                yield done.result()
            except Exception as error:  # noqa: BLE001 - one mutant: the others still count
                yield Outcome(mutant_of[done].id, "error", " ".join(repr(error).split()))


def main(ids: list[str]) -> int:
    every = [m for lab in wanted.WANTED for m in wanted.chosen(lab)]
    chosen = [m for m in every if not ids or m.id in ids]
    if ids and len(chosen) < len(ids):
        print(f"no such mutants: {', '.join(sorted(set(ids) - {m.id for m in chosen}))}")
        return 2
    found: dict[str, Outcome] = {}
    for outcome in outcomes(chosen):
        found[outcome.id] = outcome
        print(f"{len(found):3}/{len(chosen)}  {outcome.id}  {outcome.words()}", flush=True)
    if not ids:
        results.FILE.write_text(results.report(every, found))
    survivors = [m for m in chosen if results.state(found[m.id]) == "survived"]
    print(f"{len(survivors)} survived")
    for mutant in survivors:
        print(f"{results.row(mutant)} {found[mutant.id].words()} |")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
