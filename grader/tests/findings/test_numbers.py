"""Nothing reads a sentence: wrong programs get the same grade where each one is a number."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from grader.findings import catalogue
from grader.tests.known_submissions import entries, grading
from grader.tests.known_submissions.grading import Graded

# A race, one that a barrier orders, an access outside, a leak, a call that fails, memory that
# nothing was written to; by the simulator, by the sanitizers and by the check of OpenMP's threads.
# Each run says the same of them.
WRONG = (
    *("lab1/gap-copy-never-freed", "lab1/gap-reads-past-mask", "lab2/errors-ignored"),
    *("lab2/leak-on-error", "lab2/unsafe-leak", "lab2/unsafe-spare-threads-write"),
    *("lab2/unsafe-reads-the-output",),
    *("lab3/block-too-large", "lab4/barrier-missing", "lab4/mask-loaded-in-part"),
    "lab5/gap-no-barrier-between-tiles",
)
FOLDER = re.compile(r"/\S*/known-\w+/")  # of one grade
NUMBER = re.compile(r"(?P<place>.*?)\b(?:7000\d{3})")  # what stands before a sentence, and it
Grade = Callable[[str], Graded]
pytestmark = pytest.mark.apart


def with_numbers(name: str) -> Graded:
    """The entry's grade. To be called in a process that grades nothing else."""
    for number, key in enumerate(catalogue.TEMPLATES):
        catalogue.TEMPLATES[key] = str(7000000 + number)
    return with_sentences(name)


def with_sentences(name: str) -> Graded:
    return grading.grade(next(e for e in entries.everything() if str(e) == name))


def alike(said: str, numbered: str) -> bool:
    """Is it the same line, but for a sentence that is a number there?"""
    found = NUMBER.match(numbered)
    return said.startswith(found["place"]) if found else said == numbered


@pytest.mark.slow("each is graded twice")
@pytest.mark.parametrize("name", WRONG)
def test_a_grade_is_the_same_without_sentences(name: str) -> None:
    with grading.processes(1) as pool:
        said: dict[str, Any] = pool.submit(with_sentences, name).result().document
    with grading.processes(1) as pool:
        numbered: dict[str, Any] = pool.submit(with_numbers, name).result().document
    assert said["score"] == numbered["score"]
    numbers = 0
    for one, other in zip(said["checks"], numbered["checks"], strict=True):
        for key in ("id", "verdict", "points", "diagnosis", "needs"):
            assert one[key] == other[key]
        assert one["details"].get("findings") == other["details"].get("findings")
        assert len(one["message"]) == len(other["message"]), (one["message"], other["message"])
        lines = [[FOLDER.sub("", line) for line in check["message"]] for check in (one, other)]
        for line, number in zip(*lines, strict=True):
            assert alike(line, number), (line, number)
            numbers += line != number
    assert numbers, "no finding was said"
