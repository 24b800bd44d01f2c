"""A file of the archive that earns points in any part stops the release."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader import paths
from grader.model.result import Check, Result
from grader.model.score import Score
from grader.release import trial
from grader.release.contents import ReleaseError
from grader.tests.made_results import made


@dataclass(frozen=True)
class Graded(trial.Copy):
    """An archive in which every file earns the same."""

    points: float = 0

    def graded(self, lab: str, src: str) -> Result:
        assert "given_baseline_correlate" in (Path(src) / "cpu_loop.c").read_text()
        check = Check(f"{lab}/B/x", "x", "correct", "pass", self.points, 60, "B")
        return made(lab, [check], Score(self.points, 60, 100, ()))


def test_given_file_that_earns_points_in_one_part_stops_the_release(tmp_path: Path) -> None:
    for folder in ("archive", "work"):
        (tmp_path / folder).mkdir()
    shutil.copytree(paths.LABS / "lab1_cpu_loop", tmp_path / "archive/labs/lab1_cpu_loop")
    said: list[str] = []
    copy = Graded(tmp_path / "archive", tmp_path / "work")
    trial.no_file_of_the_archive_is_the_answer(copy, "lab1", said.append)
    assert said == ["lab1: labs/lab1_cpu_loop/baseline.c earns nothing as an answer"]
    copy = Graded(tmp_path / "archive", tmp_path / "work", points=2)
    with pytest.raises(ReleaseError, match=r"baseline\.c is an answer to lab1: it earns 2 in B"):
        trial.no_file_of_the_archive_is_the_answer(copy, "lab1", said.append)
