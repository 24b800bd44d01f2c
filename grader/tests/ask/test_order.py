"""Which kind of question follows which."""

from collections.abc import Callable
from contextlib import nullcontext
from itertools import islice
from random import Random

import pytest

from grader.ask import quiz as quizzes
from grader.ask.catalogue import Kind
from grader.ask.draft import CannotTell, Draft
from grader.ask.program import AskedPart
from grader.ask.quiz import IN_A_ROW, quiz
from grader.model import spec
from grader.model import submission as submissions


def of_kind(name: str, fits: bool) -> Callable[[AskedPart, Random], Draft]:
    def ask(_: AskedPart, draw: Random) -> Draft:
        if not fits:
            raise CannotTell("it does not fit")
        text = f"{name} {draw.random()}"
        return Draft(0, text, 5, lambda: 5, text, [(1, "one"), (2, "two")], "count")

    return ask


def asked(monkeypatch: pytest.MonkeyPatch, quick: int, slow: int, first: list[str]) -> list[str]:
    kinds = {f"k{n}": Kind("?", n >= quick, n == 0, of_kind(f"k{n}", True))
             for n in range(quick + slow)}  # fmt: skip
    kinds["never"] = Kind("?", False, False, of_kind("never", False))
    monkeypatch.setattr(quizzes, "KINDS", kinds)
    monkeypatch.setattr(AskedPart, "must_be_right", lambda _: None)
    monkeypatch.setattr(AskedPart, "building", lambda _: nullcontext())
    solution = submissions.find(spec.load("lab1"), "solutions")
    with quiz(solution, "A", "order") as drawn:
        return [each.question.kind for each in islice(drawn.questions(first), 20)]


@pytest.mark.parametrize(("quick", "slow"), [(5, 0), (4, 1), (3, 4), (9, 2)])
@pytest.mark.parametrize("first", [[], ["k0", "k2"]])
def test_five_in_a_row_are_of_five_kinds(
    quick: int, slow: int, first: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = asked(monkeypatch, quick, slow, first)
    assert len(kinds) == 20
    for at in range(len(kinds) - IN_A_ROW + 1):
        assert len({*kinds[at : at + IN_A_ROW]}) == IN_A_ROW, kinds


def test_fewer_kinds_come_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = asked(monkeypatch, 3, 0, [])
    assert len(kinds) >= 18 and all({*kinds[at : at + 3]} == {*kinds} for at in range(12)), kinds
