"""ACCURACY.md shows the current counters, and explains every difference from Nsight Compute."""

import importlib.util
import subprocess
import sys
from types import ModuleType

import pytest

from grader.paths import ROOT

SCRIPT = ROOT / "labs" / "studies" / "nsight" / "accuracy.py"


@pytest.fixture(scope="module")
def accuracy() -> ModuleType:
    spec = importlib.util.spec_from_file_location("accuracy", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["accuracy"] = module  # its dataclasses look up their module there
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow("all kernels of the ground truth are counted")
def test_the_table_is_up_to_date() -> None:
    check = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
    assert check.returncode == 0, check.stderr


def test_every_pattern_is_equal(accuracy: ModuleType) -> None:
    assert accuracy.equal_patterns() == (144, 144)


def test_new_and_vanished_differences_are_refused(accuracy: ModuleType) -> None:
    columns = {"ours": 1, "ncu": 2}
    known = [
        accuracy.Value(kernel, counter, **columns)
        for kernel, counter in accuracy_of_the_file(accuracy)
    ]
    assert len(accuracy.explanations(known)) == len(known)
    new = accuracy.Value("k_new", "global_load_requests", **columns)
    with pytest.raises(accuracy.Unexplained, match="k_new"):
        accuracy.explanations([*known, new])
    with pytest.raises(accuracy.Unexplained, match="but equal"):
        accuracy.explanations(known[1:])


def accuracy_of_the_file(accuracy: ModuleType) -> list[tuple[str, str]]:
    text = (accuracy.HERE / "differences.toml").read_text()
    entries = accuracy.tomllib.loads(text)["difference"]
    return list(dict.fromkeys((e["kernel"], c) for e in entries for c in e["counters"]))
