"""The experts in place of a student's files: `./grade` gives them all that it can measure."""

import json
import re
from pathlib import Path

import pytest

from grader import paths
from grader.model import spec
from grader.tests import captured

pytestmark = pytest.mark.apart


def one_file(source: Path) -> str:
    """An expert as it can be handed in: with the text of the headers of solutions/experts/."""
    return re.sub(
        r'^#include "(.*\.cuh)"$',
        lambda found: one_file(source.parent / found[1]).replace("#pragma once\n", ""),
        source.read_text(),
        flags=re.MULTILINE,
    )


@pytest.mark.slow("an expert's kernels are long: compilers and simulator take up to two minutes")
@pytest.mark.parametrize("lab_id", spec.available())
def test_an_expert_earns_full_marks_of_what_is_measured(lab_id: str, tmp_path: Path) -> None:
    lab = spec.load(lab_id)
    for name in lab.submit:
        expert = paths.SOLUTIONS / lab.folder / f"expert{Path(name).suffix}"
        (tmp_path / name).write_text(one_file(expert))
    done = captured.grade(lab_id, "--src", tmp_path, "--no-speed", "--json", "-", timeout=1800)
    document = json.loads(done.stdout)
    lost = [
        (c["name"], c["message"])
        for c in document["checks"]
        if c["verdict"] not in ("pass", "skip")
    ]
    assert not lost
    assert done.returncode == 0
    assert document["score"]["earned"] == document["score"]["measured"]
    assert document["score"]["measured"] == lab.points.total() - lab.points.speed
