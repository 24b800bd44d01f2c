"""The leaderboard as JSON, convlabs-leaderboard/v1, and as CSV, with the same figures.

`python -m grader.schema.write` makes the JSON Schema from these types.
"""

from collections.abc import Iterator, Sequence

from grader.classroom.leaderboard.standings import Board, Line, Standings
from grader.model import plain_text, result
from grader.model.class_standings import CheckScore, ClassStandings, LabStandings, Place
from grader.model.leaderboard import Leaderboard, Scored

COLUMNS = (
    "lab", "rank", "pseudonym", "part", "check", "score", "low", "high", "time_ns", "floor_ns",
    "limited_by",
)  # fmt: skip


def to_json(standings: Standings) -> bytes:
    labs = [LabStandings(b.lab, b.title, [_place(b, line) for line in b.lines]) for b in
            standings.boards]  # fmt: skip
    return result.to_json(ClassStandings(labs))


def _place(board: Board, line: Line) -> Place:
    scores = (line.of(check) for check, _, _ in board.checks)
    checks = [
        CheckScore(
            s.check, s.part, s.name, _rounded(s.score), _rounded(s.low), _rounded(s.high),
            s.time_ns, s.floor_ns, s.bound,
        )
        for s in scores if s
    ]  # fmt: skip
    whole = line.scores
    return Place(
        line.rank, line.pseudonym, line.score, _rounded(whole.low), _rounded(whole.high), checks
    )


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)


def to_csv(standings: Standings) -> bytes:
    return plain_text.table(_rows(standings))


def _rows(standings: Standings) -> Iterator[Sequence[str]]:
    """A row for each submission's score of a lab, without a check; then one for each check."""
    yield COLUMNS
    for board in standings.boards:
        for line in board.lines:
            rank = "" if line.rank is None else str(line.rank)
            first = [board.lab, rank, _cell(line.pseudonym)]
            yield [*first, "", "", *_figures(line.score, line.scores), "", "", ""]
            for check, part, name in board.checks:
                if scored := line.of(check):
                    times = [f"{scored.time_ns:.0f}", f"{scored.floor_ns:.0f}"]
                    figures = _figures(scored.score, scored)
                    yield [*first, part, _cell(name), *figures, *times, scored.bound]


def _figures(score: float | None, scored: Leaderboard | Scored) -> list[str]:
    figures = (score, scored.low, scored.high)
    return ["" if figure is None else f"{figure:.4f}" for figure in figures]


def _cell(text: str) -> str:
    return plain_text.cell(plain_text.line(text))
