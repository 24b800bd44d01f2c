"""What a kind of question makes: a text, the answer, and how to compute the answer once more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

FEWEST = 3  # different answers that a question needs
Value = int | str


class CannotTell(Exception):  # noqa: N818 - it is no error
    """The program does something that this kind of question, or this second computation, does not
    know. Nothing is asked then."""


@dataclass(frozen=True)
class Draft:
    """A question that is not asked yet.

    line: what it quotes; 0 for nothing. answer: from the run; a number is typed, words are chosen.
    second: the same answer, computed in an unlike way; raises CannotTell where it cannot.
    mistakes: other answers, the likeliest first, each with the misunderstanding that gives it.
    """

    line: int
    text: str
    answer: Value
    second: Callable[[], Value]
    why: str
    mistakes: Sequence[tuple[Value, str]]

    def wrong(self) -> dict[str, str]:
        """The mistakes as they are offered. One that gives the right answer by chance is no mistake
        here, and of two that give the same the first stays."""
        found: dict[str, str] = {}
        for value, why in self.mistakes:
            if value != self.answer and not (isinstance(value, int) and value < 0):
                found.setdefault(str(value), why)
        return found
