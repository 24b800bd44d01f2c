"""Writes all that a run folder shows, from its store: feedback, gradebook and history."""

from datetime import UTC, datetime

from grader.classroom.bulk.store import Store
from grader.classroom.export import feedback, gradebook
from grader.classroom.export import grades as grading


def write(store: Store) -> None:
    """Writes what has changed. Raises OSError, StoreError, and SettingsError."""
    grades = grading.of(store)
    feedback.write(grades)
    gradebook.write(grades)
    store.history.add(datetime.now(UTC), (grade.past() for grade in grades.every))
