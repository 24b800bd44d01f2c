"""Every test runs within 16 commits, in parts of equal cost; what costs much says why."""

import ast
import os
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured, rotation
from grader.tests.rotation import PARTS, UnitCost

UNITS = {
    "a.py::one": "a.py",
    "a.py::two": "a.py",
    "b.py::one": "b.py::one",
    "b.py::two": "b.py::two",
    "c.py::one": "c.py",
}
ROWS = [UnitCost(0, 3.0, "a.py::one"), UnitCost(4, 6.0, "b.py::one"), UnitCost(5, 7.0, "b.py::two")]


@pytest.fixture
def nothing_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rotation, "near", lambda *_: set())


@pytest.mark.usefixtures("nothing_touched")
def test_thirteen_parts_have_every_test_and_each_has_the_cheap_ones() -> None:
    runs = [rotation.choose_part(UNITS, ROWS, part).tests for part in range(PARTS)]
    assert set().union(*runs) == set(UNITS)
    assert all("c.py::one" in tests for tests in runs)
    times = Counter(test for tests in runs for test in tests)
    assert times == {**dict.fromkeys(UNITS, 1), "c.py::one": PARTS}
    assert runs[0] == {"a.py::one", "a.py::two", "c.py::one"}, "a file is not divided"


def test_a_touched_unit_runs_at_once_while_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rotation, "near", lambda *_: {"b.py::one", "b.py::two"})
    assert {"b.py::one", "b.py::two"} <= rotation.choose_part(UNITS, ROWS, 0).tests
    monkeypatch.setattr(rotation, "MOST_TOUCHED", 6.5)
    choice = rotation.choose_part(UNITS, ROWS, 0)
    assert "b.py::one" in choice.tests and "b.py::two" not in choice.tests
    assert "1 of them belong to this change: make test-changed" in choice.left_out


@pytest.mark.parametrize("count", [1, 3, 8])
def test_the_shards_have_every_test_once(count: int) -> None:
    runs = [rotation.choose_shard(UNITS, ROWS, f"{n}/{count}").tests for n in range(1, count + 1)]
    assert Counter(test for tests in runs for test in tests) == dict.fromkeys(UNITS, 1)


@pytest.mark.parametrize("shard", ["", "3", "0/8", "9/8", "a/b", "1/0", "-1/3"])
def test_what_is_no_shard(shard: str) -> None:
    with pytest.raises(ValueError, match="3/8"):
        rotation.choose_shard(UNITS, ROWS, shard)


def test_a_unit_keeps_its_part_and_a_new_one_goes_where_the_least_is() -> None:
    seconds = {"old": 5.0, "new": 4.0, "cheap": 3.0}
    parts = rotation.assigned(seconds, {"old": 7})
    assert parts["old"] == 7
    assert len(set(parts.values())) == 3
    full = {str(n): 10.0 for n in range(PARTS)} | {"small": 1.0}
    before = {str(n): n for n in range(PARTS) if n != 9}
    assert rotation.assigned(full, before)["9"] == 9


def test_measured_seconds_replace_the_known_ones_and_what_is_gone_goes() -> None:
    known = [*ROWS, UnitCost(3, 9.0, "gone.py::test")]
    text = rotation.updated({"b.py::one": 2.5, "c.py::one": 0.2}, UNITS, known)
    rows = {row.name: row for row in rotation.rows(text)}
    assert rows["b.py::one"] == UnitCost(4, 2.5, "b.py::one")
    assert rows["a.py::one"] == UnitCost(0, 3.0, "a.py::one")
    assert "gone.py::test" not in rows and "c.py::one" not in rows, "cheap again"


def test_a_file_has_one_row_and_one_for_each_costly_test() -> None:
    text = rotation.updated({"a.py::one": 1.5, "a.py::two": 5.5}, UNITS, ROWS)
    rows = [row for row in rotation.rows(text) if row.name.startswith("a.py")]
    assert rows == [UnitCost(0, 1.5, "a.py"), UnitCost(0, 5.5, "a.py::two")]
    assert rotation.by_unit(rows, UNITS) == {"a.py": (0, 7.0)}


@pytest.mark.parametrize(("mark", "workers"), [("", 1), ("pytestmark = pytest.mark.apart", 2)])
def test_a_unit_is_for_one_worker(mark: str, workers: int, tmp_path: Path) -> None:
    """Otherwise two workers would make the fixtures of a file."""
    text = f"import os, time\nimport pytest\n{mark}\n@pytest.mark.parametrize('n', range(8))\n"
    text += f"def test_it(n):\n    open({str(tmp_path)!r} + f'/{{os.getpid()}}', 'w')\n"
    text += "    time.sleep(0.1)\n"
    file = tmp_path / "grader" / "tests" / "test_unit.py"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-n2", "-p", "grader.tests.rotation_plugin"]
    command += ["-p", "xdist", "-c", os.devnull, "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command += [f"--rootdir={tmp_path}", str(file)]
    done = captured.run(command, cwd=paths.ROOT, env=environment)
    assert done.returncode == 0, done.stdout
    assert sum(found.name.isdigit() for found in tmp_path.iterdir()) == workers


def test_the_parts_cost_alike() -> None:
    load = Counter[int]()
    for row in rotation.committed():
        load[row.part] += int(row.seconds * 10)
    assert set(load) == set(range(PARTS))
    assert max(load.values()) < 1.25 * min(load.values()), load


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("grader/checks/speed.py", "grader/tests/checks"),
        ("grader/classroom/bulk/intake/zip.py", "grader/tests/classroom/bulk"),
        ("labs/sim/src/exec/fault.c", "labs/tests/sim/exec"),
        ("labs/sim/translate/translation.py", "labs/tests/sim/translate"),
        ("labs/sim/translate/reader/program.py", "labs/tests/sim/translate"),
    ],
)
def test_tests_are_near_what_they_test(changed: str, tests: str) -> None:
    assert rotation.homes(changed) == {Path(tests)}


@pytest.mark.parametrize("changed", ["README.md", "grader/paths.py", "grader/tests/plugin.py"])
def test_a_file_without_tests_of_its_name(changed: str) -> None:
    assert rotation.homes(changed) == set()


def functions_with_reason(file: Path) -> set[str]:
    """The tests in a file that say why they cost much."""
    found = set()
    text = file.read_text()
    if re.search(r"^pytestmark = .*pytest.mark.slow\(", text, re.MULTILINE | re.DOTALL):
        return set(re.findall(r"^def (test_\w+)", text, re.MULTILINE))
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            if any(mark.startswith("pytest.mark.slow(") for mark in marks):
                found.add(node.name)
    return found


def test_what_costs_much_says_why() -> None:
    """Above each test of more than 5 processor seconds, or at the top of its file:
    pytest.mark.slow("why")."""
    silent = set()
    for row in rotation.committed():
        file, _, test = row.name.partition("::")
        name = test.partition("[")[0]
        is_costly = test and row.seconds > rotation.COSTLY and (paths.ROOT / file).exists()
        if is_costly and name not in functions_with_reason(paths.ROOT / file):
            silent.add(f"{file}::{name}")
    assert not silent
