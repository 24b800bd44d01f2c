"""The committed table of the mutants is that of these solutions, and a few of them are caught."""

import hashlib
import os
from concurrent.futures import ProcessPoolExecutor

from grader.tests.mutation import mutants, results
from grader.tests.mutation.trial import judge

EVERY = [m for lab in mutants.WANTED for m in mutants.chosen(lab)]
SAMPLE = 6  # of lab 1, which builds in no time


def test_the_table_is_of_these_solutions() -> None:
    text = results.FILE.read_text()
    assert mutants.fingerprint() in text, "the solutions have changed: make mutation"
    rows = {line.split(" | ")[0].removeprefix("| ") for line in text.splitlines()}
    assert {m.id for m in EVERY} <= rows


def test_none_survived() -> None:
    counts = next(
        line for line in results.FILE.read_text().splitlines() if line.startswith("| all |")
    )
    mutated, caught, *_, equivalent, survived = (int(n) for n in counts.strip("| ").split("|")[1:])
    assert survived == 0
    assert mutated == caught + equivalent >= 150


def test_equivalent_ones_are_mutants_and_have_a_reason() -> None:
    assert set(results.EQUIVALENT) <= {m.id for m in EVERY}
    assert all(len(reason.split()) > 3 for reason in results.EQUIVALENT.values())


def test_a_mutant_is_one_change() -> None:
    assert len({m.id for m in EVERY}) == len(EVERY)
    for mutant in EVERY:
        source = mutants.solution(mutant.lab, mutant.file).read_bytes()
        assert source[mutant.start : mutant.end].decode() != mutant.new
        assert mutants.mutated(mutant)[: mutant.start] == source[: mutant.start]
        assert mutants.mutated(mutant).endswith(source[mutant.end :])


def test_a_sample_is_caught() -> None:
    some = sorted(mutants.chosen("lab1"), key=lambda m: hashlib.sha1(m.id.encode()).digest())
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for outcome in pool.map(judge, some[:SAMPLE]):
            assert outcome.caught_by is not None or outcome.id in results.EQUIVALENT, outcome.id
