"""A question about a student's own program, and its key. They are apart: a student gets the first
without the second."""

from typing import Literal

import msgspec


class Question(msgspec.Struct, frozen=True):
    """One question. id: the same for the same file and seed. code: the line that it is about, as it
    is in the file; "" where it is about no line. options: what can be chosen, the key among
    them, or numbers to choose from where the answer is not typed. typed: it is a number."""

    id: str
    kind: str
    lab: str
    part: str
    file: str
    line: int
    code: str
    text: str
    options: list[str]
    typed: bool


class Key(msgspec.Struct, frozen=True):
    """The right answer of a question. why: what the run did. mistakes: what leads to another
    answer, by that answer: the other options, and further numbers where the answer is typed.
    otherwise: the hint for any other number, which says what is counted."""

    id: str
    answer: str
    why: str
    mistakes: dict[str, str]
    otherwise: str = ""

    def hint(self, given: str) -> str:
        """What to say of a wrong answer; "" where nothing is known of it."""
        return self.mistakes.get(given, self.otherwise)


class Asked(msgspec.Struct, frozen=True):
    """A question with its key."""

    question: Question
    key: Key


class QuizKeys(msgspec.Struct, frozen=True):
    """The questions of one student with their keys: for instructors. student: the name under which
    the submission is stored. withheld: questions whose two computations differ, which is a fault of
    ours."""

    lab: str
    student: str
    files: dict[str, str]
    asked: list[Asked]
    withheld: list[str] = []
    schema: Literal["convlabs-quiz/v1"] = "convlabs-quiz/v1"
