"""The committed predictions of the solutions and baselines are of the present files."""

from grader.predict.references import references
from labs.studies.predict.references import made_of


def test_the_references_are_of_these_files() -> None:
    """After a change of the model's numbers, a solution, a baseline or an input:
    python -m labs.studies.predict.references"""
    known, now = references().made_of, made_of()
    stale = [name for name in now | known if now.get(name) != known.get(name)]
    assert not stale, "run python -m labs.studies.predict.references"
