"""The gradebook, as RUN/gradebook.csv."""

from __future__ import annotations

from grader.bulk.store import Store
from grader.export import feedback


def render(store: Store) -> dict[str, bytes]:
    return {"gradebook.csv": feedback.gradebook(store).encode(errors="replace")}
