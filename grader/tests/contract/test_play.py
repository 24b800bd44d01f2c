"""The limits of a program while it runs a sequence of calls."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.contract import draw, play, script
from grader.contract.step import Sequence
from grader.execute import with_evidence
from grader.execute.evidence import Evidence
from grader.model import spec
from grader.sandbox.ending import Finished

LAB = spec.load("lab7")
CONTRACT = LAB.contract[0]


@pytest.mark.parametrize(("calls", "times"), [(1, 1), (3, 1), (20, 1), (30, 1.5), (40, 2)])
def test_many_calls_may_use_more_than_one_case(
    calls: int, times: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A right program that takes a while must not be told that it never ends."""
    given: list[float] = []

    def start(*asked: Any) -> AbstractContextManager[Any]:
        limits, folder = asked[1:3]
        given.append(limits.seconds)
        (folder / script.RESULTS).touch()
        done = Finished(limits, status=0, signal=None, stopped_by=None, seconds=1)
        return nullcontext(SimpleNamespace(wait=lambda: (done, Evidence())))

    monkeypatch.setattr(with_evidence, "start", start)
    steps = [step for drawn in draw.draw_sequences(LAB, CONTRACT, 1) for step in drawn]
    step = min(steps, key=lambda s: s.width * s.height * s.channels)
    sequence: Sequence = tuple(replace(step) for _ in range(calls))
    play.Player(LAB, CONTRACT, tmp_path / "program", tmp_path).play(sequence)
    assert given == [LAB.limits.seconds * times]
