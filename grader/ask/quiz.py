"""The questions about one part, generated from a seed; each answer is computed twice."""

import hashlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

from grader.ask.catalogue import KINDS
from grader.ask.draft import FEWEST, CannotTell, Draft
from grader.ask.program import AskedPart
from grader.compile import staging
from grader.model import plain_text
from grader.model.question import Asked, Key, Question
from grader.model.submission import Submission
from grader.sandbox.workspace import workspace

MOST_OPTIONS = 5
ROUNDS = 6  # how often a kind may be chosen
IN_A_ROW = 5  # questions of different kinds
QUICK = 3  # questions before one that compiles
Turn = tuple[str, int]  # a kind, and how often it was chosen before


@dataclass
class Tally:
    """What became of the drafts, by kind: asked; withheld, because the two computations differ,
    with what they gave; and why a kind does not fit, or could not be computed twice."""

    asked: Counter[str] = field(default_factory=Counter)
    withheld: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)


@dataclass
class Quiz:
    """The questions about a part of a submission. seed: of a student or a day; the same seed and
    file give the same questions."""

    submission: Submission
    part: str
    seed: str
    work: Path
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.program = AskedPart(self.submission, self.part, self._number("image") % 25, self.work)
        self._seen: set[str] = set()
        self._open: tuple[str, Draft] | None = None

    def questions(self, first: Sequence[str] = (), at_once: bool = False) -> Iterator[Asked]:
        """Question after question, until no kind has another one: one that needs no build, then
        kinds of `first`, once each, then all others; those that compile a changed program come once
        in a while. Of five in a row, none are of one kind while other kinds have a question left.
        at_once: the first comes while the program is built, and nobody may be told its
        key before is_certain(). Raises NoQuestionsError where the program does not build or is
        wrong."""
        with self.program.building():
            asked = self._early()
            recent = deque([asked.question.kind] if asked else [], IN_A_ROW - 1)
            if asked and (at_once or self.is_certain()):
                yield asked
            self.is_certain()
            self.program.must_be_right()
        quick, slow = self._order()
        quick = [(name, ROUNDS) for name in first if name in KINDS] + quick
        since = 0
        while quick or slow:
            queues = (slow, quick) if since >= QUICK else (quick, slow)
            queue, (kind, turn) = _following(queues, recent)
            queue.remove((kind, turn))
            if asked := self.one(kind, turn):
                recent.append(kind)
                since = 0 if queue is slow else since + 1
                yield asked

    def one(self, kind: str, turn: int) -> Asked | None:
        """A question of a kind, or None where there is none, or where its key is not certain."""
        asked = self._drawn(kind, turn)
        return asked if self.is_certain() else None

    def is_certain(self) -> bool:
        """Does the second computation of the last generated question give its key? Waits for
        the build; raises NoQuestionsError as questions() does."""
        if self._open is None:
            return True
        (kind, draft), self._open = self._open, None
        self.program.must_be_right()
        try:
            again = draft.second()
        except CannotTell as reason:
            self.tally.reasons[kind] = str(reason)
            return False
        if str(again) != str(draft.answer):
            two = f"{self.program.shown}:{draft.line}: {draft.answer}, computed again {again}"
            self.tally.withheld.append(f"{kind}: {two}: {draft.text}")
            return False
        self._seen |= {draft.text, draft.why}
        self.tally.asked[kind] += 1
        return True

    def _early(self) -> Asked | None:
        """A question that needs no build."""
        early = [name for name, kind in KINDS.items() if kind.at_once]
        Random(self._number("early")).shuffle(early)
        return next((asked for name in early if (asked := self._drawn(name, 0))), None)

    def _drawn(self, kind: str, turn: int) -> Asked | None:
        """A question whose key is not certain yet."""
        draw = Random(self._number(f"{kind} {turn}"))
        try:
            if KINDS[kind].of_images and not self.program.operation.is_image():
                raise CannotTell("the part computes no image")
            draft = KINDS[kind].ask(self.program, draw)
        except CannotTell as reason:
            self.tally.reasons[kind] = str(reason)
            return None
        if len(draft.wrong()) + 1 < FEWEST or {draft.text, draft.why} & self._seen:
            return None  # asked before, or given away by an earlier explanation
        self._open = kind, draft
        # Not the number of the draw: who has the file could repeat that, and get the key with it.
        return self._asked(kind, draft, draw, f"{self._number(f'name of {kind} {turn}'):012x}")

    def _asked(self, kind: str, draft: Draft, draw: Random, number: str) -> Asked:
        answer, wrong = str(draft.answer), draft.wrong()
        typed = isinstance(draft.answer, int)
        options = [answer, *islice(wrong, MOST_OPTIONS - 1)]
        if typed:
            options.sort(key=int)
        else:
            draw.shuffle(options)
        lab = self.submission.lab
        code = plain_text.line(self.program.text.quoted(draft.line), 100) if draft.line else ""
        name = f"{lab.id}-{self.part}-{kind}-{number}"
        question = Question(
            name, kind, lab.id, self.part, self.program.shown, draft.line, code, draft.text,
            options, typed,
        )  # fmt: skip
        hints = {given: why for given, why in wrong.items() if typed or given in options}
        return Asked(question, Key(name, answer, draft.why, hints, draft.counts))

    def _order(self) -> tuple[list[Turn], list[Turn]]:
        """Which kind comes when: those that compile nothing, and those that do."""
        draw = Random(self._number("order"))
        quick, slow = ([n for n in KINDS if KINDS[n].rebuilds == way] for way in (False, True))
        draw.shuffle(quick)
        draw.shuffle(slow)
        turns = range(ROUNDS)
        return [(n, turn) for turn in turns for n in quick], [(n, t) for t in turns for n in slow]

    def _number(self, what: str) -> int:
        """A number that depends on the file, the seed and what it is for."""
        files = sorted(self.submission.contents.items())
        text = repr((self.submission.lab.id, self.part, self.seed, what, files)).encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:6], "big")


def _following(queues: Sequence[list[Turn]], recent: deque[str]) -> tuple[list[Turn], Turn]:
    """Which question comes next: the first of a kind that is not recent, else one of the kind that
    was asked longest ago; and the queue that holds it."""
    waiting = [(queue, turn) for queue in queues for turn in queue]
    fresh = (each for each in waiting if each[1][0] not in recent)
    latest = [*reversed(recent)]
    return next(fresh, None) or max(waiting, key=lambda each: latest.index(each[1][0]))


@contextmanager
def quiz(submission: Submission, part: str, seed: str = "") -> Iterator[Quiz]:
    """A quiz with a folder for its runs."""
    try:
        with workspace() as work:
            yield Quiz(submission, part, seed, work)
    finally:
        staging.release()
