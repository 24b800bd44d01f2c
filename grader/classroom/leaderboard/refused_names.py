"""Pseudonyms that would name somebody: they are on no leaderboard.

A pseudonym is refused that is the name, a part of the name, a login, an address or a number of
anybody whom the run knows, in any writing; or that has somebody's whole name inside.
"""

from collections.abc import Iterable

from grader.classroom.bulk.final import Student
from grader.classroom.course import student_name
from grader.model.pseudonym import folded

LEAST = 2  # characters of what is compared: an initial names nobody
LEAST_INSIDE = 5  # characters of a whole name, or of the student's own login, inside a pseudonym


class RealNames:
    """Whatever names the students of a class."""

    def __init__(self, everybody: Iterable[Student]) -> None:
        self._exact: set[str] = set()
        self._inside: set[str] = set()
        for student in everybody:
            texts = _texts(student)
            self._exact |= texts
            for name in (student.person.name, student.id):
                words = [folded(word) for word in student_name.words(name)]
                self._exact |= {word for word in words if len(word) >= LEAST}
                if len(words) > 1:
                    whole = {"".join(words[at:] + words[:at]) for at in range(len(words))}
                    self._inside |= {name for name in whole if len(name) >= LEAST_INSIDE}

    def names_somebody(self, pseudonym: str, owners: Iterable[Student]) -> bool:
        """Whether a pseudonym names anybody. owners: whose it is; their logins and numbers must not
        be inside either."""
        own = {text for student in owners for text in _texts(student) if len(text) >= LEAST_INSIDE}
        # Accents do not hide a name: "Zoë" is "Zoe".
        forms = {folded(pseudonym), "".join(student_name.words(pseudonym))}
        return any(
            form in self._exact or any(text in form for text in self._inside | own)
            for form in forms
        )


def _texts(student: Student) -> set[str]:
    """A student's identifiers, and an address without its domain."""
    texts = {*student.names(), *(each.student for each in student.submissions)}
    texts |= {text.partition("@")[0] for text in texts}
    return {text for text in map(folded, texts) if len(text) >= LEAST}
