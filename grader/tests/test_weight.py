"""What `make weight` counts: neither a new suffix nor another folder hides lines of tests."""

from collections import Counter
from pathlib import Path

import pytest

from grader.tests import weight


@pytest.mark.parametrize(
    ("path", "product", "tests"),
    [
        ("grader/a.py", 2, 0),
        ("Makefile", 0, 0),
        ("grader/setup/x.lock", 0, 0),
        ("labs/lab1_cpu_loop/tests.c", 2, 0),
        ("grader/tests/zoo/lab1/x/edits", 0, 2),
        ("grader/tests/similarity/independent/lab1.txt", 0, 2),
        ("labs/studies/bench/a.renamed", 0, 2),
        ("labs/studies/nsight/kernels.out", 0, 0),
        ("labs/studies/nsight/machine.txt", 0, 0),
        ("grader/tests/fuzz/corpus/npy.zip", 0, 0),
    ],
)
def test_what_is_counted(path: str, product: int, tests: int, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("one\ntwo\n")
    (row,) = weight.weigh(tmp_path, [path]).values()
    assert +row == +Counter(files=1, product=product, tests=tests)
