"""The questions that a run stores, and a table of the students' answers from the instructor.

A line of it has a question's id, as the exports name it, and the answer. An id belongs to one
student. Of two answers in a table the first counts; a later table replaces what it names again.
"""

import csv
import io
from dataclasses import dataclass

import msgspec

from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt
from grader.execute import records
from grader.model import plain_text
from grader.model.question import Asked, QuizKeys

SETTING = "quiz answers"
COLUMNS = ("question", "answer")
Answers = dict[str, str]


class AnswersError(Exception):
    """The table of answers cannot be used; the message is for the instructor."""


def kept(store: Store, lab: str = "") -> list[QuizKeys]:
    """The questions of a lab, or of all: what quizzes.make() drew."""
    rows = (row for row in store.rows() if lab in ("", row.lab))
    return [made for row in rows if (made := of(store, row))]


def of(store: Store, row: Attempt) -> QuizKeys | None:
    """Those of one student and lab."""
    return records.readable(store.setting(setting(row)), QuizKeys)


def setting(row: Attempt) -> str:
    """The setting of the store that holds them."""
    return f"quiz {row.lab} {row.student}"


@dataclass(frozen=True)
class Answered:
    """One question that a student was asked. right: None where there is no answer."""

    asked: Asked
    right: bool | None


def read(data: bytes, file: str) -> Answers:
    """The answers in a CSV file, whose further columns are of no use here. Raises AnswersError."""
    try:
        rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        names = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
        if missing := " and no column ".join(name for name in COLUMNS if name not in names):
            rule = "its first line must have the names question and answer"
            raise AnswersError(f"{file} has no column {missing}: {rule}")
        question, answer = (names[name] for name in COLUMNS)
        found: Answers = {}
        for row in rows:
            found.setdefault((row[question] or "").strip(), (row[answer] or "").strip())
    except UnicodeDecodeError as problem:
        raise AnswersError(f"{file} is not text in UTF-8; export it again, as CSV") from problem
    except csv.Error as problem:
        why = plain_text.line(str(problem))
        raise AnswersError(f"{file} is no whole CSV file ({why}); export it again") from problem
    return found


def keep(store: Store, given: Answers) -> list[str]:
    """Adds the answers to those that the run has. Returns the ids that it does not know."""
    known = {asked.question.id for quiz in kept(store) for asked in quiz.asked}
    new = {name: text for name, text in given.items() if name in known}
    store.keep_setting(SETTING, msgspec.json.encode(answers(store) | new))
    return [name for name in given if name not in known]


def answers(store: Store) -> Answers:
    return records.readable(store.setting(SETTING), Answers) or {}


def judged(quiz: QuizKeys, given: Answers) -> list[Answered]:
    """The questions of a student, each with what became of it."""
    pairs = [(asked, given.get(asked.question.id)) for asked in quiz.asked]
    return [
        Answered(asked, text if text is None else is_right(asked, text)) for asked, text in pairs
    ]


def is_right(asked: Asked, text: str) -> bool:
    """Is the text the key? A number may be written in another way, such as 07 or 7.0."""
    try:
        return text == asked.key.answer or (
            asked.question.typed and float(text) == float(asked.key.answer)
        )
    except ValueError:
        return False
