"""The gradebook, as RUN/gradebook.csv."""

from __future__ import annotations

from grader.bulk import report
from grader.bulk.store import Store


def render(store: Store) -> dict[str, bytes]:
    return {"gradebook.csv": report.gradebook(store).encode(errors="replace")}
