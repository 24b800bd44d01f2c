"""The figures of each kind of question that a class was asked about its own programs."""

from collections.abc import Iterable
from dataclasses import dataclass

from grader.ask.catalogue import KINDS
from grader.classroom.bulk import questions
from grader.classroom.bulk.questions import Answered, Answers
from grader.classroom.bulk.store import Store
from grader.classroom.course.final import Final
from grader.classroom.page.checks import correlation, word_of


@dataclass(frozen=True)
class QuestionFigures:
    """One kind. right: of the questions that were answered, 0 to 1; None where none was."""

    kind: str
    asked: int
    answered: int
    right: float | None
    discrimination: float | None

    @property
    def about(self) -> str:
        """The kind in words; its name where this version has it no more."""
        return KINDS[self.kind].about if self.kind in KINDS else self.kind

    @property
    def meaning(self) -> str:
        return word_of(self.discrimination)


def figures(store: Store, finals: Iterable[Final], given: Answers) -> list[QuestionFigures]:
    """By kind. finals: of one lab, one for each submission."""
    by_kind: dict[str, list[tuple[Answered, float]]] = {}
    for final in finals:
        made = questions.of(store, final.attempt) if final.attempt else None
        score = final.result.score if final.result else None
        if made is None or score is None or not score.measured:
            continue
        for each in questions.judged(made, given):
            pair = each, score.earned / score.measured
            by_kind.setdefault(each.asked.question.kind, []).append(pair)
    return [_figures(kind, by_kind[kind]) for kind in sorted(by_kind)]


def _figures(kind: str, pairs: list[tuple[Answered, float]]) -> QuestionFigures:
    answered = [(each.right, share) for each, share in pairs if each.right is not None]
    right = [bool(each) for each, _ in answered]
    return QuestionFigures(
        kind=kind,
        asked=len(pairs),
        answered=len(answered),
        right=sum(right) / len(right) if right else None,
        discrimination=correlation(right, [share for _, share in answered]),
    )
