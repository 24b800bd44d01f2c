"""The standings of each lab, from the final grades of a run.

A line is a submission that takes part: a group has one. Nothing in it says whose it is. The order
is that of the scores as they are shown, then of the pseudonyms.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from grader.classroom.bulk import final
from grader.classroom.bulk.final import Final, Student
from grader.classroom.bulk.store import Store
from grader.classroom.course.settings import Course
from grader.classroom.leaderboard.refused_names import RealNames
from grader.grading import speed_scores
from grader.grading.speed_scores import mean
from grader.model import outline, pseudonym
from grader.model.leaderboard import Leaderboard, Scored
from grader.model.pseudonym import PseudonymError

NAMES_SOMEBODY = "is, or has inside, a name, login or number of this class; choose another"
DECIMALS = 2  # of a score: who has the same ones shares a rank


@dataclass(frozen=True)
class Line:
    """One submission. rank: None without a score of the lab."""

    pseudonym: str
    scores: Leaderboard
    rank: int | None = None

    @property
    def score(self) -> float | None:
        return None if self.scores.score is None else round(self.scores.score, DECIMALS)

    def of(self, check: str) -> Scored | None:
        """The score in a check; None where there is none."""
        return next((s for s in self.scores.checks if s.check == check and s.score), None)


@dataclass(frozen=True)
class Board:
    """The standings of one lab. checks: the ids, parts and names of those that were timed."""

    lab: str
    title: str
    checks: tuple[tuple[str, str, str], ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Refused:
    """A pseudonym that is not shown. For the instructor, and the student whose it is."""

    student: str
    lab: str
    why: str


@dataclass(frozen=True)
class Standings:
    """The boards of a run, by lab. by_student: under which name a student is on a lab's board."""

    boards: tuple[Board, ...] = ()
    refused: tuple[Refused, ...] = ()
    by_student: dict[tuple[str, str], str] = field(default_factory=dict)

    def scores(self, student: str, lab: str) -> Leaderboard | None:
        """The scores of a student who is on a lab's board; None for all others."""
        name = self.by_student.get((student, lab))
        lines = (line for board in self.boards if board.lab == lab for line in board.lines)
        return next((line.scores for line in lines if line.pseudonym == name), None)

    def note(self, student: str, lab: str) -> str:
        """What to tell a student; "" to one who does not take part."""
        if name := self.by_student.get((student, lab)):
            return f"on the leaderboard of {lab} as {name}"
        refused = (r for r in self.refused if (r.student, r.lab) == (student, lab))
        return next((f"not on the leaderboard of {lab}: {r.why}" for r in refused), "")


@dataclass
class _Entry:
    """A submission that takes part, before it has a rank."""

    name: str
    scores: Leaderboard
    owners: list[Student]
    key: str  # of the grade: a hash, which says nothing of the student


def of(store: Store, rules: Course, grades: Sequence[Final]) -> Standings:
    """The standings of the labs that a run's final grades are of."""
    names = RealNames(final.students(store.submissions(), rules))
    without = frozenset(rules.leaderboard_without)
    contents = store.pseudonyms()
    floors = speed_scores.least_floors(each.result for each in grades if each.result)
    taking_part: dict[tuple[str, str], list[Final]] = defaultdict(list)
    for grade in grades:
        if grade.row and (grade.row.student, grade.lab) in contents:
            taking_part[grade.lab, grade.row.student].append(grade)
    entries: dict[str, list[_Entry]] = {each.lab: [] for each in grades}
    refused = []
    for (of_lab, submission), finals in sorted(taking_part.items()):
        owners = [each.student for each in finals]
        try:
            name = _name(contents[submission, of_lab], owners, names, without)
        except PseudonymError as problem:
            why = f"{pseudonym.FILE} {problem}"
            refused += [Refused(owner.id, of_lab, why) for owner in owners]
            continue
        result, row = finals[0].result, finals[0].row
        scores = (
            speed_scores.of(result, floors=floors) if result else Leaderboard(None, None, None, [])
        )
        entries[of_lab].append(_Entry(name, scores, owners, row.key if row else ""))
    by_student: dict[tuple[str, str], str] = {}
    boards = [_board(of_lab, entries[of_lab], by_student) for of_lab in sorted(entries)]
    return Standings(tuple(boards), tuple(refused), by_student)


def _name(content: bytes, owners: list[Student], names: RealNames, without: frozenset[str]) -> str:
    """The pseudonym that can be shown. Raises PseudonymError."""
    if any(without & owner.names() for owner in owners):
        raise PseudonymError("is not shown: your instructor has removed it")
    name = pseudonym.read_pseudonym(content)
    if names.names_somebody(name, owners):
        raise PseudonymError(NAMES_SOMEBODY)
    return name


def _board(lab: str, entries: list[_Entry], by_student: dict[tuple[str, str], str]) -> Board:
    """Ranks a lab's entries. A line has a rank if it has a score in every check that any line has
    one in: means of different checks cannot be compared. Adds to by_student."""
    timed = {
        s.check: (s.check, s.part, s.name) for e in entries for s in e.scores.checks if s.score
    }
    entries = [_comparable(each, set(timed)) for each in entries]
    entries.sort(key=_order)
    lines: list[Line] = []
    for entry, name in zip(entries, _told_apart([each.name for each in entries]), strict=True):
        line = Line(name, entry.scores)
        if line.score is not None:
            tied = bool(lines) and lines[-1].score == line.score
            line = replace(line, rank=lines[-1].rank if tied else len(lines) + 1)
        lines.append(line)
        by_student |= {(owner.id, lab): name for owner in entry.owners}
    checks = sorted(timed.values(), key=lambda check: (check[1], check[2]))
    return Board(lab, outline.title(lab), tuple(checks), tuple(lines))


def _comparable(entry: _Entry, timed: set[str]) -> _Entry:
    """The entry with the mean of all checks that any line has a score in; without one where it
    lacks any of them."""
    every = entry.scores.checks
    counted = [each for each in every if each.check in timed]
    complete = timed and {each.check for each in counted} == timed
    scores = Leaderboard(
        mean(each.score for each in counted) if complete else None,
        mean(each.low for each in counted) if complete else None,
        mean(each.high for each in counted) if complete else None,
        every,
    )
    return replace(entry, scores=scores)


def _order(entry: _Entry) -> tuple[float, str, str, list[float], str]:
    """Of two entries with one name and score, the times decide, then a hash: never who it is."""
    score = entry.scores.score
    shown = -round(score, DECIMALS) if score is not None else 1.0
    folded = unicodedata.normalize("NFKC", entry.name).casefold()
    times = sorted(scored.time_ns or 0.0 for scored in entry.scores.checks)
    return shown, folded, entry.name, times, entry.key


def _told_apart(names: list[str]) -> list[str]:
    """The names, in their order on the board, with a number behind each that readers take for
    another. No pseudonym has parentheses itself."""
    folded = [pseudonym.folded(name) for name in names]
    return [
        f"{name} ({folded[: at + 1].count(folded[at])})" if folded.count(folded[at]) > 1 else name
        for at, name in enumerate(names)
    ]
