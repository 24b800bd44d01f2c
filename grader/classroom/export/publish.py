"""Writes all that a run folder shows, from its store: feedback, gradebook, history and, where the
course makes one, the leaderboard."""

from datetime import UTC, datetime

from grader.classroom.bulk.store import Store
from grader.classroom.export import feedback, gradebook, leaderboard
from grader.classroom.export import grades as grading
from grader.classroom.export.grades import Grades


def write(store: Store) -> Grades:
    """Writes what has changed, and returns the grades. Raises OSError, StoreError, and
    SettingsError."""
    grades = grading.of(store)
    feedback.write(grades)
    gradebook.write(grades)
    if grades.rules.leaderboard:
        leaderboard.write(grades)
    store.history.add(datetime.now(UTC), (grade.past() for grade in grades.every))
    return grades
