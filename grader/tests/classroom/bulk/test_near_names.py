"""Files under a wrong name: a copy is taken, any other is asked about."""

from pathlib import Path

import pytest

from grader.classroom.bulk.intake import takes
from grader.classroom.bulk.intake.collect import Files, collect
from grader.classroom.bulk.intake.discover import download
from grader.classroom.course.attempt import NOT_THERE
from grader.classroom.course.settings import Course, SettingsError, Take
from grader.model import spec
from grader.tests.classroom.bulk.layouts.samples import zipped

LAB3, LAB8, LAB4 = spec.load("lab3"), spec.load("lab8"), spec.load("lab4")
WANTED = LAB3.submit[0]
RIGHT = b"int right;\n"


def files(
    home: Path, tree: dict[str, bytes], form: str = "folder", alone: bool = False, take: str = ""
) -> Files:
    """What is read of a student's folder, or of a zip with the same files."""
    home.mkdir(exist_ok=True)
    if form == "zip":
        (home / "ann.zip").write_bytes(zipped(tree))
    for name, content in tree.items() if form == "folder" else ():
        (home / "ann" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "ann" / name).write_bytes(content)
    (entry,) = download(home).entries
    labs = [LAB3] if alone else [LAB3, LAB4]
    takes.assign(Course(take=[Take("ann", "lab3", take)] if take else []), [entry], labs)
    return collect(entry, labs)["lab3"]


@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize(
    "name",
    [
        *(
            "constant_mask (1).cu",
            "constant_mask(12).cu",
            "constant_mask-1.cu",
            "x/constant_mask-2.cu",
        ),
        *("constant_mask - Copy.cu", "constant_mask copy.cu", "constant_mask copy 2.cu"),
    ],
)
def test_file_manager_copy_is_accepted_with_a_note(name: str, form: str, tmp_path: Path) -> None:
    taken = files(tmp_path, {name: RIGHT}, form)
    assert taken.contents == {WANTED: RIGHT}
    assert taken.notes == (f'"{Path(name).name}" was accepted as {WANTED}',)


@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize(
    "name",
    [
        *("Constant_Mask.cu", "constant-mask.cu", "constantmask.cu", "CONSTANT_MASK.CU"),
        *(
            "constant_mask.cu.txt",
            "constant_mask (1).cu.txt",
            "constnat_mask.cu",
            "constant_mask.cuh",
            "Constant_Mask.cpp",
        ),
        *("lab3.cu", "Lab3_constant_mask.cu", "solution.cu"),
    ],
)
def test_another_name_is_asked_about(name: str, form: str, tmp_path: Path) -> None:
    tree = {name: RIGHT, "notes.pdf": b"", "Makefile": b""}
    asked = files(tmp_path, tree, form)
    assert not asked.contents and not asked.problem and not asked.notes
    assert asked.missing == f'no {WANTED}; did you mean to hand in "{name}"?'
    assert asked.wrong_name, "nothing else was handed in: it is no missing file"
    taken = files(tmp_path, tree, form, take=name)
    assert taken.contents == {WANTED: RIGHT} and not taken.missing


@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize(
    ("names", "said", "wrong"),
    [
        (("report.pdf", "x/notes.txt"), "; handed in: report.pdf, x/notes.txt", True),
        (("a.cu", "b.cu"), '; did you mean to hand in "a.cu" or "b.cu"?', True),
        (tuple(LAB4.submit), "", False),  # another lab's file
        ((*LAB4.submit, "report.pdf"), "", False),
        ((), "", False),
    ],
)
def test_whatever_was_handed_in_instead_needs_a_decision(
    names: tuple[str, ...], said: str, wrong: bool, form: str, tmp_path: Path
) -> None:
    if not names:
        (tmp_path / "ann").mkdir()
    found = files(tmp_path, dict.fromkeys(names, b"x"), form if names else "folder")
    assert (found.missing, found.wrong_name) == (f"no {WANTED}{said}", wrong)


def test_the_right_name_wins_and_two_copies_are_not_guessed(tmp_path: Path) -> None:
    both = {WANTED: RIGHT, "constant_mask (1).cu": b"other"}
    assert files(tmp_path, both).contents == {WANTED: RIGHT}
    (tmp_path / "ann" / WANTED).rename(tmp_path / "ann" / "constant_mask (2).cu")
    doubt = files(tmp_path, {})
    assert not doubt.contents and "two files constant_mask.cu that differ" in doubt.problem
    (tmp_path / "ann" / "constant_mask (2).cu").write_bytes(b"other")
    assert files(tmp_path, {}).contents == {WANTED: b"other"}


def test_linked_copy_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "constant_mask (1).cu").symlink_to("/etc/passwd")
    assert "is a link" in files(tmp_path, {}).problem


def test_names_are_printed_without_escapes(tmp_path: Path) -> None:
    asked = files(tmp_path, {'constant\x1b[31m"mask.cu': RIGHT})
    assert "did you mean" in asked.missing and asked.missing.isprintable()
    assert asked.missing.count('"') == 2


@pytest.mark.parametrize(
    ("tree", "problem", "wrong"),
    [
        ({"Grayscale.cu": RIGHT}, 'no {0}; did you mean to hand in "Grayscale.cu"?', True),
        ({"grayscale.cu.txt": RIGHT}, 'no {0}; did you mean to hand in "grayscale.cu.txt"?', True),
        ({}, "grayscale.c without {0}", False),
        ({"grayscale.cu": b" \n"}, "{0} is empty", False),
        ({"grayscale.cu": "int x;".encode("utf-16")}, "{0} is UTF-16: save it as UTF-8", False),
        ({"grayscale.cu": RIGHT}, "", False),
        ({"x/grayscale (1).cu": RIGHT}, "", False),
    ],
)
def test_half_a_lab_is_never_graded_as_nothing(
    tree: dict[str, bytes], problem: str, wrong: bool, tmp_path: Path
) -> None:
    for name, content in {"grayscale.c": RIGHT, **tree}.items():
        (tmp_path / "ann" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "ann" / name).write_bytes(content)
    (entry,) = download(tmp_path).entries
    half = collect(entry, [LAB8])["lab8"]
    assert (half.problem, half.wrong_name) == (problem.format("grayscale.cu"), wrong)
    assert problem or half.contents == dict.fromkeys(LAB8.submit, RIGHT)


@pytest.mark.parametrize(
    "name",
    [
        ".old/constant-mask.cu",
        *("Shared_Tile.cu", "lab4_shared_tile/mine.cu", "lab5.cu"),
        *("baseline.cu", "sub/baseline.cu", LAB4.submit[0]),
    ],
)
def test_hidden_and_foreign_files_are_not_suggested(name: str, tmp_path: Path) -> None:
    found = files(tmp_path, {name: RIGHT}, alone=True)
    assert found.missing.partition("; handed in")[0] == f"no {WANTED}"


@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize(
    "name", ["._constant_mask.cu", "__MACOSX/constant_mask.cu", "__MACOSX/x/._constant_mask.cu"]
)
def test_macos_metadata_is_skipped_with_a_note(name: str, form: str, tmp_path: Path) -> None:
    found = files(tmp_path / "alone", {name: RIGHT}, form, alone=True)
    said = 'what macOS keeps in "__MACOSX" and in files "._" is not read'
    assert (found.missing, found.wrong_name) == (f"no {WANTED}; {said}", True)
    beside = files(tmp_path / "both", {name: b"\0\5", "x/" + WANTED: RIGHT}, form)
    assert (beside.contents, beside.problem) == ({WANTED: RIGHT}, "")


def test_a_file_of_any_name_is_asked_about_where_one_lab_is_graded(tmp_path: Path) -> None:
    assert files(tmp_path, {"solution.cu": RIGHT, "._solution.cu": b""}, alone=True).wrong_name


@pytest.mark.parametrize(
    ("tree", "take", "said"),
    [
        ({"x.cu": RIGHT}, "x.cu", False),
        ({"deep/x.cu": RIGHT}, "./deep/x.cu", False),
        ({"Ku\u0308nstler.cu": RIGHT}, "K\u00fcnstler.cu", False),  # a name that macOS wrote
        ({"x.cu": RIGHT}, "X.cu", True),
        ({WANTED: RIGHT}, "x.cu", True),
        ({}, "x.cu", True),
    ],
)
def test_unmatched_take_rule_is_reported(
    tree: dict[str, bytes], take: str, said: bool, tmp_path: Path
) -> None:
    (tmp_path / "ann").mkdir()
    found = files(tmp_path, {"notes.pdf": b"", **tree}, take=take)
    told = [note for note in found.notes if note.startswith(NOT_THERE)]
    assert told == [f'{NOT_THERE}: "{take}"'] * said
    assert found.wrong_name == (said and WANTED not in tree), "never missing, which may count as 0"


def test_one_file_is_not_suggested_for_two(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "grayscale.c.txt").write_bytes(RIGHT)
    (entry,) = download(tmp_path).entries
    found = collect(entry, [LAB8])["lab8"]
    assert found.missing == 'no grayscale.c; did you mean to hand in "grayscale.c.txt"?'
    assert found.wrong_name


def test_take_rule_can_let_the_starter_count_for_a_half_never_written(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "grayscale.c").write_bytes(RIGHT)
    (entry,) = download(tmp_path).entries
    course = Course(take=[Take("ann", "lab8", takes.STARTER, "grayscale.cu")])
    takes.assign(course, [entry], [LAB8])
    found = collect(entry, [LAB8])["lab8"]
    assert found.contents["grayscale.c"] == RIGHT and b"TODO" in found.contents["grayscale.cu"]
    assert found.notes == ('"starter" was taken as grayscale.cu, as course.toml says',)


def test_ambiguous_take_rule_needs_a_path(tmp_path: Path) -> None:
    tree = {"a/x.cu": RIGHT, "b/x.cu": b"other"}
    doubt = files(tmp_path, tree, take="x.cu")
    assert not doubt.contents and "a/x.cu and b/x.cu, which differ; give the path" in doubt.problem
    assert files(tmp_path, {}, take="a/x.cu").contents == {WANTED: RIGHT}


@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize("name", ["work.rar", "deep/work.tar.gz", "Work.7z"])
def test_an_archive_that_is_not_opened_is_never_missing(
    name: str, form: str, tmp_path: Path
) -> None:
    found = files(tmp_path, {name: b"", "._old.zip": b""}, form)
    assert found.wrong_name and f'"{name}" is not opened' in found.missing
    beside = files(tmp_path, {name: b"", LAB4.submit[0]: b"x"}, form)
    assert not beside.wrong_name, "another lab was handed in: the archive may be that one's"


def test_take_rule_needs_a_name_of_the_lab() -> None:
    for wanted in ("", "lab8.cu"):
        course = Course(take=[Take("ann", "lab8", "Grey.cu", wanted)])
        with pytest.raises(SettingsError, match=r'needs as = "grayscale.c" or "grayscale.cu"'):
            takes.assign(course, [], [LAB8])
