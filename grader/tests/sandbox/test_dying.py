"""Programs that resist being ended are dead soon after their limit, and after their grader. How
soon, `make sandbox-times` says; a busy machine must not fail the test."""

import json
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured
from grader.tests.sandbox import dying
from grader.tests.sandbox.tier import course_of_a_user, each_tier

GENEROUS = 10.0  # seconds; idle, none takes one
MODULE = ["-m", "grader.tests.sandbox.dying"]


def check(answer: str) -> None:
    seconds = json.loads(answer)
    assert set(seconds) == set(dying.NAMES)
    late = {
        name: times for name, times in seconds.items() if any((s or 0) > GENEROUS for s in times)
    }
    assert not late


@pytest.mark.slow("waits for the limits of programs that resist")
@each_tier
def test_all_are_dead_soon(number: int) -> None:
    """In a process of its own: the launcher kills whatever else the tests have started."""
    argv = [str(paths.BUILD / "venv" / "bin" / "python"), *MODULE, str(number)]
    done = captured.run(argv, cwd=paths.ROOT)
    assert done.returncode == 0, done.stderr
    check(done.stdout)


@pytest.mark.slow("waits for the limits of programs that resist")
@pytest.mark.needs("landlock")
def test_all_are_dead_soon_in_tier_3(open_path: Path) -> None:
    with course_of_a_user(open_path / "course") as (python, environment):
        argv = [*python, *MODULE, "3"]
        done = captured.run(argv, env=environment, cwd=open_path)
    assert done.returncode == 0, done.stderr
    check(done.stdout)
