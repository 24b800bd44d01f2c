"""What a program with many edits in it says of them."""

from pathlib import Path

import pytest

from grader.execute import edited
from grader.model import spec
from grader.model.lab import Case
from grader.oracle import cache
from grader.sandbox import launcher
from grader.sandbox.ending import Finished
from grader.sandbox.limits import Limits


def test_only_edits_that_were_asked_for_are_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The student's program can print on the same channel, before it is told not to."""
    printed = b"99999 3\nx\xff 12345678901234567890\n5\n-1\n"
    done = Finished(Limits(1), 0, None, None, 1.0, 2.0, printed)
    monkeypatch.setattr(launcher, "launch", lambda *_: done)
    lab = spec.load("lab1")
    case = next(c for c in lab.shown_checks() if isinstance(c, Case))
    given = (lab, case, tmp_path / "run", cache.prepared(lab, case))
    right, seconds = edited.right_edits(*given, [7, 5, 3], tmp_path, 1.0)
    assert right == [5, 3] and seconds > 0
