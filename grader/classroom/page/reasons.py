"""Why grades or checks are missing: each reason once, with how many it concerns."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grader.classroom.course.final import Final

WHOLE = "the whole submission"
UNSAID = "the grader does not say why"
STATES = {"error": "error", "uncertain": "unsure"}  # the verdicts that are no one's mistake
ORDER = ("error", "rejected", "wrong name", "waiting", "unsure")


@dataclass(frozen=True)
class Reason:
    """One reason. Texts that differ in figures or names only count as one; the first is shown,
    as an example."""

    state: str  # one of ORDER
    text: str
    subjects: tuple[str, ...]  # names of checks, or WHOLE
    finals: tuple[Final, ...]  # whose grade it concerns, each once


def of_finals(finals: Iterable[Final], nameless: Callable[[str], str]) -> list[Reason]:
    """The reasons of one lab's grades, grouped: state by state, the most common first. nameless:
    takes the names of students out of a text."""
    groups: dict[tuple[str, str], list[tuple[Final, str, str]]] = {}
    for final in finals:
        for state, subject, text in _reasons(final):
            key = state, re.sub(r"\d+(?:\.\d+)?", "#", nameless(text))
            groups.setdefault(key, []).append((final, subject, text))
    reasons = [
        Reason(
            state,
            _shown([text for *_, text in lines]),
            tuple(dict.fromkeys(subject for _, subject, _ in lines)),
            tuple({id(final): final for final, _, _ in lines}.values()),
        )
        for (state, _), lines in groups.items()
    ]
    return sorted(reasons, key=lambda r: (ORDER.index(r.state), -len(r.finals), r.text))


def _shown(texts: list[str]) -> str:
    return f"such as: {texts[0]}" if len({*texts}) > 1 else texts[0]


def _reasons(final: Final) -> Iterable[tuple[str, str, str]]:
    """The state, what it concerns and why."""
    if final.status in ("error", "rejected", "wrong name", "waiting"):
        yield final.status, WHOLE, final.attempt.reason if final.attempt else ""
    for check in final.result.checks if final.result else ():
        if check.verdict in STATES:
            said = next((line.strip() for line in check.message if line.strip()), UNSAID)
            yield STATES[check.verdict], check.name, said
