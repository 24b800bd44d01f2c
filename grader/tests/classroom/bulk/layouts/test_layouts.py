"""Each layout of downloads is recognized, unzipped and as the zip that it comes as."""

import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from grader.classroom.bulk.intake.collect import collect, digest
from grader.classroom.bulk.intake.discover import Download, download
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.course.person import Person
from grader.model import spec
from grader.tests.classroom.bulk import hostile
from grader.tests.classroom.bulk.layouts import samples
from grader.tests.classroom.bulk.layouts.samples import FILE, RIGHT

LAB1, LAB3 = spec.load("lab1"), spec.load("lab3")
NAMES = {
    "canvas": "Canvas's download: 7 students, 1 of them late, 2 resubmitted",
    "canvas_anonymous": "Canvas's download: 3 students, 1 of them late",
    "moodle": "Moodle's download: 5 students",
    "moodle_flat": "Moodle's download: 4 students",
    "moodle_blind": "Moodle's download: 4 students",
    "gradescope": "Gradescope's export: 4 students in 3 submissions, 1 of them resubmitted",
    "autolab": "Autolab's handins: 4 students, 2 of them resubmitted",
    "autolab_folders": "Autolab's handins: 3 students, 1 of them resubmitted",
    "plain": "a folder, zip or tarball for each student: 4 students",
}
# What does not give the right file: a broken archive is rejected, typed text is no file.
REJECTED = {
    "canvas": ["student_with_underscores_105"],
    "canvas_anonymous": ["anon_Q1w2E"],
    "moodle": ["עידן לוי_204"],
    "moodle_flat": ["עידן לוי_204"],
    "moodle_blind": ["Participant_304"],
    "gradescope": ["Student Nineteen_1019"],
    "autolab": ["student19@example.org"],
    "autolab_folders": ["student19@example.org"],
    "plain": ["student19"],
}
WITHOUT = {"canvas": ["student19_106"], "moodle": ["Student Eighteen_205"]}
FORMS = ("unzipped", "in a folder", "zip", "zip in a folder")


def place(name: str, form: str, home: Path) -> Path:
    """Where a sample lies in one of the forms in which an instructor may have it."""
    tree = samples.ALL[name]()
    if form == "unzipped":
        return samples.write(home / "in", tree)
    if form == "in a folder":
        samples.write(home / "in" / "the download", tree)
    else:
        (home / "in").mkdir()
        (home / "in" / "the download.zip").write_bytes(samples.zipped(tree))
    return home / "in" / "the download.zip" if form == "zip" else home / "in"


def by_student(found: Download) -> dict[str, Entry]:
    assert len({entry.student for entry in found.entries}) == len(found.entries)
    return {entry.student: entry for entry in found.entries}


# A folder that holds one folder or one zip has one student's.
WRAPPED = [(n, f) for n in samples.ALL for f in FORMS if n != "plain" or "in a" not in f]


@pytest.mark.parametrize(("name", "form"), WRAPPED)
def test_each_layout_is_recognised(name: str, form: str, tmp_path: Path) -> None:
    where = place(name, form, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    found = download(where)
    assert (str(found), found.doubt) == (NAMES[name], "")
    for student, entry in by_student(found).items():
        files = collect(entry, [LAB1])["lab1"]
        if student in REJECTED[name]:
            assert files.problem and not files.contents, student
        elif student in WITHOUT.get(name, ()):
            assert not files.problem and not files.contents
            assert files.missing.startswith(f"no {FILE}"), student
        else:
            assert files.contents == {FILE: RIGHT}, student
        assert digest(entry, {FILE}) == digest(entry, {FILE})
    assert sorted(tmp_path.rglob("*")) == before, "something was unpacked"


def test_people_times_and_notes(tmp_path: Path) -> None:
    def entries(name: str) -> dict[str, Entry]:
        return by_student(download(place(name, "unzipped", tmp_path / name)))

    canvas = entries("canvas")
    assert canvas["student18_102"].notes == ["late", "resubmitted"]
    assert canvas["student20_107"].notes == ["resubmitted"]
    assert canvas["山田太郎_103"].people == (Person(name="山田太郎", lms="103"),)
    assert entries("canvas_anonymous")["anon_aB3dE"].people == (Person(lms="aB3dE"),)
    assert entries("moodle")["Łukasz Żółć_203"].people == (Person("Łukasz Żółć", lms="203"),)
    assert entries("moodle_blind")["Participant_301"].people == (Person(lms="301"),)
    gradescope = entries("gradescope")
    one = gradescope["Student Seventeen_1017"]
    assert one.people == (Person("Student Seventeen", "student17@example.org", sis="1017"),)
    assert one.submitted == datetime(2027, 3, 1, 22, 10, 5, tzinfo=UTC)
    group = gradescope["山田 太郎 & Łukasz Żółć_1018+lukasz@example.org"]
    assert [person.email for person in group.people] == ["taro@example.org", "lukasz@example.org"]
    assert group.submitted == datetime(2027, 3, 1, 15, 30, tzinfo=UTC)
    assert gradescope["Student Nineteen_1019"].submitted is None
    autolab = entries("autolab")
    assert autolab["under_score@example.org"].people == (Person(email="under_score@example.org"),)
    assert autolab["student17@example.org"].notes == ["resubmitted"]


def test_localized_blind_marking_is_detected(tmp_path: Path) -> None:
    names = [f"참가자_{number}_assignsubmission_file_{FILE}" for number in (1, 2, 3)]
    found = download(samples.write(tmp_path, dict.fromkeys(names, b"")))
    assert [e.people for e in found.entries] == [(Person(lms=n),) for n in "123"]


BOMB = b"a: &a [x,x]\n" + b"".join(
    b"%c: &%c [*%c,*%c]\n" % (c, c, c - 1, c - 1) for c in range(98, 123)
)
BAD_METADATA = (
    *(b"", b"\xff\xfe\x00", b"- 1\n", b"a: [", b"!!python/x y", b"[" * 5000, BOMB),
    *(b"submission_1: 7", b"? [a]\n: b", b"submission_1:\n  :submitters: {}\n"),
)


@pytest.mark.parametrize("text", BAD_METADATA)
def test_gradescope_with_bad_metadata_still_has_every_submission(
    text: bytes, tmp_path: Path
) -> None:
    tree = {"submission_1/x.c": b"", "submission_2/x.c": b"", "submission_metadata.yml": text}
    found = download(samples.write(tmp_path, tree))
    assert found.layout == "Gradescope's export"
    assert [entry.student for entry in found.entries] == ["submission_1", "submission_2"]


def test_gradescope_metadata_without_a_folder_and_twice_the_same_student(tmp_path: Path) -> None:
    text = "".join(
        f"submission_{n}:\n  :submitters:\n  - :name: A\n    :sid: '1'\n" for n in (1, 2, 3)
    )
    samples.write(tmp_path, {"submission_1/x.c": b"", "submission_2/x.c": b"",
                             "submission_metadata.yml": text.encode()})  # fmt: skip
    first, second, third = download(tmp_path).entries
    assert len({first.student, second.student, third.student}) == 3
    assert collect(third, [LAB1])["lab1"].missing == "nothing was handed in"
    assert third.notes == ["the export has no submission_3"]


@pytest.mark.parametrize(
    "extra", ["README.md", "someone/x.c", "students.csv", "lab1.zip", "ab_assignsubmission_x/y"]
)
@pytest.mark.parametrize("name", ["canvas", "moodle", "moodle_flat", "autolab"])
def test_a_doubtful_mix_is_a_folder_for_each_student(name: str, extra: str, tmp_path: Path) -> None:
    where = samples.write(tmp_path / "in", samples.ALL[name]() | {extra: b"x"})
    found = download(where)
    assert found.layout == "a folder, zip or tarball for each student"
    assert extra.split("/")[0] in found.doubt and "move" in found.doubt
    assert len(found.entries) >= len(list(where.iterdir())) - 1
    for entry in found.entries:
        collect(entry, [LAB1])


def test_file_manager_leftovers_are_ignored(tmp_path: Path) -> None:
    leftovers = {".DS_Store": b"", "__MACOSX/._x": b"", "Thumbs.db": b"", "desktop.ini": b""}
    found = download(samples.write(tmp_path, samples.canvas() | leftovers))
    assert str(found) == NAMES["canvas"]


def test_one_students_folder_is_not_a_class_download(tmp_path: Path) -> None:
    """Not even with such names in it, which a student may choose."""
    samples.write(tmp_path / "a", {f"ann/ben_1_2_{FILE}": RIGHT})
    samples.write(
        tmp_path / "b", {"ann/repository/.git/HEAD": b"", f"ann/repository/{FILE}": RIGHT}
    )
    samples.write(tmp_path / "c", {"ann.zip": samples.zipped({f"ben_1_2_{FILE}": RIGHT})})
    samples.write(tmp_path / "d", {"ann.zip": samples.BROKEN})
    for name in "abcd":
        (entry,) = download(tmp_path / name).entries
        assert entry.student == "ann", name


def test_links_in_downloads_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"another student's")
    for name, link in (
        ("canvas", f"evil_1_2_{FILE}"),
        ("moodle", "Evil_9_assignsubmission_file"),
        ("moodle_flat", f"Evil_9_assignsubmission_file_{FILE}"),
        ("autolab", f"evil@example.org_1_{FILE}"),
    ):
        where = place(name, "unzipped", tmp_path / name)
        (where / link).symlink_to(secret)
        for entry in download(where).entries:
            contents = collect(entry, [LAB1])["lab1"].contents
            assert b"another student's" not in contents.values(), name
    where = place("gradescope", "unzipped", tmp_path / "gradescope") / "assignment_77_export"
    (where / "submission_metadata.yml").unlink()
    (where / "submission_metadata.yml").symlink_to(secret)
    assert download(where.parent).layout == "a folder, zip or tarball for each student"


def test_a_hostile_zip_of_a_class(tmp_path: Path) -> None:
    """What leads out of it is nobody's; a bomb and a link are their student's own problem."""
    tree = {
        f"../../out_1_2_{FILE}": RIGHT,
        f"/abs_1_2_{FILE}": RIGHT,
        f"good_1_1_{FILE}": RIGHT,
        f"bomb_2_2_{FILE}": bytes(70 << 20),
    }
    (tmp_path / "class.zip").write_bytes(samples.zipped(tree))
    found = {entry.student: entry for entry in download(tmp_path / "class.zip").entries}
    assert not {"out_1", "abs_1"} & set(found)
    for student, entry in found.items():
        files = collect(entry, [LAB1])["lab1"]
        assert ("good" in student) <= (files.contents == {FILE: RIGHT}), student
        assert "bomb" not in student or files.problem


def test_invalid_zip_is_reported_as_damaged(tmp_path: Path) -> None:
    (tmp_path / "class.zip").write_bytes(b"PK\x03\x04 no zip")
    with pytest.raises(OSError, match="the archive is damaged"):
        download(tmp_path / "class.zip")


def test_a_changed_zip_has_other_digests(tmp_path: Path) -> None:
    file = tmp_path / "class.zip"
    file.write_bytes(samples.zipped(samples.canvas()))
    first = {entry.student: digest(entry, {FILE}) for entry in download(file).entries}
    file.write_bytes(samples.zipped(samples.canvas() | {f"student17_101_9001_{FILE}": b"changed"}))
    second = {entry.student: digest(entry, {FILE}) for entry in download(file).entries}
    assert first["student17_101"] != second["student17_101"]


def test_undecodable_names_can_be_stored(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xfe_1_assignsubmission_file_x.c")
    (entry,) = download(samples.write(tmp_path, {name: b""})).entries
    assert entry.people == (Person("\ufffd\ufffd", lms="1"),)
    assert msgspec.json.encode(entry.people)


@pytest.mark.slow("archives of hundreds of megabytes are unpacked")
def test_hostile_archives_in_the_zip_of_a_class_give_nothing(tmp_path: Path) -> None:
    kinds = hostile.archives(LAB1)
    made = [archive() for archive in kinds.values()]
    tree = {f"evil_{n}_{n}_work{suffix}": data for n, (suffix, data) in enumerate(made, 1)}
    tree["good_99_99_work.zip"] = samples.WORK
    (tmp_path / "class.zip").write_bytes(samples.zipped(tree))
    found = by_student(download(tmp_path / "class.zip"))
    assert len(found) == len(kinds) + 1
    for number, kind in enumerate(kinds, 1):
        files = collect(found[f"evil_{number}"], [LAB1])["lab1"]
        assert files.problem and not files.contents, kind
    assert collect(found["good_99"], [LAB1])["lab1"].contents == {FILE: RIGHT}
    assert [file.name for file in tmp_path.iterdir()] == ["class.zip"]
