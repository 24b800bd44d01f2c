"""Every kind of question over programs of all labs: no key is wrong, and there are enough."""

import re
from pathlib import Path
from random import Random

import msgspec
import pytest

from grader.ask.catalogue import KINDS
from grader.ask.draft import FEWEST
from grader.ask.quiz import Quiz, quiz
from grader.model import outline, spec
from grader.model import submission as submissions
from grader.model.question import Asked
from grader.model.submission import Submission
from grader.tests.known_submissions import entries

pytestmark = pytest.mark.apart
ENOUGH = 5
PARTS = [(lab, part.id) for lab in outline.available() for part in spec.load(lab).part]
QUICK = [name for name, kind in KINDS.items() if not kind.rebuilds]
SLOW = [name for name, kind in KINDS.items() if kind.rebuilds]

# Right in another way than the solution: other blocks, tiles and orders.
OTHERS = [entry for lab in outline.available() for entry in entries.of_lab(lab, "right")[:2]]


ODD = re.compile(  # 1 bytes; 1 lane read; 4 to 4; sectors 5, 6.; said twice
    r"(?<![\w.^/-])(?<!x )(?<!Eq\. )(?<!warp )(?<!block )1 (?:different )?"
    r"(?!pass|address|access|is)\w+s\b"
    r"|(?<!and )\b1 \w+ (?:are|have|take|read|access)\b|\b(\d+) to \1\b|s \d+, \d+\."
    r"|\b([a-z]+) \2\b|  "
)


def spoken(asked: Asked) -> list[str]:
    """All sentences about a question."""
    key = asked.key
    return [asked.question.text, key.why, key.otherwise, *key.mistakes.values()]


def asked_of(submission: Submission, part: str, kinds: list[str]) -> tuple[Quiz, list[Asked]]:
    with quiz(submission, part, "kinds") as drawn:
        drawn.program.must_be_right()
        found = [drawn.one(kind, turn) for turn in range(4) for kind in kinds]
        return drawn, [asked for asked in found if asked]


def check(submission: Submission, part: str, kinds: list[str]) -> None:
    """Asks. No key may differ between its two computations, and there must be enough questions."""
    drawn, asked = asked_of(submission, part, kinds)
    assert drawn.tally.withheld == []
    reasons = drawn.tally.reasons.items()  # a changed program has what it needs
    assert not [kind for kind, reason in reasons if "illegal instruction" in reason]
    for each in asked:
        question, key = each.question, each.key
        assert key.answer in question.options, question
        assert len(question.options) == len(set(question.options)) >= FEWEST, question
        offered, named = {*question.options} - {key.answer}, {*key.mistakes}
        assert named >= offered if question.typed else named == offered, question
        assert not question.typed or (key.otherwise and len(named) >= 4), "any number has a hint"
        faults = [found[0] for said in spoken(each) for found in ODD.finditer(said)]
        assert not faults, (faults, question, key.why)
        quoted = drawn.program.text.quoted(question.line)[:90]
        assert not question.line or question.code.startswith(quoted.split("\t")[0]), question
    assert len(asked) >= ENOUGH, [each.question.kind for each in asked]


@pytest.mark.slow("builds each lab's solution, and changes of it")
@pytest.mark.parametrize(("lab", "part"), PARTS)
def test_every_key_of_a_solution_agrees(lab: str, part: str) -> None:
    solution = submissions.find(spec.load(lab, hidden=False), "solutions")
    # All kinds that compile a changed program for one part of a lab; for the others, one.
    first = part == spec.load(lab).part[0].id
    chosen = SLOW if first else [Random(part).choice(SLOW)]
    check(solution, part, [*QUICK, *chosen])


@pytest.mark.slow("builds known submissions")
@pytest.mark.parametrize("entry", OTHERS, ids=str)
def test_every_key_of_another_program_agrees(entry: entries.Entry, tmp_path: Path) -> None:
    lab = spec.load(entry.lab, hidden=False)
    submission = submissions.find(lab, str(entries.write(entry, tmp_path)))
    check(submission, lab.part[0].id, QUICK)


def test_there_are_fourteen_kinds_and_each_says_what_it_is_about() -> None:
    assert len(KINDS) >= 14 and all(kind.about.endswith("?") for kind in KINDS.values())


@pytest.mark.slow("builds a solution, and one with another block")
def test_questions_depend_only_on_file_and_block(tmp_path: Path) -> None:
    solution = submissions.find(spec.load("lab3", hidden=False), "solutions")
    kinds = ["blocks", "writer", "occupancy", "sectors"]
    made = [[*asked_of(solution, "A", kinds)[1]] for _ in range(2)]
    assert msgspec.json.encode(made[0]) == msgspec.json.encode(made[1])
    name = solution.lab.submit[0]
    other = solution.text(name).replace("BLOCK_HEIGHT = 8", "BLOCK_HEIGHT = 2")
    contents = {**solution.contents, name: other.encode()}
    assert contents != solution.contents
    (tmp_path / name).write_bytes(contents[name])
    found = submissions.find(solution.lab, str(tmp_path))
    answers = [
        {(each.question.kind, each.key.answer) for each in asked}
        for asked in (made[0], asked_of(found, "A", kinds)[1])
    ]
    assert not {a for a in answers[0] & answers[1] if a[0] in ("blocks", "occupancy")}
