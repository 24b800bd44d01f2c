"""Cached correct results are recognized, and no others."""

import os
from pathlib import Path

import numpy as np
import pytest

from grader.model import spec
from grader.oracle import disk_cache

LAB = spec.load("lab2")
ASKED = ("correlate", None, 1)
LARGE = np.arange(disk_cache.LARGE + 1, dtype=np.float32)


@pytest.fixture(autouse=True)
def _empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "FOLDER", tmp_path)


def _another_process() -> Path:
    """Forgets what this process knows. Returns the file that is left."""
    disk_cache._right_in.cache_clear()
    return disk_cache.home(LAB) / disk_cache.RIGHT


def test_another_process_knows_it() -> None:
    assert not disk_cache.was_right(LAB, ASKED, LARGE)
    disk_cache.remember_right(LAB, ASKED, LARGE)
    _another_process()
    assert disk_cache.was_right(LAB, ASKED, LARGE.copy())


def test_cache_matches_only_equal_bits_of_the_same_question() -> None:
    disk_cache.remember_right(LAB, ASKED, LARGE)
    one_bit = LARGE.copy()
    one_bit[7] = np.nextafter(one_bit[7], np.float32(9))
    assert not disk_cache.was_right(LAB, ASKED, one_bit)
    assert not disk_cache.was_right(LAB, ("correlate", None, 2), LARGE)
    assert not disk_cache.was_right(LAB, ASKED, LARGE.view(np.uint32))
    assert not disk_cache.was_right(LAB, ASKED, LARGE.reshape(1, -1))
    assert not disk_cache.was_right(spec.load("lab3"), ASKED, LARGE)


def test_a_small_output_is_compared() -> None:
    disk_cache.remember_right(LAB, ASKED, LARGE[1:])
    assert not disk_cache.was_right(LAB, ASKED, LARGE[1:])


def test_cache_is_dropped_when_the_oracle_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    disk_cache.remember_right(LAB, ASKED, LARGE)
    old = _another_process()
    monkeypatch.setattr(disk_cache, "_code", lambda _: "newer")
    assert not disk_cache.was_right(LAB, ASKED, LARGE)
    disk_cache.home(LAB)
    assert old.exists()  # a grader that began before the change still uses it
    os.utime(old.parent, (0, 0))
    monkeypatch.setattr(disk_cache, "_code", lambda _: "newest")
    disk_cache.remember_right(LAB, ASKED, LARGE)
    assert not old.exists()


def test_half_a_hash_that_a_full_disk_left_ends_the_file() -> None:
    disk_cache.remember_right(LAB, ASKED, LARGE)
    file = _another_process()
    file.write_bytes(file.read_bytes()[:-1])
    assert not disk_cache.was_right(LAB, ASKED, LARGE)
    disk_cache.remember_right(LAB, ASKED, LARGE)
    _another_process()
    assert disk_cache.was_right(LAB, ASKED, LARGE)


def test_cache_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "MOST_RIGHT", disk_cache.DIGEST)
    disk_cache.remember_right(LAB, ASKED, LARGE)
    disk_cache.remember_right(LAB, ASKED, LARGE + 1)
    assert _another_process().stat().st_size == disk_cache.DIGEST


def test_cache_without_a_folder_works_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setattr(disk_cache, "FOLDER", tmp_path / "file" / "in")
    disk_cache.remember_right(LAB, ASKED, LARGE)
    assert disk_cache.was_right(LAB, ASKED, LARGE)  # in this process
