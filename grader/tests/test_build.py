"""Where submissions are built: what is kept, and what another grader may remove."""

import os
from pathlib import Path

import pytest

from grader import build, paths, spec
from grader.build import Submission


def staged(number: int) -> Path:
    """The folder of a submission that differs from the others, older than those after it."""
    lab = spec.load("lab3")
    files = {"constant_mask.cu": f"// {number}\n".encode()}
    out = build._stage(Submission(lab, Path("/nowhere"), "x", files, []), "sim")
    os.utime(out, (1000 + number, 1000 + number))
    return out


def test_old_builds_go_but_not_those_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    first = staged(0)
    build.release()
    second = staged(1)  # still in use, as by a grader whose runs take long
    folders = [staged(number) for number in range(2, 2 + build.KEPT_BUILDS)]
    assert not first.exists()
    assert second.exists()
    build.release()
    staged(99)
    assert not second.exists()
    assert folders[-1].exists()
    build.release()
