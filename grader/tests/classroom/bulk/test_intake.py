"""From a submission only the lab's files are read, however it is packed."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.bulk.intake import collect as intake
from grader.classroom.bulk.intake.archive import Candidate
from grader.classroom.bulk.intake.collect import choose, collect
from grader.classroom.bulk.intake.discover import download
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.course.student_id import of_name
from grader.model import spec
from grader.tests.classroom.bulk import hostile

LAB1, LAB8 = spec.load("lab1"), spec.load("lab8")
ARCHIVES = hostile.archives(LAB1)


def only(folder: Path) -> intake.Files:
    """The files of lab 1 in the only submission of a folder."""
    (entry,) = download(folder).entries
    return collect(entry, [LAB1])["lab1"]


@pytest.mark.parametrize("kind", ARCHIVES)
def test_hostile_archives_give_nothing(kind: str, tmp_path: Path) -> None:
    suffix, content = ARCHIVES[kind]()
    (tmp_path / f"ann{suffix}").write_bytes(content)
    files = only(tmp_path)
    assert files.problem and not files.contents
    assert [p.name for p in tmp_path.iterdir()] == [f"ann{suffix}"]


@pytest.mark.parametrize("folder", ["", "lab1_cpu_loop", "a/b/c"])
def test_a_file_is_found_where_students_put_it(folder: str, tmp_path: Path) -> None:
    (tmp_path / "ann" / folder).mkdir(parents=True)
    (tmp_path / "ann" / folder / "cpu_loop.c").write_text("int x;\n")
    (tmp_path / "ann" / folder / "Makefile").write_text("all:\n\ttouch pwned\n")
    assert only(tmp_path).contents == {"cpu_loop.c": b"int x;\n"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("int x;".encode("utf-16"), "is UTF-16: save it as UTF-8"),
        (b"\x7fELF\2\1\1", "is a compiled program: give the text that you edit"),
        (b"int x;\0", "is a binary file: give the text that you edit"),
        (b" \r\n", "is empty"),
        ("int x;\r\n".encode("utf-8-sig"), ""),
        ("int 값;".encode(), ""),
    ],
)
def test_uncompilable_files_are_reported(content: bytes, said: str, tmp_path: Path) -> None:
    problems = intake.submission(LAB1, {"cpu_loop.c": content}, tmp_path).problems
    assert problems == ([f"lab1_cpu_loop/cpu_loop.c {said}"] if said else [])


def test_an_archive_in_a_folder_is_opened_and_one_in_an_archive_is_not(tmp_path: Path) -> None:
    inner = hostile._zip([("cpu_loop.c", b"int x;\n")])
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "work.zip").write_bytes(inner)
    assert only(tmp_path).contents == {"cpu_loop.c": b"int x;\n"}
    (tmp_path / "ann" / "work.zip").write_bytes(hostile._zip([("work.zip", inner)]))
    assert only(tmp_path) == intake.Files()


def test_file_in_the_labs_folder_wins() -> None:
    candidates = [
        Candidate("cpu_loop.c", b"top"),
        Candidate("starter/lab1_cpu_loop/cpu_loop.c", b"right"),
        Candidate("build/lab1/0123/src/cpu_loop.c", b"staged"),
    ]
    assert choose(LAB1, candidates).contents == {"cpu_loop.c": b"right"}
    assert (
        "differ"
        in choose(LAB1, [Candidate("a/cpu_loop.c", b"1"), Candidate("b/cpu_loop.c")]).problem
    )
    both = [Candidate("grayscale.c", b"1"), Candidate("lab8/grayscale.cu", b"2")]
    assert choose(LAB8, both).contents == {"grayscale.c": b"1", "grayscale.cu": b"2"}


def test_links_fifos_and_folders_are_not_followed(tmp_path: Path) -> None:
    ann = tmp_path / "ann"
    ann.mkdir()
    (ann / "cpu_loop.c").symlink_to("/etc/passwd")
    assert "is a link" in only(tmp_path).problem
    (ann / "cpu_loop.c").unlink()
    os.mkfifo(ann / "cpu_loop.c")
    assert "is not a file" in only(tmp_path).problem
    (ann / "cpu_loop.c").unlink()
    (ann / "deep").symlink_to("/etc")
    assert only(tmp_path) == intake.Files()


def test_a_changed_submission_has_another_digest(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "cpu_loop.c").write_text("1")

    def digest() -> str:
        (entry,) = download(tmp_path).entries
        return intake.digest(entry, {"cpu_loop.c"})

    first = digest()
    assert digest() == first
    (tmp_path / "ann" / "notes").write_text("not asked for")
    assert digest() == first
    (tmp_path / "ann" / "cpu_loop.c").write_text("2")
    assert digest() != first


def test_whatever_is_handed_in_instead_changes_the_digest(tmp_path: Path) -> None:
    """An empty folder is missing; a report alone needs a decision."""
    (tmp_path / "ann").mkdir()
    (entry,) = download(tmp_path).entries
    first = intake.digest(entry, {"cpu_loop.c"})
    assert not only(tmp_path).wrong_name
    (tmp_path / "ann" / "report.pdf").write_text("%PDF")
    assert intake.digest(entry, {"cpu_loop.c"}) != first and only(tmp_path).wrong_name


def test_damaged_archive_beside_another_file_is_named(tmp_path: Path) -> None:
    """A file without a suffix may be an archive, but is not blamed for being none."""
    paths = {name: tmp_path / name for name in ("report.pdf", "README", "work.zip")}
    for path in paths.values():
        path.write_text("text")
    assert "neither a zip nor a tar" in collect(Entry("ann", paths), [LAB1])["lab1"].problem
    del paths["work.zip"]
    found = collect(Entry("ann", paths), [LAB1])["lab1"]
    assert (found.problem, found.wrong_name) == ("", True)
    assert found.missing == "no cpu_loop.c; handed in: report.pdf, README"


def test_two_submissions_of_one_name_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "cpu_loop.c").write_text("1")
    (tmp_path / "ann.zip").write_bytes(ARCHIVES["zip slip"]()[1])
    assert "two submissions" in only(tmp_path).problem


@given(st.text(min_size=1, max_size=300).filter(lambda t: "/" not in t and "\0" not in t))
def test_a_students_id_can_name_a_folder(name: str) -> None:
    identity = of_name(name)
    assert identity.isprintable() and "/" not in identity
    assert identity not in (".", "..", "gradebook.csv")
    assert not identity.startswith((".", "-", "~", " ")) and len(os.fsencode(identity)) <= 255


@given(st.lists(st.text(min_size=1, max_size=8, alphabet="a%.-2E \n=é"), min_size=2, unique=True))
def test_two_names_stay_two(names: list[str]) -> None:
    assert len({of_name(n) for n in names}) == len(names)
