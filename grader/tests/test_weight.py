"""`make weight` counts every kind of line, and its limits hold."""

import sys
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

from grader.tests import weight


@pytest.mark.parametrize(
    ("path", "product", "tests"),
    [
        ("grader/a.py", 2, 0),
        ("Makefile", 0, 0),
        ("grader/setup/x.lock", 0, 0),
        ("labs/lab1_cpu_loop/tests.c", 2, 0),
        ("grader/tests/known_submissions/lab1/x/edits", 0, 2),
        ("grader/tests/similarity/independent/lab1.txt", 0, 2),
        ("labs/studies/bench/a.renamed", 0, 2),
        ("labs/studies/nsight/kernels.out", 0, 0),
        ("labs/studies/nsight/machine.txt", 0, 0),
        ("grader/tests/fuzz/corpus/npy.zip", 0, 0),
    ],
)
def test_weight_counts_lines_by_kind(path: str, product: int, tests: int, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("one\ntwo\n")
    (row,) = weight.weigh(tmp_path, [path]).values()
    assert +row == +Counter(files=1, product=product, tests=tests)


@pytest.mark.parametrize(
    ("path", "wing"),
    [
        ("labs/sim/src/exec/warp.c", weight.SIMULATOR),
        ("labs/tests/sim/exec/test_warp.c", weight.SIMULATOR),
        ("labs/simulated.py", weight.COURSE),
        ("labs/lab1_cpu_loop/driver.c", weight.COURSE),
        ("grader/tests/oracle/test_oracle.py", weight.COURSE),
        ("labs/studies/nsight/accuracy.py", weight.EVIDENCE),
        ("Makefile", weight.COURSE),
    ],
)
def test_each_file_belongs_to_one_wing(path: str, wing: str) -> None:
    assert weight.wing(PurePosixPath(path)) == wing


def test_handouts_are_not_counted(tmp_path: Path) -> None:
    assert weight.weigh(tmp_path, ["handouts/lab1.md", "grader/tests/handouts/test_a.py"]) == {}


@pytest.mark.needs("git")
def test_a_tree_above_a_limit_fails_even_when_asked_to_be_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["weight.py", "--quiet"])
    assert weight.main() == 0
    assert capsys.readouterr().out == ""
    monkeypatch.setitem(weight.LIMITS, "product", 10)
    assert weight.main() == 1
    assert capsys.readouterr().err == "make weight: too many: product\n"
