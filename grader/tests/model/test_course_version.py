"""The version of the course names the commit: of a clone, or as an archive for students has it."""

from pathlib import Path

import pytest

from grader import __version__, paths
from grader.model import course_version
from grader.tests import captured


def test_commit_is_of_the_archive_else_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "commit.txt"
    monkeypatch.setattr(course_version, "COMMIT", file)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    shown = course_version.shown.__wrapped__
    assert shown() == __version__, "no clone, and no archive"
    captured.run(["git", "init", "-q", str(tmp_path)])
    assert shown() == __version__, "a clone without a commit"
    who = ["-c", "user.name=x", "-c", "user.email=x@x"]
    captured.run(["git", "-C", str(tmp_path), *who, "commit", "-q", "--allow-empty", "-m", "x"])
    commit = captured.run(["git", "-C", str(tmp_path), "rev-parse", "HEAD"]).stdout
    assert shown() == f"{__version__} ({commit[:12]})"
    file.write_text("abc-dirty\n")
    assert shown() == f"{__version__} (abc-dirty)"
