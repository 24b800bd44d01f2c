"""Ordinary programs are not refused: a short text for each thing that students write.

Each is compiled as a file of a lab of its own, in every kind of build, without a warning;
test_known grades the lab's solution behind it.
"""

import pytest

from grader.tests.compile.permitted.objects import Outcome, outcomes
from grader.tests.known_submissions import entries


@pytest.fixture(scope="module", params=[("lab1", ".c", "cpu"), ("lab3", ".cu", "sim")])
def compiled(request: pytest.FixtureRequest) -> dict[str, Outcome]:
    lab, suffix, backend = request.param
    sources = {f"{e.name}{suffix}": entries.own_text(e) for e in entries.of_lab(lab, "habit")}
    return outcomes(sources, lab, backend)


@pytest.mark.slow("each habit is compiled in every kind of build")
def test_habits_are_not_refused(compiled: dict[str, Outcome]) -> None:
    complaints = [f"{n}: {o.refused} {o.log}" for n, o in compiled.items() if o.refused or o.log]
    assert not complaints, "\n".join(complaints)
    assert len(compiled) >= 20
