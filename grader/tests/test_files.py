"""Files that someone else may have replaced: what read_regular() returns, and what it refuses."""

import os
from pathlib import Path

import pytest

from grader.files import MAX_FILE, read_regular


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 100)
    assert read_regular(file) == read_regular(file, 100) == b"x" * 100


def test_a_longer_file_is_refused_or_truncated(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * (MAX_FILE + 1))
    with pytest.raises(OSError) as refused:
        read_regular(file)
    assert refused.value.strerror == f"has {MAX_FILE + 1} bytes; the limit is {MAX_FILE}"
    assert read_regular(file, truncate=True) == b"x" * MAX_FILE


def test_non_regular_files_are_refused_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    reasons = {
        "missing": "is missing",
        "link": "is a link; put the file itself there",
        "dangling": "is a link; put the file itself there",
        "pipe": "is not a file",
        "folder": "is not a file",
    }
    for name, reason in reasons.items():
        for truncate in (False, True):
            with pytest.raises(OSError) as refused:
                read_regular(tmp_path / name, truncate=truncate)
            assert refused.value.strerror == reason
