"""Clones of git repositories: whose they are, and when the last commit was made."""

import os
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from grader.classroom.bulk.intake import git_time
from grader.classroom.bulk.intake.collect import collect
from grader.classroom.bulk.intake.discover import download
from grader.classroom.bulk.intake.layouts.git_clones import assignment
from grader.model import spec
from grader.tests.fuzz.targets import git_clones

LAB1 = spec.load("lab1")
KOREA = timezone(timedelta(hours=9))
WHEN = datetime(2027, 3, 1, 22, 10, 5, tzinfo=KOREA)
needs_git = pytest.mark.needs("git")


def git(folder: Path, *words: str) -> None:
    settings = {
        "GIT_COMMITTER_DATE": WHEN.isoformat(),
        "GIT_AUTHOR_DATE": (WHEN - timedelta(days=1)).isoformat(),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    named = ("-c", "user.name=Student 17", "-c", "user.email=student17@example.org")
    argv = ["git", "-C", str(folder), *named, *words]
    subprocess.run(argv, check=True, env=os.environ | settings, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "cpu_loop.c").write_text("int right;\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    return folder


@needs_git
def test_the_time_of_a_loose_a_packed_and_a_detached_commit(repository: Path) -> None:
    assert git_time.last_commit(repository / ".git") == WHEN
    git(repository, "gc", "-q")
    assert not (repository / ".git/refs/heads/main").exists()
    assert git_time.last_commit(repository / ".git") == WHEN
    git(repository, "checkout", "-q", "--detach")
    assert git_time.last_commit(repository / ".git") == WHEN


@needs_git
def test_a_clone_as_github_classroom_makes_it(repository: Path, tmp_path: Path) -> None:
    for number in range(40):
        (repository / "cpu_loop.c").write_text(f"int right = {number};\n")
        git(repository, "commit", "-qam", str(number))
    classroom = tmp_path / "in" / "lab1-submissions"
    classroom.mkdir(parents=True)
    for login in ("student-17", "student18"):
        git(tmp_path, "clone", "-q", "--no-local", str(repository), f"{classroom}/lab1-{login}")
    found = download(tmp_path / "in")
    assert str(found) == "git clones: 2 students"
    first, second = found.entries
    assert (first.student, second.student) == ("lab1-student-17", "lab1-student18")
    logins = [person.login for entry in found.entries for person in entry.people]
    assert logins == ["student-17", "student18"]
    assert first.submitted == second.submitted == WHEN
    contents = collect(first, [LAB1])["lab1"].contents
    assert contents == {"cpu_loop.c": b"int right = 39;\n"}


@pytest.mark.parametrize(
    ("names", "start"),
    [
        (["lab1-ann", "lab1-bob"], "lab1-"),
        (["lab1-ann-lee", "lab1-ann-roe"], "lab1-ann-"),
        (["lab1-ann"], ""),
        (["ann", "bob"], ""),
        (["lab-one-ann", "lab-one-anna"], "lab-one-"),
    ],
)
def test_common_prefix_is_the_assignment(names: list[str], start: str) -> None:
    assert assignment(names) == start


def test_a_git_folder_that_a_student_made_gives_no_time(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a" * 40)
    heads: tuple[bytes, ...] = (
        *(b"", b"\xff" * 99, b"ref: refs/heads/../../../secret", b"ref: /etc/passwd", b"a" * 40),
        *(b"ref: refs/heads/main", b"ref: " + b"refs/" * 5000, b"0" * 40, b"f" * 40),
    )
    for number, head in enumerate(heads):
        top = tmp_path / str(number) / ".git"
        (top / "objects/pack").mkdir(parents=True)
        (top / "objects/aa").symlink_to("/etc")
        (top / "HEAD").write_bytes(head)
        (top / "packed-refs").write_bytes(b"^\n# x\n\nnothing refs/heads/main\n" + head)
        (top / "objects/pack/pack-1.idx").write_bytes(b"\xfftOc\0\0\0\2" + b"\xff" * 2000)
        (top / "objects/pack/pack-2.idx").symlink_to(secret)
        assert git_time.last_commit(top) is None, head[:20]
    assert git_time.last_commit(tmp_path / "none") is None
    assert git_time.last_commit(secret) is None


def test_a_pack_whose_object_never_begins(tmp_path: Path) -> None:
    top = tmp_path / ".git"
    (top / "objects/pack").mkdir(parents=True)
    (top / "HEAD").write_bytes(git_clones.SHA.encode())
    (top / "objects/pack/p.idx").write_bytes(git_clones.index())
    for pack in (b"PACK" + bytes(8) + b"\x90" + b"\xff" * 40, b"PACK", git_clones.pack(7)):
        (top / "objects/pack/p.pack").write_bytes(pack)
        assert git_time.last_commit(top) is None
    (top / "objects/pack/p.pack").write_bytes(git_clones.pack(git_time.COMMIT))
    assert git_time.last_commit(top) == datetime(2026, 2, 2, 11, 40, tzinfo=KOREA)


def test_odd_times_of_commits() -> None:
    def time(line: str) -> datetime | None:
        return git_time._time(
            f"tree 1\nauthor A <a> 1 +0000\n{line}\n\ncommitter B <b> 2 +0000\n".encode()
        )

    assert time("committer A B <a@b> 1770000000 +0000") == datetime.fromtimestamp(1770000000, UTC)
    assert time("committer > 5 <> 1770000000 -0930") is not None
    assert time("committer A <a> 99999999999 +9999") is None
    assert time("committer A <a> -1 +0000") is None
    assert time("encoding x") is None
