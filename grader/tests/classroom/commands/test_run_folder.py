"""Commands refuse folders that are not runs or cannot be used now."""

import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import pytest

from grader import cli, exit_codes
from grader.classroom.bulk import class_records
from grader.classroom.bulk.database import VERSION
from grader.classroom.bulk.store import Store
from grader.classroom.commands import run_folder
from grader.commands.errors import CommandError, UsageError

Capture = pytest.CaptureFixture[str]
COMMANDS = (
    *("report RUN", "export RUN", "diff RUN", "letters RUN", "override RUN", "similarity RUN"),
    "forget RUN somebody",
    *("merge RUN OTHER", "merge OTHER RUN"),
)


def made(folder: Path) -> Path:
    Store(folder, resume=False).close()
    return folder


def file_of(run: Path) -> Path:
    return run / ".run" / "store.sqlite"


def version(run: Path, number: int) -> Path:
    with closing(sqlite3.connect(file_of(made(run)))) as db:
        db.execute(f"pragma user_version={number}")
    return run


def a_file(run: Path) -> None:
    run.write_text("not a folder")


def damaged(run: Path) -> None:
    file_of(made(run)).write_bytes(b"\x1b[2J" * 4096)


def no_file(run: Path) -> None:
    file_of(run).mkdir(parents=True)


# What is made at RUN, and what is said of it.
WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "no such folder": (Path.exists, "run does not exist: name the folder that ./grade bulk"),
    "no folder": (a_file, "run is not a folder: name the folder that ./grade bulk"),
    "no run": (Path.mkdir, "run has no run: it was not made by ./grade bulk"),
    "newer": (lambda run: version(run, VERSION + 1), "run was written by a newer version"),
    "older": (lambda run: version(run, VERSION - 1), "run was written by an older version"),
    "locked": (made, "run: wait until it has ended"),
    "damaged": (damaged, "store.sqlite cannot be read: file is not a database"),
    "no file": (no_file, "store.sqlite cannot be used: unable to open database file"),
}


@contextmanager
def wrong(kind: str, run: Path) -> Iterator[str]:
    """A folder of that kind is at `run`; yields what is said of it."""
    make, said = WRONG[kind]
    make(run)
    with closing(Store(run, resume=True)) if kind == "locked" else nullcontext():
        yield said


@pytest.mark.parametrize("kind", WRONG)
def test_each_folder_that_is_wrong_gets_its_own_error(kind: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with wrong(kind, run) as said:
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(UsageError) as error, run_folder.opened(run):
            pytest.fail("it was opened")
        assert said in str(error.value) and str(run) in str(error.value)
        assert len(str(error.value).splitlines()) == 1
        assert sorted(tmp_path.rglob("*")) == before or kind == "no file"  # its lock


def test_a_name_that_no_folder_can_have(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: File name too long"):  # noqa: SIM117
        with run_folder.opened(tmp_path / ("x" * 300)):
            pytest.fail("it was opened")


@pytest.mark.parametrize("kind", ["newer", "damaged"])
def test_after_an_error_nothing_is_locked(kind: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    for _ in range(2):
        with wrong(kind, run) as said, pytest.raises(UsageError) as error, run_folder.opened(run):
            pytest.fail("it was opened")
        assert said in str(error.value)
        shutil.rmtree(run)


@pytest.mark.parametrize("name", ["run", "a run", "r\u00fcn \u5c71\u7530", "%41?mode=memory"])
def test_a_run_of_any_name_is_opened_and_then_free(name: str, tmp_path: Path) -> None:
    run = made(tmp_path / name)
    for _ in range(2):
        with run_folder.opened(run) as store:
            assert not store.submissions() and store.folder == run


def test_errors_inside_the_block_say_what_to_do(tmp_path: Path) -> None:
    run = made(tmp_path / "run")
    with pytest.raises(UsageError, match=r"course\.toml"), run_folder.opened(run) as store:
        store.keep_setting(class_records.COURSE, b"grace_days = true")
        class_records.rules(store)
    with pytest.raises(CommandError, match="cannot be used: disk is full") as full:  # noqa: SIM117
        with run_folder.opened(run):
            raise sqlite3.OperationalError("disk is full")
    assert full.value.code == exit_codes.FAULT
    with pytest.raises(UsageError, match="is damaged: malformed"), run_folder.opened(run):
        raise sqlite3.DatabaseError("malformed")
    with pytest.raises(ZeroDivisionError), run_folder.opened(run):
        raise ZeroDivisionError
    with run_folder.opened(run):  # each of them left it free
        pass


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_says_it(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    other = made(tmp_path / "other")
    for number, kind in enumerate(WRONG):
        run = tmp_path / str(number) / "run"
        run.parent.mkdir()
        folders = {"RUN": str(run), "OTHER": str(other)}
        monkeypatch.setattr(sys, "argv", ["grade", *(folders.get(w, w) for w in command.split())])
        with wrong(kind, run) as said:
            assert cli.main() == exit_codes.USAGE
        printed = capsys.readouterr()
        assert said in printed.err and printed.err.startswith("grade: ") and not printed.out
