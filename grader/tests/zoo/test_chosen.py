"""The parts of the zoo that the tests of different commits grade make up the whole."""

from collections.abc import Iterable

import pytest

from grader.tests.zoo import chosen
from grader.tests.zoo.entries import Entry, everything


def test_the_parts_are_the_whole() -> None:
    parts = [set(chosen.choose(everything(), part)) for part in range(chosen.PARTS)]
    assert set().union(*parts) == set(everything())
    assert all(len(part) < 0.6 * len(everything()) for part in parts)


@pytest.mark.parametrize("part", range(chosen.PARTS))
def test_each_part_has_one_of_each_kind(part: int) -> None:
    def kinds(entries: Iterable[Entry]) -> set[tuple[str, str]]:
        return {(e.verdict, e.detail) for e in entries}

    assert kinds(chosen.choose(everything(), part)) == kinds(everything())


def test_what_the_environment_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZOO", "all")
    assert chosen.entries() == list(everything())
    monkeypatch.setenv("ZOO", "2")
    assert chosen.entries() == chosen.choose(everything(), 2)
    monkeypatch.delenv("ZOO")
    assert chosen.entries() == chosen.choose(everything(), chosen.part_of_commit())
    assert chosen.entries() == chosen.entries()


def test_without_git_it_is_the_first_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert chosen.part_of_commit() == 0
