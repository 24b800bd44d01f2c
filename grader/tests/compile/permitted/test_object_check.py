"""A submission's code is checked for forbidden calls before it runs."""

import pytest

from grader.tests.compile.permitted.objects import SHOWN, Outcome, outcomes
from grader.tests.compile.permitted.refused_sources import SOURCES, RefusedSource

LABS = {".c": ("lab1", "cpu"), ".cu": ("lab3", "sim")}


@pytest.fixture(scope="module")
def compiled() -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    for ending, (lab, backend) in LABS.items():
        files = {s.name: s.text for s in SOURCES if s.name.endswith(ending)}
        found |= outcomes(files, lab, backend)
    return found


@pytest.mark.slow("hundreds of objects are compiled, once for all tests of the file")
@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.name)
def test_forbidden_symbol_is_refused_with_its_line(
    source: RefusedSource, compiled: dict[str, Outcome]
) -> None:
    if source.says == "nothing":
        assert compiled[source.name] == Outcome([], "")
        return
    place = f"{SHOWN}/{source.name}:{source.line()}: "
    refused = compiled[source.name].refused
    assert any(r.startswith(place) and source.says in r for r in refused), compiled[source.name]
