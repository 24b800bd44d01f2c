"""Every kind of question over programs of all labs: no key is wrong, and there are enough."""

from pathlib import Path
from random import Random

import pytest

from grader import paths
from grader.ask.catalogue import KINDS
from grader.ask.draft import FEWEST
from grader.ask.quiz import Quiz, quiz
from grader.model import spec
from grader.model import submission as submissions
from grader.model.question import Asked
from grader.model.submission import Submission
from grader.tests.zoo import entries as zoo

ENOUGH = 5
PARTS = [(lab, part.id) for lab in spec.available() for part in spec.load(lab).part]
# Programs that are right in another way: other blocks, tiles, orders, slower or faster.
OTHERS = ("expert",)
HONEST = Path(__file__).parents[1] / "honest"


def asked_of(submission: Submission, part: str, kinds: list[str]) -> tuple[Quiz, list[Asked]]:
    with quiz(submission, part, "kinds") as drawn:
        drawn.program.must_be_right()
        found = [drawn.one(kind, turn) for turn in range(3) for kind in kinds]
        return drawn, [asked for asked in found if asked]


def check(submission: Submission, part: str, kinds: list[str]) -> set[str]:
    """Asks; returns which kinds were asked."""
    drawn, asked = asked_of(submission, part, kinds)
    assert drawn.tally.withheld == []
    for each in asked:
        question, key = each.question, each.key
        assert key.answer in question.options, question
        assert len(question.options) == len(set(question.options)) >= FEWEST, question
        assert set(key.mistakes) == set(question.options) - {key.answer}, question
        assert question.code == drawn.program.text.quoted(question.line)[:100] or not question.line
    return {each.question.kind for each in asked}


@pytest.mark.slow("builds each lab's solution, and changes of it")
@pytest.mark.parametrize(("lab", "part"), PARTS)
def test_every_key_of_a_solution_agrees(lab: str, part: str) -> None:
    solution = submissions.find(spec.load(lab, hidden=False), "solutions")
    # All kinds that compile a changed program for one part of a lab; for the others, one.
    slow = [kind for kind in KINDS if KINDS[kind].REBUILDS]
    first = part == spec.load(lab).part[0].id
    chosen = slow if first else [Random(part).choice(slow)]
    quick = [kind for kind in KINDS if not KINDS[kind].REBUILDS]
    drawn, _ = asked_of(solution, part, [])
    found = check(solution, part, [*quick, *chosen])
    assert drawn.tally.asked.total() == 0 and len(found) >= 2, found
    assert sum(1 for _ in found) >= 1


@pytest.mark.slow("builds programs of the zoo")
@pytest.mark.parametrize("entry", [e for e in zoo.everything() if e.verdict == "right"], ids=str)
def test_every_key_of_a_right_program_agrees(entry: zoo.Entry, tmp_path: Path) -> None:
    source = zoo.write(entry, tmp_path)
    lab = spec.load(entry.lab, hidden=False)
    submission = submissions.find(lab, str(source))
    quick = [kind for kind in KINDS if not KINDS[kind].REBUILDS]
    for part in lab.part:
        check(submission, part.id, quick)


def test_all_labs_have_at_least_fourteen_kinds() -> None:
    assert len(KINDS) >= 14
    assert all(kind.ABOUT for kind in KINDS.values())
    assert (paths.ROOT / "grader" / "ask" / "kinds").is_dir()
