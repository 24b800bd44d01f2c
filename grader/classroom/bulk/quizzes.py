"""Questions for a class: some for each graded submission, kept with their keys in the run.

They are generated from a secret of the run, so that no student can reproduce them. Only the run,
and what is exported from it for instructors, contains the keys.
"""

import hashlib
import secrets
from collections.abc import Iterator

import msgspec

from grader import paths
from grader.ask.program import NoQuestionsError
from grader.ask.quiz import quiz
from grader.classroom.bulk import questions, variants
from grader.classroom.bulk.intake import collect
from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt
from grader.model import submission as submissions
from grader.model.lab import Lab
from grader.model.question import QuizKeys

SEED = "quiz seed"


def make(store: Store, labs: list[Lab], count: int) -> Iterator[QuizKeys]:
    """Draws `count` questions for each lab of each student that was graded, and keeps them. What
    is kept of the same files stays."""
    secret = store.setting(SEED) or secrets.token_hex(16).encode()
    store.keep_setting(SEED, secret)
    by_id = {lab.id: lab for lab in labs}
    for row in list(store.rows()):
        if row.status == "graded" and row.lab in by_id:
            made = questions.of(store, row)
            files = submissions.digests(store.files(row.key))
            if made is None or made.files != files or len(made.asked) < count:
                made = _drawn(store, row, by_id[row.lab], count, secret, files)
                store.keep_setting(questions.setting(row), msgspec.json.encode(made))
            yield made


def _drawn(
    store: Store, row: Attempt, lab: Lab, count: int, secret: bytes, files: dict[str, str]
) -> QuizKeys:
    """Questions about all parts that work, by turns."""
    seed = hashlib.sha256(secret + repr((row.student, row.lab)).encode()).hexdigest()
    contents, home = store.files(row.key), paths.BUILD / "bulk" / "quiz"
    submission = collect.submission(variants.lab_of(lab, contents), contents, home)
    asked, withheld = [], []
    parts = len(lab.part)
    for place, part in enumerate(lab.part):
        wanted = count // parts + (place < count % parts)
        with quiz(submission, part.id, seed) as part_quiz:
            try:
                found = zip(part_quiz.questions(), range(wanted), strict=False)
                asked += [question for question, _ in found]
            except NoQuestionsError:
                continue
            withheld += part_quiz.tally.withheld
    return QuizKeys(row.lab, row.student, files, asked, withheld)
