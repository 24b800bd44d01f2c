"""What the store of a run knows, for the rules of the course: grades follow from it."""

from datetime import UTC, datetime
from functools import partial

from grader.classroom.bulk import logs, questions
from grader.classroom.bulk.intake.discover import DOWNLOAD
from grader.classroom.bulk.store import Store
from grader.classroom.course import final, settings
from grader.classroom.course.attempt import Attempt
from grader.classroom.course.final import ClassRecords, Final, Predicted, RightAnswers
from grader.classroom.course.settings import Course
from grader.model import outline

COURSE = "course.toml"  # the setting of the store that holds the course's rules
COLLECTED = "collected"  # the one that says when the submissions were last read, in ISO 8601


def rules(store: Store) -> Course:
    """The course's rules that a run was last graded with. Raises SettingsError."""
    text = store.setting(COURSE)
    return settings.parse(text, frozenset(outline.available())) if text else Course()


def finals(store: Store, course: Course) -> list[Final]:
    """The grades of a run by these rules. Raises StoreError when a grade is damaged."""
    return final.finals(of(store), course)


def of(store: Store) -> ClassRecords:
    """Of a run."""
    return ClassRecords(
        submissions=store.submissions(),
        attempts=[*store.attempts()],
        read=collected(store),
        overrides=store.overrides.current(),
        overrides_of_checks=store.overrides.of_checks(),
        result_of=store.result_of,
        answers_of=partial(_answers, store, questions.answers(store)),
        predicted_of=partial(_predicted, store),
    )


def keep_collected(store: Store, download: str, read: datetime) -> None:
    """Keeps what was read, and when."""
    store.keep_setting(DOWNLOAD, download.encode())
    store.keep_setting(COLLECTED, read.isoformat().encode())


def collected(store: Store) -> datetime:
    """When the submissions were last read; of a run that does not know it, now."""
    text = store.setting(COLLECTED).decode()
    return datetime.fromisoformat(text) if text else datetime.now(UTC)


def _answers(store: Store, given: questions.Answers, attempt: Attempt) -> RightAnswers | None:
    """None before the first answer is known, and of whom nothing was asked."""
    made = questions.of(store, attempt) if given else None
    if made is None or not made.asked:
        return None
    right = sum(bool(each.right) for each in questions.judged(made, given))
    return RightAnswers(right, len(made.asked))


def _predicted(store: Store, attempt: Attempt) -> Predicted:
    log = logs.of(store, attempt)
    entries = [entry for entry in log.entries if not entry.by] if log else []
    return Predicted(sum(bool(entry.why.strip()) for entry in entries), len(entries))
