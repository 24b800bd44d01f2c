"""What all tests share."""

import os
import re
import shutil
import signal
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from grader.setup import stamp
from grader.tests import needs


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """One Ctrl-C, or SIGTERM, ends a run with its summary, which a second one would cut short."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


# A test run in the background inherits an ignored SIGINT and would hand it on; the commands that
# tests interrupt must meet the signal as on a terminal.
signal.signal(signal.SIGINT, signal.default_int_handler)

# nvcc would compile each of hundreds of submissions once more: minutes in sum. So it is taken from
# PATH (but for a folder that has everything else as well), and test_nvcc_check.py puts it back.
# Workers of pytest-xdist get this PATH, hence the variable.
_NVCC = os.environ.setdefault("CONVLABS_TEST_NVCC", shutil.which("nvcc") or "")
_FOLDERS = os.environ["PATH"].split(os.pathsep)
os.environ["PATH"] = os.pathsep.join(
    f for f in _FOLDERS if not Path(f, "nvcc").exists() or Path(f, "make").exists()
)


@pytest.fixture(scope="session")
def real_nvcc() -> str:
    """The path of this machine's nvcc; without one the test is skipped."""
    if not _NVCC:
        pytest.skip("needs nvcc: it is not installed")
    return _NVCC


# What a terminal and a language say to programs: a test that is about them sets them itself.
PLAIN = {"TERM": "xterm", "LANG": "C.UTF-8"}
UNSET = re.compile("LC_.*|LANGUAGE|NO_COLOR|FORCE_COLOR|CLICOLOR.*|COLUMNS|LINES|TERMINAL_WIDTH")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """After pytest has looked at them for its own output: the same environment for each test."""
    config.addinivalue_line("markers", "needs(name, ...): what it needs; grader/tests/needs.py")
    for name in filter(UNSET.fullmatch, list(os.environ)):
        del os.environ[name]
    os.environ.update(PLAIN, CONVLABS_TESTED=stamp.ROOT)
    config.stash[ENVIRONMENT] = environment()
    if config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput"):
        for number in (signal.SIGINT, signal.SIGTERM):  # here no test runs
            signal.signal(number, _interrupt)


# The tests run in build/venv: none may make it again or install into it.
ENVIRONMENT = pytest.StashKey[tuple[object, ...]]()


def environment() -> tuple[object, ...]:
    """What a set-up would change: the stamps, the programs and the packages of build/venv."""
    home = Path(stamp.VENV)
    folders = (home, home / "bin", *home.glob("lib/python3*/site-packages"))
    names = [sorted(os.listdir(folder)) for folder in folders if folder.is_dir()]
    return tuple(names), tuple(file.read_bytes() for file in sorted(home.glob("*.stamp")))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    yield
    if (now := environment()) != item.config.stash[ENVIRONMENT]:
        item.config.stash[ENVIRONMENT] = now
        pytest.fail("build/venv, in which all tests run, changed during this test", pytrace=False)


def pytest_collection_finish() -> None:
    """The choice of the sandbox is kept: it must not be made while a test hides programs."""
    needs.missing("sandbox")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            if why := needs.missing(name):
                pytest.skip(why)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Every test that was skipped, under its reason; those of one function in a line."""
    reasons = defaultdict[str, Counter[str]](Counter)
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        reasons[reason][report.nodeid.partition("[")[0]] += 1
    for reason, tests in sorted(reasons.items()):
        terminalreporter.write_line(f"\nskipped, {tests.total()}: {reason}")
        for name, times in sorted(tests.items()):
            terminalreporter.write_line(f"    {name}{f' ({times})' if times > 1 else ''}")
