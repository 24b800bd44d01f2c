"""NVIDIA's compiler in build/nvcc: installed whole or not at all, and found behind a system's."""

import os
from pathlib import Path
from typing import Any

import pytest

from grader.setup import nvcc, python_packages
from grader.setup.failure import SetupError
from grader.setup.runner import Runner


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(nvcc, "HOME", tmp_path / "nvcc")
    monkeypatch.setattr(nvcc, "BIN", tmp_path / "nvcc" / "bin")
    return tmp_path / "nvcc"


def runner(folder: Path) -> Runner:
    return Runner(folder / "log", 1)


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, fails: bool = False) -> None:
    def pip(*arguments: Any) -> None:
        *_, options = arguments
        program = Path(options[-1]) / "bin" / "nvcc"
        program.parent.mkdir(parents=True)
        program.touch(0o755)
        if fails:
            raise SetupError("the disk is full", "free some space")

    monkeypatch.setattr(python_packages, "pip_install", pip)
    nvcc.install(runner(folder))


def test_the_lock_has_every_package_with_a_hash() -> None:
    names = dict(python_packages.locked(nvcc.LOCK))
    assert {"nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-nvdisasm"} <= set(names)
    assert nvcc.LOCK.read_text().count("--hash=sha256:") >= 2 * len(names)


def test_a_set_up_is_complete_only_with_its_stamp_and_for_its_lock(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not nvcc.ready()
    install(tmp_path, monkeypatch)
    assert nvcc.ready()
    (home / "stamp").write_text("of another lock")
    assert not nvcc.ready()


def test_a_set_up_that_fails_leaves_the_compiler_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch)
    with pytest.raises(SetupError):
        install(tmp_path, monkeypatch, fails=True)
    assert nvcc.ready() and [f.name for f in tmp_path.iterdir()] == ["nvcc"]


@pytest.mark.parametrize("asked", ["", "own"])
def test_a_systems_own_compiler_comes_first_unless_asked(
    asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("CONVLABS_NVCC", asked)
    nvcc.add_to_path()
    assert os.environ["PATH"] == "/usr/bin:/bin", "there is none"
    install(tmp_path, monkeypatch)
    for _ in range(2):  # ./grade may be called by a program that has called it
        nvcc.add_to_path()
    own, system = str(nvcc.BIN), ["/usr/bin", "/bin"]
    assert os.environ["PATH"].split(":") == ([own, *system] if asked else [*system, own])
