"""What the gate of a student's image finds, and what it lets pass."""

import io
import tarfile
from pathlib import Path

import pytest

from grader import paths
from grader.release import archive, contents, gate, image
from grader.release.contents import Member
from grader.release.gate import Known

ROOT = paths.ROOT
SOLUTION = ROOT / "solutions/lab4_shared_tile/shared_tile.cu"
README = b"# a course\n"


@pytest.fixture(scope="module")
def secrets() -> Known:
    return gate.known(ROOT, contents.tracked(ROOT), contents.lists())


def problems(secrets: Known, files: dict[str, bytes], link: str = "") -> list[str]:
    """What is wrong with an image of these files, made of an archive with README.md alone."""
    given = archive.pack([Member("README.md", README, executable=False)], "convlabs-student-1", 0)
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
        if link:
            entry = tarfile.TarInfo(link)
            entry.type, entry.linkname = tarfile.LNKTYPE, next(iter(files))
            tar.addfile(entry)
    written.seek(0)
    with tarfile.open(fileobj=written, mode="r|") as tar:
        return image.check(tar, given, secrets)[0]


SECRET = SOLUTION.read_bytes()


@pytest.mark.parametrize(
    ("files", "link", "said"),
    [
        ({"convlabs/README.md": README + b"!"}, "", "README.md: differs from the archive's"),
        ({"./convlabs/README.md": b""}, "", "README.md: differs from the archive's"),
        ({"convlabs/more.md": b"x"}, "", "more.md: is not in the archive"),
        ({"convlabs/build/kept.txt": SECRET}, "", "build/kept.txt: "),
        ({"/home/student/.cache/x": SECRET}, "", "home/student/.cache/x: "),
        ({"convlabs/grader/__pycache__/x.pyc": SECRET}, "", "x.pyc: "),
        ({"convlabs/solutions/lab1.c": b""}, "", "this file stays with the instructor"),
        ({"convlabs/build/lab3/hidden.toml": b""}, "", "this file stays with the instructor"),
        ({"convlabs/README.md": README}, "convlabs/build/x", "build/x: a hard link"),
    ],
)
def test_a_secret_is_found(files: dict[str, bytes], link: str, said: str, secrets: Known) -> None:
    assert said in "\n".join(problems(secrets, files, link))


@pytest.mark.parametrize(
    "files",
    [
        {"convlabs/README.md": README},
        {"./convlabs/README.md": README},
        {"convlabs/build/lib/plain/libsim.a": b"!<arch>\n\0\1\2"},
        {"convlabs/build/venv/lib/x.py": SECRET},  # packages come from PyPI by their hashes
        {"usr/share/doc/x": SECRET},  # Debian's
        {"convlabs/grader/__pycache__/cli.cpython-311.pyc": b"\0\1"},
    ],
)
def test_what_the_build_adds_passes(files: dict[str, bytes], secrets: Known) -> None:
    assert problems(secrets, files) == []


def test_the_command_refuses_what_is_no_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "no.tar").write_bytes(b"no tar")
    monkeypatch.setattr("sys.argv", ["image", str(tmp_path / "no.tar"), str(tmp_path / "none")])
    assert image.main() == 1
    assert "image: " in capsys.readouterr().err
