"""Chooses the tests of a run, hands them out to the workers, takes their costs, and ends with the
slowest 20 and with what was left out. rotation.py makes the decisions.

With pytest-xdist the tests run in workers, and what they found reaches this process in reports and
in `workeroutput`.
"""

import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.setup import stamp
from grader.tests import rotation

SHOWN = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rotation", "which tests run (grader/tests/rotation.py)")
    group.addoption("--part", help="a number: the cheap tests and one of 16 parts")
    group.addoption("--shard", help="such as 3/8: one of 8 shards of all tests")
    group.addoption("--changed", metavar="COMMIT", help="the tests of what differs from a commit")
    group.addoption("--write-costs", action="store_true", help="write costs.tsv again")


def pytest_configure(config: pytest.Config) -> None:
    for line in (
        "apart: the tests of this file share nothing that costs much; each may run alone",
        "slow(reason): takes more than 5 processor seconds, and why it must",
    ):
        config.addinivalue_line("markers", line)
    config.pluginmanager.register(Costs(config), "costs")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out the files that need what is not installed here; Costs says so."""
    return True if _is_page(collection_path) and not stamp.valid("pages") else None


def _is_page(file: Path) -> bool:
    return file.is_relative_to(paths.ROOT) and str(file.relative_to(paths.ROOT)) in rotation.PAGES


def unit_of(item: pytest.Item) -> str:
    return item.nodeid if item.get_closest_marker("apart") else rotation.file_of(item.nodeid)


def choose(config: pytest.Config, units: dict[str, str], costs: rotation.Costs) -> rotation.Choice:
    """The tests that the options ask for. units: the unit of each test."""
    try:
        if shard := config.getoption("shard"):
            return rotation.choose_shard(units, shard)
        if base := config.getoption("changed"):
            return rotation.choose_changed(units, base)
        if part := config.getoption("part"):
            return rotation.choose_part(units, costs, int(part))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    return rotation.Choice(set(units), "")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each unit is for one worker, so that the fixtures of its file are made once. (pytest-xdist's
    own groups have no effect with pytest 9.2.)"""
    from xdist.scheduler import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = rotation.file_of(nodeid)
            return nodeid if file in apart else file

    files = config.rootpath.glob("*/tests/**/test_*.py")
    apart = {
        str(f.relative_to(config.rootpath)) for f in files if "pytest.mark.apart" in f.read_text()
    }
    return ByUnit(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the tests of this run, the most expensive units first."""
    units = {item.nodeid: unit_of(item) for item in items}
    slow = [item.nodeid for item in items if item.get_closest_marker("slow")]
    known_costs = rotation.with_unmeasured(rotation.committed(), units, slow)
    choice = choose(config, units, known_costs)
    costs = rotation.of_units(known_costs, units)
    if left := [item for item in items if item.nodeid not in choice.tests]:
        config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item.nodeid in choice.tests]
    # The most expensive files first, and each file's tests in a row: fixtures of a file are made
    # once for each worker, and end before other tests begin.
    of_file = Counter[str]()
    for unit in {units[item.nodeid] for item in items}:
        of_file[rotation.file_of(unit)] += int(10 * costs.get(unit, 0.0))
    items.sort(key=lambda item: (-of_file[file := rotation.file_of(item.nodeid)], file))
    known = config.pluginmanager.get_plugin("costs")
    assert isinstance(known, Costs)
    known.units, known.left_out = units, choice.left_out
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = choice.left_out
        config.workeroutput["units"] = units


class Costs:
    """What each test took, and what the end of a run says of it."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.before = sum(os.times()[:4])  # of the test that runs
        self.began = 0.0
        self.seconds: dict[str, float] = {}
        self.reasons: dict[str, str] = {}
        self.failed: list[str] = []
        self.left_out = ""
        self.units: dict[str, str] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Adds a test's processor seconds to its last report, with those of all programs that it
        waited for, and those that a test says were used elsewhere."""
        if call.when == "setup":
            self.began = call.start
        report = yield
        if call.when == "teardown":
            elsewhere = sum(
                float(str(value)) for name, value in item.user_properties if name == "seconds"
            )
            now = sum(os.times()[:4])
            # The sandbox's processes are counted twice at times, so no more than there can be.
            most = (call.stop - self.began) * len(os.sched_getaffinity(0))
            slow = item.get_closest_marker("slow")
            report.user_properties += [
                ("cost", min(now - self.before + elsewhere, most)),
                ("reason", slow.args[0] if slow else ""),
            ]
            self.before = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid
        if report.failed:
            self.failed.append(name)
        properties: dict[str, Any] = dict(report.user_properties)
        if report.when == "teardown" and "cost" in properties:
            self.seconds[name] = properties["cost"]
            self.reasons[name] = properties["reason"]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {})
        self.left_out = output.get("left_out", self.left_out)
        self.units = output.get("units", self.units)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        write = terminalreporter.write_line
        slowest = sorted(self.seconds.items(), key=lambda row: -row[1])[:SHOWN]
        if len(self.seconds) > SHOWN:
            write(f"\nthe slowest {SHOWN}, in processor seconds:")
            for name, cost in slowest:
                none = "no reason is given" if cost > rotation.COSTLY else ""
                reason = self.reasons[name] or none
                write(f"{cost:7.1f}  {name}{f'  ({reason})' if reason else ''}")
            write(f"{sum(self.seconds.values()):7.0f}  all {len(self.seconds)} tests of this run")
        if self.left_out:
            write(f"left out: {self.left_out}")
        if not stamp.valid("pages"):
            write(f"left out: {len(rotation.PAGES)} files that need ./grade setup --pages")
        if self.failed:
            write("to repeat what failed:")
            for name in dict.fromkeys(self.failed[:5]):
                write(f"    build/venv/bin/python -m pytest '{name}'")
            if part := self.config.getoption("part"):
                write(f"    make test PART={part}      (this run's part)")
        if self.config.getoption("write_costs") and not hasattr(self.config, "workerinput"):
            text = rotation.updated(self.seconds, self.units, rotation.committed())
            rotation.FILE.write_text(text)
