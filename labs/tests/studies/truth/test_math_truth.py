"""The exact device functions give the bits that an H200 gave: math_truth.cu."""

import gzip
from pathlib import Path

import pytest

from grader.tests.execute.test_program import run

HERE = Path(__file__).parents[3] / "studies" / "truth"


def results(output: str) -> dict[tuple[str, int], str]:
    """The result of each function for each of its inputs, by name and number."""
    values = {}
    for line in output.splitlines():
        head, _, words = line.partition(":")
        name, first = head.split()
        for number, word in enumerate(words.split(), int(first)):
            values[name, number] = word
    return values


@pytest.mark.slow("millions of values against those of a GPU")
def test_exact_functions_give_the_gpus_bits() -> None:
    done = run(HERE / "math_truth.cu")
    assert done.returncode == 0, done.stderr
    ours = results(done.stdout)
    theirs = results(gzip.decompress((HERE / "math_truth.out.gz").read_bytes()).decode())
    assert ours.keys() == theirs.keys()
    assert len(ours) > 180_000
    different = {key: (ours[key], theirs[key]) for key in ours if ours[key] != theirs[key]}
    assert not different, list(different.items())[:10]
