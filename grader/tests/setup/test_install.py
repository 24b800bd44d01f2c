"""Set-up: what is missing is installed once, whatever interrupts it. No network is used.

Most tests run the real `grade` in a small copy of the repository. test_before_setup.py has the
commands that install nothing.
"""

import ast
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from grader.setup import apt, failure, stamp, system_packages
from grader.setup.failure import SetupError
from grader.setup.runner import Output, Runner
from grader.tests.setup.small_copy import ROOT, Copy, no_network, wheel


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """A copy in which nothing is set up."""
    return Copy(tmp_path)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy that has been set up, which takes seconds; tests take `ready`."""
    made = Copy(tmp_path_factory.mktemp("model"))
    assert made.grade("setup")[0] == 0
    return made


@pytest.fixture
def ready(model: Copy, tmp_path: Path) -> Copy:
    """A copy that has been set up, for a test to do with as it likes."""
    made = Copy(tmp_path)
    shutil.rmtree(made.root)
    shutil.copytree(model.root, made.root, symlinks=True)
    return made


@pytest.mark.slow("sets up an environment, without a network")
def test_the_first_command_sets_up_and_the_second_starts_at_once(copy: Copy) -> None:
    began = time.monotonic()
    status, out, err = copy.grade("lab3", "--src", "x y")
    first = time.monotonic() - began
    assert (status, out) == (0, "graded lab3 --src x y\n"), err
    lines = err.splitlines()
    assert lines[0].startswith("convlabs: setting up, once; the log is ")
    assert lines[0].endswith("/build/setup.log")
    assert "[1/2] Python packages: 1 into build/venv, about 28 MB to download" in lines
    assert "[2/2] the photograph that some cases use: about 14 MB to download" in lines
    assert sum(bool(re.fullmatch(r" {6}took \d+ s", line)) for line in lines) == 2
    assert re.fullmatch(r"convlabs: set up in \d+ s", lines[-1])
    assert "\x1b" not in err
    log = (copy.root / "build" / "setup.log").read_text()
    assert log.count("\n$ ") == 3 and "tiny" in log
    assert copy.stamped() == {"run"}
    assert (copy.root / "build" / "datasets" / "coffee.png").exists()
    began = time.monotonic()
    assert copy.grade("lab1") == (0, "graded lab1\n", "")
    assert time.monotonic() - began < first / 2
    # The tests' packages are added to what is there, and a student's set-up is still in place.
    status, out, err = copy.grade("setup", "--dev")
    assert (status, out) == (0, ""), err
    assert "for the tests" in err
    assert copy.stamped() == {"run", "dev"}
    assert copy.grade("lab1") == (0, "graded lab1\n", "")


@pytest.mark.slow("sets up an environment, without a network")
def test_setup_says_that_nothing_is_missing_but_not_to_make(ready: Copy) -> None:
    assert "everything is installed" in ready.grade("setup")[2]
    ready.environment["MAKELEVEL"] = "1"
    assert ready.grade("setup") == (0, "", "")


@pytest.mark.slow("sets up an environment, without a network")
def test_the_folder_may_be_moved(ready: Copy) -> None:
    ready.root = ready.root.rename(ready.root.with_name("moved"))
    assert ready.grade("lab2") == (0, "graded lab2\n", "")


@pytest.mark.slow("sets up an environment, without a network")
def test_grade_may_be_called_through_a_link(ready: Copy, tmp_path: Path) -> None:
    link = tmp_path / "g"
    link.symlink_to(ready.root / "grade")
    done = subprocess.run([sys.executable, link, "lab1"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "graded lab1\n"), done.stderr


@pytest.mark.slow("sets up an environment, without a network")
def test_a_changed_lock_sets_up_anew(ready: Copy) -> None:
    left = ready.root / "build" / "venv" / "left-over"
    left.touch()
    lock = ready.root / "grader" / "setup" / "requirements.lock"
    lock.write_text(lock.read_text() + wheel(ready.shop, "another"))
    status, _, err = ready.grade("lab1")
    assert status == 0, err
    assert "setting up" in err
    assert not left.exists()


@pytest.mark.slow("sets up an environment, without a network")
def test_an_interpreter_that_is_gone_sets_up_anew(ready: Copy) -> None:
    python = ready.root / "build" / "venv" / "bin" / "python"
    target = os.readlink(python)
    python.unlink()
    python.symlink_to("/usr/bin/python3.0")
    status, out, err = ready.grade("lab1")
    assert (status, out) == (0, "graded lab1\n"), err
    assert "setting up" in err
    assert os.readlink(python) == target


def until_packages(process: subprocess.Popen[str]) -> None:
    """Waits until a set-up has come to the Python packages."""
    assert process.stderr is not None
    while "Python packages" not in (line := process.stderr.readline()):
        assert line, "it ended before"


@pytest.mark.slow("sets up an environment, without a network")
def test_a_killed_set_up_is_simply_run_again(copy: Copy) -> None:
    process = copy.start("setup")
    until_packages(process)
    time.sleep(0.7)
    process.kill()
    process.communicate()
    assert copy.stamped() == set()
    status, out, err = copy.grade("lab1")
    assert (status, out) == (0, "graded lab1\n"), err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_set_up_says_so(copy: Copy, number: signal.Signals) -> None:
    process = copy.start("setup")
    until_packages(process)
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted; to continue, run the same command again" in err
    assert "Traceback" not in err
    assert copy.stamped() == set()


@pytest.mark.slow("sets up an environment, without a network")
def test_concurrent_commands_set_up_once(copy: Copy) -> None:
    both = [copy.start("lab1"), copy.start("lab2")]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert [out for out, _ in said] == ["graded lab1\n", "graded lab2\n"]
    assert sum("waiting for it" in err for _, err in said) == 1
    assert sum("Python packages" in err for _, err in said) == 1


@pytest.mark.slow("sets up an environment, without a network")
def test_install_without_network_gives_the_cause(ready: Copy) -> None:
    del ready.environment["PIP_NO_INDEX"], ready.environment["PIP_FIND_LINKS"]
    ready.environment |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"}
    began = time.monotonic()
    status, out, err = ready.grade("setup", "--dev")
    assert (status, out) == (3, "")
    assert time.monotonic() - began < 60, "pip's own patience is minutes"
    assert "pip could not reach the package index 127.0.0.1: no network" in err
    assert "connect to a network and run the same command again" in err
    assert "Traceback" not in err
    assert "From the log, " in err and "build/setup.log:\n    WARNING: Retrying" in err
    assert "PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels ./grade setup --dev" in err
    assert ready.stamped() == {"run"}
    assert "tinytest" in (ready.root / "build" / "setup.log").read_text()


@pytest.mark.slow("sets up an environment, without a network")
@pytest.mark.needs("no network")
def test_install_in_an_isolated_network_gives_the_cause(copy: Copy) -> None:
    copy.prefix = no_network()
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS"):
        del copy.environment[name]
    status, out, err = copy.grade("lab1")
    assert (status, out) == (3, "")
    assert "grade: pip could not reach the package index pypi.org: no network" in err
    assert "What to do: connect to a network and run the same command again" in err
    # With the packages from elsewhere, as the message says.
    wheels = copy.shop.rename(copy.cwd / "wheels")
    copy.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheels.name}
    status, out, err = copy.grade("lab1")
    assert (status, out) == (0, "graded lab1\n"), err


@pytest.mark.slow("sets up an environment, without a network")
def test_a_package_that_is_not_the_locked_one(ready: Copy) -> None:
    with (ready.shop / "tinytest-1.0-py3-none-any.whl").open("ab") as file:
        file.write(b"!")
    status, _, err = ready.grade("setup", "--dev")
    assert status == 3
    assert "does not match the lock file" in err
    assert ready.stamped() == {"run"}


@pytest.mark.slow("sets up an environment, without a network")
def test_without_the_photograph_the_rest_works(ready: Copy) -> None:
    (ready.root / "build" / "datasets" / "coffee.png").unlink()
    (ready.root / "datasets" / "generate.py").write_text("raise SystemExit('no network here')")
    status, _, err = ready.grade("setup")
    assert status == 0
    assert "no photograph: cases that show it cannot run" in err
    assert "no network here" in err
    # It is tried again when asked for, not before each grading.
    assert ready.grade("lab1") == (0, "graded lab1\n", "")


def test_a_folder_that_cannot_be_written(copy: Copy) -> None:
    (copy.root / "build").write_text("in the way")
    status, out, err = copy.grade("lab1")
    assert (status, out) == (3, "")
    assert "cannot write" in err
    assert "Traceback" not in err


def test_a_read_only_folder_is_refused_in_one_sentence() -> None:
    with tempfile.TemporaryDirectory() as place:  # pytest's own folders are for their owner only
        Path(place).chmod(0o755)
        copy = Copy(Path(place))
        copy.root.chmod(0o555)
        if os.geteuid() == 0:  # root may write anywhere
            copy.prefix = ["setpriv", "--reuid", "65534", "--clear-groups"]
            if shutil.which("setpriv") is None or not os.access(sys.executable, os.X_OK):
                pytest.skip("there is no setpriv")
            copy.python = "/usr/bin/python3"
        status, out, err = copy.grade("lab1")
        copy.root.chmod(0o755)
    assert (status, out) == (3, "")
    assert err.startswith("grade: cannot write ") and err.count("\n") == 1
    assert "Permission denied; copy the repository to a folder that you can write to" in err


@pytest.mark.slow("sets up an environment, without a network")
def test_setup_repairs_a_package_that_is_gone(ready: Copy) -> None:
    (folder,) = (ready.root / "build" / "venv").glob("lib/*/site-packages/tiny-1.0.dist-info")
    shutil.rmtree(folder)
    assert "MISSING   Python packages" in ready.grade("doctor")[1]
    status, _, err = ready.grade("setup")
    assert status == 0 and "[1/1] Python packages: 1 into build/venv" in err
    assert folder.is_dir()


def test_setup_replaces_a_damaged_photograph(ready: Copy) -> None:
    photograph = ready.root / "build" / "datasets" / "coffee.png"
    photograph.write_bytes(b"half a pic")
    said = " ".join(ready.grade("doctor")[1].split())
    assert "coffee.png differs from the one in datasets/manifest.toml" in said
    assert ready.grade("setup")[0] == 0
    assert photograph.read_bytes() == b"a picture"


@pytest.mark.slow("sets up an environment, without a network")
def test_setup_rejects_unknown_options(ready: Copy) -> None:
    assert ready.grade("setup", "--developer")[0] == 2
    assert "--dev" in ready.grade("setup", "--help")[1]


# ------------------------------------------------------------------------------ system packages


def programs(monkeypatch: pytest.MonkeyPatch, *present: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in present else None)


STB = system_packages.Package("libstb-dev", "the headers of stb", header="no/such/header.h")
MAKE = system_packages.Package("make", "GNU make", program="no-such-program")


def test_a_user_who_may_not_install_gets_the_exact_line(monkeypatch: pytest.MonkeyPatch) -> None:
    programs(monkeypatch, "apt-get")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SetupError) as error:
        apt.prefix([STB, MAKE])
    assert (
        "\n    sudo apt-get update && "
        "sudo apt-get install -y --no-install-recommends libstb-dev make\n" in error.value.advice
    )


def test_a_system_without_apt_gets_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    programs(monkeypatch)
    with pytest.raises(SetupError, match="no apt-get") as error:
        apt.prefix([STB, MAKE])
    assert "the headers of stb; GNU make" in error.value.advice


@pytest.mark.parametrize("user", [0, 1000])
def test_apt_get_is_run_where_it_may(
    user: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(monkeypatch, "apt-get", "sudo")
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(apt, "sudo_without_password", lambda: True)
    run: list[list[str]] = []

    def fake_run(_: Runner, command: list[str], *__: object) -> Output:
        run.append(command)
        return Output(0, "")

    monkeypatch.setattr(Runner, "run", fake_run)
    # Nothing was installed, which is noticed.
    with pytest.raises(SetupError, match="still not found"):
        apt.install([STB], apt.prefix([STB]), Runner(tmp_path / "log", 1))
    assert [command[0] == "sudo" for command in run] == [user != 0] * 3
    assert ["update" in command for command in run] == [False, True, False]
    assert run[-1][-3:] == ["-y", "--no-install-recommends", "libstb-dev"]
    assert all("DEBIAN_FRONTEND=noninteractive" in command for command in run)


def test_every_package_can_be_missing_and_present() -> None:
    for package in system_packages.packages("dev"):
        assert package.present(), f"{package.name} is needed by this test, too"
    assert not STB.present()
    assert not MAKE.present()
    assert not system_packages.Package("x", "x", library="libnosuch.so").present()


@pytest.mark.parametrize(
    ("release", "program", "asked"),
    [
        ("debian", None, ["chromium"]),
        ("ubuntu debian", None, []),  # a stub that asks for a snap
        ("linuxmint ubuntu debian", None, []),
        ("debian", "/usr/bin/google-chrome", []),
        ("", None, ["chromium"]),
    ],
)
def test_a_browser_is_asked_for_where_there_is_a_package(
    release: str, program: str | None, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_packages, "release", lambda: release)
    monkeypatch.setattr(shutil, "which", lambda _: program)
    assert [package.name for package in system_packages.browser()] == asked


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("Temporary failure in name resolution\nE: Failed", "no network"),
        ("W: Failed to fetch http://x  Temporary failure resolving 'x'", "no network"),
        ("E: Unable to locate package libstb-dev\n", "E: Unable to locate package libstb-dev"),
        ("one\nERROR: two\nthree\n", "ERROR: two"),
        ("", "no reason was given"),
    ],
)
def test_cause_is_extracted_from_pip_output(text: str, why: str) -> None:
    assert why in failure.cause(text).text


# ------------------------------------------------------------------------------ old Pythons


@pytest.mark.parametrize("name", ["grade", "grader/__init__.py", "grader/setup/stamp.py"])
def test_startup_files_parse_on_python_3_6(name: str) -> None:
    source = (ROOT / name).read_text()
    ast.parse(source, feature_version=(3, 6))
    assert "from __future__ import annotations" not in source


def test_stamps_fit_lock_interpreter_and_machine() -> None:
    digest, interpreter, machine, end = stamp.key("run").split("\n")
    assert digest == hashlib.sha256(Path(stamp.LOCKS["run"]).read_bytes()).hexdigest()
    assert os.access(interpreter, os.X_OK)
    assert machine == os.uname().machine
    assert end == ""
    assert stamp.key("dev") != stamp.key("run")
