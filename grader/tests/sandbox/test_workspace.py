"""The folders of runs: what is created in them, read from them and removed."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from grader.sandbox.workspace import create_outputs, read_output, remove_abandoned, workspace


def test_a_workspace_is_removed_whatever_happens() -> None:
    folders = []
    with pytest.raises(ZeroDivisionError), workspace() as folder:
        folders.append(folder)
        (folder / "file").touch()
        raise ZeroDivisionError
    assert not folders[0].exists()


def test_only_folders_of_ended_processes_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    names = (f"{ended.pid}-a", f"{os.getpid()}-b", "other")
    for name in names:
        (tmp_path / name).mkdir()
    remove_abandoned(tmp_path)
    assert [(tmp_path / name).exists() for name in names] == [False, True, True]


def test_outputs_are_empty_files_and_inputs_can_be_read_by_any_user(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    (folder / "input").write_text("x")
    (folder / "input").chmod(0o600)
    assert create_outputs(folder, ("output",)) == (folder / "output",)
    assert (folder / "output").read_bytes() == b""
    assert stat.S_IMODE((folder / "input").stat().st_mode) == 0o644
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_output_is_read_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "output").write_bytes(b"x" * 100)
    assert read_output(tmp_path / "output", 100) == b"x" * 100
    assert read_output(tmp_path / "output", 10) == b"x" * 10


@pytest.mark.parametrize("kind", ["missing", "link", "fifo", "folder"])
def test_output_that_is_not_a_regular_file_is_empty(kind: str, tmp_path: Path) -> None:
    output = tmp_path / "output"
    (tmp_path / "secret").write_text("secret")
    if kind == "link":
        output.symlink_to(tmp_path / "secret")
    elif kind == "fifo":
        os.mkfifo(output)
    elif kind == "folder":
        output.mkdir()
    assert read_output(output, 100) == b""
