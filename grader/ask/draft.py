"""What a kind of question makes: a text, the answer, and how to compute the answer once more."""

from collections.abc import Callable
from dataclasses import dataclass, field

FEWEST = 3  # different answers that a question needs


class CannotTell(Exception):  # noqa: N818 - it is no error
    """The program does something that this kind of question, or this second computation, does not
    know. Nothing is asked then."""


@dataclass(frozen=True)
class Draft:
    """A question that is not asked yet.

    file, line: what it quotes; line 0 for nothing. answer: from the run. second: the same answer,
    computed in an unlike way; raises CannotTell where it cannot. ways: both computations, in words.
    mistakes: other answers, each with the misunderstanding that gives it. typed: a number.
    """

    file: str
    line: int
    text: str
    answer: str
    second: Callable[[], str]
    ways: tuple[str, str]
    why: str
    mistakes: dict[str, str] = field(default_factory=dict)
    typed: bool = True

    def options(self) -> list[str]:
        """All answers that may be offered, the right one first."""
        return [self.answer, *(text for text in self.mistakes if text != self.answer)]


def numbers(answer: int, mistakes: list[tuple[int, str]]) -> dict[str, str]:
    """Mistakes with numbers as answers. One that gives the right answer by chance is no mistake
    here, and of two that give the same the first stays."""
    found: dict[str, str] = {}
    for value, why in mistakes:
        if value != answer and value >= 0:
            found.setdefault(str(value), why)
    return found
