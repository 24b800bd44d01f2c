"""Several cases, and several sequences of calls, in one process: as on a GPU, here simulated."""

from pathlib import Path

import pytest

from grader import paths
from grader.checks import correct
from grader.compile import make
from grader.contract import draw
from grader.contract.failed_step import find_failure
from grader.contract.play import Player
from grader.execute.backend import Backend
from grader.execute.case import Outcome, run_case
from grader.execute.cases_together import run_together
from grader.model import spec
from grader.model import submission as submissions
from grader.model.lab import Case
from grader.oracle import cache, compare
from grader.session.plan import plan_for
from grader.session.programs import Binary, Programs
from grader.session.session import Session

LAB = spec.load("lab2")
CASES = [c for c in LAB.case if c.part == "A" and not c.inject and not c.hidden]
BEFORE = "cudaError_t correlate_device("
# By the number of the call in its process, from 0.
ENDS = {"the solution": "", "ends in its fourth call": "if (calls++ == 3) exit(0);",
        "prints in its fourth call": 'if (calls++ == 3) puts("here");',
        "is wrong from its third call on": "if (calls++ >= 2) radius = 0;"}  # fmt: skip


def program(folder: Path, statement: str) -> tuple[submissions.Submission, Path]:
    name = LAB.submit[0]
    head, body = (paths.SOLUTIONS / LAB.folder / name).read_text().split(BEFORE, 1)
    opening, rest = body.split("{\n", 1)
    text = f"#include <stdio.h>\n#include <stdlib.h>\nstatic int calls;\n{head}{BEFORE}{opening}"
    folder.mkdir()
    (folder / name).write_text(f"{text}{{\n{statement}\n{rest}")
    submission = submissions.find(LAB, str(folder))
    made = make.build(make.BuildRequest(submission, "sim", "run"))
    assert made.binary, made.errors
    return submission, made.binary


def together(tmp_path: Path, statement: str) -> list[Outcome]:
    _, binary = program(tmp_path / "source", statement)
    return run_together(LAB, [(c, cache.prepared(LAB, c).inputs) for c in CASES], binary, tmp_path)


def is_right(case: Case, outcome: Outcome) -> bool:
    assert outcome.output is not None
    return compare.compare(outcome.output, cache.prepared(LAB, case).expected).right()


def test_every_case_has_the_outcome_that_it_has_alone(tmp_path: Path) -> None:
    outcomes = together(tmp_path, ENDS["the solution"])
    assert len(outcomes) == len(CASES) > 4
    assert all(map(is_right, CASES, outcomes))


@pytest.mark.parametrize(
    ("name", "count"), [("ends in its fourth call", 3), ("prints in its fourth call", 0)]
)
def test_only_what_ran_to_its_end_is_known(name: str, count: int, tmp_path: Path) -> None:
    outcomes = together(tmp_path, ENDS[name])
    assert len(outcomes) == count and all(map(is_right, CASES, outcomes))


@pytest.mark.parametrize("name", ENDS)
def test_a_process_for_all_gives_the_verdicts_of_a_process_each(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not right in the common process is judged by one of its own."""
    submission, binary = program(tmp_path / "source", ENDS[name])
    processes: list[Case] = []

    def counted(*asked: object, **_: object) -> Outcome:
        processes.append(asked[1])  # type: ignore[arg-type]
        return run_case(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(correct, "run_case", counted)

    def verdicts(backend: Backend) -> list[tuple[str, str]]:
        session = Session(plan_for(LAB, "sim"), submission, Programs([]), tmp_path)
        judged = (correct.judge_case(session, case, Binary(binary, backend)) for case in CASES)
        return [(check.name, check.verdict) for check in judged]

    alone = verdicts("sim")
    assert len(processes) == len(CASES)
    processes.clear()
    assert verdicts("gpu") == alone
    expected = {"the solution": 0, "ends in its fourth call": len(CASES) - 3}
    expected |= {"prints in its fourth call": len(CASES)}
    assert len(processes) == expected.get(name, len(CASES) - 2)


def test_sequences_in_one_process_leave_what_they_leave_alone(tmp_path: Path) -> None:
    contract = next(c for c in LAB.contract if c.part == "A")
    _, binary = program(tmp_path / "source", "")
    player = Player(LAB, contract, binary, tmp_path)
    sequences = draw.draw_sequences(LAB, contract, contract.seed)
    for shared, alone in zip(
        player.play_together(sequences), map(player.play, sequences), strict=True
    ):
        assert find_failure(player, shared) is None
        assert [r.output.tobytes() for r in shared.results] == [
            r.output.tobytes() for r in alone.results
        ]


def test_sequences_behind_one_that_ends_the_process_are_left_out(tmp_path: Path) -> None:
    contract = next(c for c in LAB.contract if c.part == "A")
    sequences = draw.draw_sequences(LAB, contract, contract.seed)
    _, binary = program(tmp_path / "source", f"if (calls++ == {len(sequences[0]) + 2}) exit(0);")
    played = Player(LAB, contract, binary, tmp_path).play_together(sequences)
    assert [p.sequence for p in played] == sequences[:1]
