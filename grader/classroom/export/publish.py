"""Writes all that a run folder shows of its grades: feedback, gradebook and history."""

from datetime import UTC, datetime

from grader.classroom.bulk.history import past
from grader.classroom.export import feedback, gradebook
from grader.classroom.export.grades import Grades


def write(grades: Grades) -> None:
    """Writes what has changed. Raises OSError."""
    feedback.write(grades)
    gradebook.write(grades)
    grades.store.history.add(datetime.now(UTC), map(past, grades.every))
