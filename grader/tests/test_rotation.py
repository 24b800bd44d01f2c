"""Every test runs within 16 commits, in parts of bounded cost; what costs much says why."""

import ast
import os
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from grader import paths
from grader.model import outline
from grader.tests import captured, rotation
from grader.tests.known_submissions import entries
from grader.tests.rotation import PARTS

UNITS = {
    "a.py::one": "a.py",
    "a.py::two": "a.py",
    "b.py::one": "b.py::one",
    "b.py::two": "b.py::two",
    "c.py::one": "c.py",
}
COSTS = {"a.py::one": 3.0, "b.py::one": 6.0, "b.py::two": 7.0, "gone.py": 9.0}


@pytest.fixture
def nothing_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rotation, "near", lambda *_: set())


@pytest.mark.usefixtures("nothing_touched")
def test_sixteen_parts_have_every_test_and_each_has_the_cheap_ones() -> None:
    runs = [rotation.choose_part(UNITS, COSTS, part).tests for part in range(PARTS)]
    times = Counter(test for tests in runs for test in tests)
    assert times == {**dict.fromkeys(UNITS, 1), "c.py::one": PARTS}
    assert all(("a.py::one" in tests) == ("a.py::two" in tests) for tests in runs), "divided"


def test_a_touched_unit_runs_at_once_while_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rotation, "near", lambda *_: {"b.py::one", "b.py::two"})
    monkeypatch.setattr(rotation, "part_of", lambda _: 1)
    assert {"b.py::one", "b.py::two"} <= rotation.choose_part(UNITS, COSTS, 0).tests
    monkeypatch.setattr(rotation, "MOST_TOUCHED", 6.5)
    choice = rotation.choose_part(UNITS, COSTS, 0)
    assert "b.py::one" in choice.tests and "b.py::two" not in choice.tests
    assert "1 of them belong to this change: make test-changed" in choice.left_out


@pytest.mark.usefixtures("nothing_touched")
def test_a_slow_test_that_nobody_has_measured_runs_in_one_part() -> None:
    costs = rotation.with_unmeasured(COSTS, UNITS, ["a.py::one", "c.py::one"])
    assert {name: costs[name] for name in COSTS} == COSTS
    runs = [rotation.choose_part(UNITS, costs, part).tests for part in range(PARTS)]
    assert sum("c.py::one" in tests for tests in runs) == 1


@pytest.mark.usefixtures("nothing_touched")
def test_the_guards_run_in_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    guard, other = (f"{rotation.KNOWN_TEST}[lab1/{name}]" for name in ("guard", "other"))
    monkeypatch.setattr(entries, "GUARDS", {"lab1/guard"})
    units = {guard: guard, other: other}
    runs = [rotation.choose_part(units, dict.fromkeys(units, 9.0), n).tests for n in range(PARTS)]
    assert Counter(t for tests in runs for t in tests) == {guard: PARTS, other: 1}


def test_guards_are_accepted_programs_of_every_kind() -> None:
    found = [entry for entry in entries.everything() if str(entry) in entries.GUARDS]
    assert len(found) == len(entries.GUARDS) == 24
    assert {entry.verdict for entry in found} == {"right", "habit", "expert"}
    assert {entry.lab for entry in found} == set(outline.available())


@pytest.mark.parametrize("count", [1, 3, 8])
def test_the_shards_have_every_test_once(count: int) -> None:
    runs = [rotation.choose_shard(UNITS, f"{n}/{count}").tests for n in range(1, count + 1)]
    assert Counter(test for tests in runs for test in tests) == dict.fromkeys(UNITS, 1)


@pytest.mark.parametrize("shard", ["", "3", "0/8", "9/8", "a/b", "1/0", "-1/3"])
def test_rejects_malformed_shards(shard: str) -> None:
    with pytest.raises(ValueError, match="3/8"):
        rotation.choose_shard(UNITS, shard)


def written(text: str) -> dict[str, str]:
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {name: seconds for seconds, name in rows}


def test_measured_seconds_replace_the_known_ones_and_what_is_gone_goes() -> None:
    text = rotation.updated({"b.py::one": 2.5, "c.py::one": 0.2}, UNITS, COSTS)
    assert written(text) == {"a.py::one": "3.0", "b.py::one": "2.5", "b.py::two": "7.0"}


def test_a_file_has_one_row_and_one_for_each_costly_test() -> None:
    text = rotation.updated({"a.py::one": 1.5, "a.py::two": 5.5}, UNITS, {})
    assert written(text) == {"a.py": "1.5", "a.py::two": "5.5"}
    assert rotation.of_units({"a.py": 1.5, "a.py::two": 5.5}, UNITS) == {"a.py": 7.0}


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


def test_parts_take_about_five_minutes_on_two_cores() -> None:
    costs = rotation.committed()
    apart = {file for file in map(rotation.file_of, costs) if is_apart(paths.ROOT / file)}
    load = Counter[int]()
    for name, seconds in costs.items():
        file = rotation.file_of(name)
        load[rotation.part_of(name if file in apart else file)] += int(10 * seconds)
    assert len(load) == PARTS
    assert max(load.values()) < 10 * 2 * 300, load


def is_apart(file: Path) -> bool:
    return file.exists() and "pytest.mark.apart" in file.read_text()


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("grader/checks/speed.py", "grader/tests/checks"),
        ("grader/classroom/bulk/intake/zip.py", "grader/tests/classroom/bulk"),
        ("labs/sim/src/exec/fault.c", "labs/tests/sim/exec"),
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


def test_costly_tests_state_the_reason() -> None:
    """Above each test of more than 5 processor seconds, or at the top of its file:
    pytest.mark.slow("why")."""
    silent = set()
    for row, seconds in rotation.committed().items():
        file, _, test = row.partition("::")
        name = test.partition("[")[0]
        is_costly = test and seconds > rotation.COSTLY and (paths.ROOT / file).exists()
        if is_costly and name not in functions_with_reason(paths.ROOT / file):
            silent.add(f"{file}::{name}")
    assert not silent
