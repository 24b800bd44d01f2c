"""The folders in which submissions are built: which are kept, and which a grader may remove."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.compile import staging


@pytest.fixture(autouse=True)
def released() -> Iterator[None]:
    yield
    staging.release()


def staged(home: Path, number: int) -> Path:
    """The folder of another content; it is older than those of larger numbers."""
    out = staging.stage(home, "sim", {"file.cu": f"// {number}\n".encode()})
    os.utime(out, (1000 + number, 1000 + number))
    return out


def test_old_builds_are_removed_but_not_those_in_use(tmp_path: Path) -> None:
    first = staged(tmp_path, 0)
    staging.release()
    second = staged(tmp_path, 1)  # still in use, as if its runs took long
    folders = [staged(tmp_path, number) for number in range(2, 2 + staging.KEPT)]
    assert not first.exists()
    assert second.exists()
    staging.release()
    staged(tmp_path, 99)
    assert not second.exists()
    assert folders[-1].exists()


def test_many_graders_keep_what_they_build(tmp_path: Path) -> None:
    """More folders than are kept, each used for a moment by one of several graders."""
    children = []
    for first in range(4):
        if (child := os.fork()) == 0:
            for number in range(first, first + 200):
                out = staging.stage(tmp_path, "sim", {"file.cu": b"%d" % (number % 7)}, kept=1)
                if (out / "src" / "file.cu").read_bytes() != b"%d" % (number % 7):
                    break
                staging.release()
            os._exit(number - first != 199)  # an exception ends it with 1, too
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert len([d for d in tmp_path.iterdir() if d.is_dir()]) <= 4


def test_equal_files_share_a_build_folder(tmp_path: Path) -> None:
    out = staged(tmp_path, 1)
    (out / "product").touch()
    assert staged(tmp_path, 1) == out
    assert (out / "product").exists()
    assert staging.stage(tmp_path, "gpu", {"file.cu": b"// 1\n"}) != out


def test_interrupted_build_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), staging.building(tmp_path):
        (tmp_path / "file.c.o").write_text("half an obj")
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_leftovers_of_a_killed_make_are_removed(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "file.c").write_text("int x;\n")
    staging.begin(tmp_path)
    (tmp_path / "file.c.o").write_text("half an obj")  # and here make is killed
    staging.begin(tmp_path)
    assert not (tmp_path / "file.c.o").exists() and (tmp_path / "src" / "file.c").exists()
    (tmp_path / "file.c.o").write_text("an object")
    staging.finish(tmp_path)
    staging.begin(tmp_path)
    assert (tmp_path / "file.c.o").exists()
