"""A bulk run of any size whose submissions differ from one another, without grades.

python -m grader.tests.classroom.similarity.made_class RUN LAB STUDENTS
"""

import random
import sys
from pathlib import Path

from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt, HandIn
from grader.classroom.course.person import Person
from grader.tests.classroom.similarity import programs

SIGNS = (b" + ", b" - ", b" * ", b" < ", b" / ", b" >= ")
SHARE = 0.35  # of the operators and statements that are changed


def changed(source: bytes, number: int) -> bytes:
    """The program with about a third of its operators others, and statements added: it parses."""
    chance = random.Random(number)
    parts = source.split(b" ")
    for i, part in enumerate(parts):
        if part.strip() in (b"+", b"-", b"*", b"<") and chance.random() < SHARE:
            parts[i] = chance.choice(SIGNS).strip()
        elif part.endswith(b";\n") and chance.random() < SHARE / 3:
            parts[i] = part[:-1] + b" extra%d ^= %d;\n" % (chance.randrange(9), number)
    return b" ".join(parts)


def make(
    run: Path,
    lab: str,
    codes: dict[str, bytes],
    people: dict[str, tuple[Person, ...]] | None = None,
) -> None:
    """A run of one lab with these files, by student."""
    run.mkdir(parents=True, exist_ok=True)
    store = Store(run, resume=False)
    try:
        for student, code in codes.items():
            key = f"{lab} {code!r}"
            row = Attempt(student, lab, "waiting", key, "")
            submission = HandIn(student, people=(people or {}).get(student, ()))
            store.save_submission(submission, "digest", [row], {key: {programs.file_of(lab): code}})
    finally:
        store.close()


def synthetic(lab: str, students: int) -> dict[str, bytes]:
    bases = list(programs.independent(lab).values())
    return {
        f"Student {number:03}": changed(bases[number % len(bases)], number)
        for number in range(1, students + 1)
    }


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2], synthetic(sys.argv[2], int(sys.argv[3])))
