"""Ordinary programs are not refused: one short file for each thing that students write.

Each is compiled as a file of a lab, in every kind of build; none is run.
"""

from pathlib import Path

import pytest

from grader.tests.compile.permitted.objects import Outcome, outcomes

FOLDER = Path(__file__).parent
LABS = {".c": ("lab1", "cpu"), ".cu": ("lab3", "sim")}


@pytest.fixture(scope="module", params=[".c", ".cu"])
def compiled(request: pytest.FixtureRequest) -> dict[str, Outcome]:
    files = sorted(FOLDER.glob(f"*{request.param}"))
    lab, backend = LABS[request.param]
    return outcomes({f.name: f.read_text() for f in files}, lab, backend)


@pytest.mark.slow("each honest program is compiled in every kind of build")
def test_honest_programs_are_not_refused(compiled: dict[str, Outcome]) -> None:
    complaints = [f"{n}: {o.refused} {o.log}" for n, o in compiled.items() if o.refused or o.log]
    assert not complaints, "\n".join(complaints)
    assert len(compiled) >= 30
