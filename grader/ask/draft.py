"""What a kind of question makes: a text, the answer, and how to compute the answer once more."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FEWEST = 3  # different answers that a question needs
Value = int | str
Mistake = tuple[Value, str]  # another answer, and the misunderstanding that gives it
ENDS = "one more or one less: did you count both the first and the last?"


class CannotTell(Exception):  # noqa: N818 - it is no error
    """The program does something that this kind of question, or this second computation, does not
    know. Nothing is asked then."""


@dataclass(frozen=True)
class Draft:
    """A question that is not asked yet.

    line: what it quotes; 0 for nothing. answer: from the run; a number is typed, words are chosen.
    second: the same answer, computed in another way; raises CannotTell where it cannot.
    mistakes: the likeliest first. counts: of a number, what is counted; it is the hint for a number
    that no mistake gives.
    """

    line: int
    text: str
    answer: Value
    second: Callable[[], Value]
    why: str
    mistakes: Sequence[Mistake]
    counts: str = ""

    def wrong(self) -> dict[str, str]:
        """The mistakes as they are offered. One that gives the right answer by chance is no mistake
        here, and of two that give the same the first stays."""
        found: dict[str, str] = {}
        near = [(self.answer + n, ENDS) for n in (1, -1)] if isinstance(self.answer, int) else []
        for value, why in [*self.mistakes, *near]:
            if value != self.answer and not (isinstance(value, int) and value < 0):
                found.setdefault(str(value), why)
        return found


def assuming(
    formula: Callable[..., int], terms: Mapping[str, Any], *others: tuple[Mapping[str, Any], str]
) -> list[Mistake]:
    """What the formula of an answer gives where some of its terms are others. others: these terms,
    and the assumption that they stand for, as a hint."""
    return [(formula(**{**terms, **changed}), why) for changed, why in others]
