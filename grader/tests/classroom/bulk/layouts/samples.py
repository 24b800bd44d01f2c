"""A small download of each kind, as its documentation says that it looks.

    python -m grader.tests.classroom.bulk.layouts.samples FOLDER      writes all of them

Each is a map of paths to contents, with names in several scripts, someone who is late or handed in
again where the layout says so, a student's zip, and a broken archive. The file is lab 1's.
"""

import io
import sys
import tarfile
import zipfile
from pathlib import Path

FILE = "cpu_loop.c"
RIGHT = b"int right;\n"
BROKEN = b"PK\x03\x04 a broken archive"

Tree = dict[str, bytes]


def zipped(files: Tree) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return data.getvalue()


def tarred(files: Tree) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


WORK = zipped({f"lab1_cpu_loop/{FILE}": RIGHT})


def canvas() -> Tree:
    return {
        f"student17_101_9001_{FILE}": RIGHT,
        "student17_101_9002_notes.txt": b"my notes",
        f"student18_LATE_102_9003_{FILE.replace('.c', '-2.c')}": RIGHT,
        f"山田太郎_103_9004_{FILE}": RIGHT,
        "żółćłukasz_104_9005_work.zip": WORK,
        "student_with_underscores_105_9006_work.zip": BROKEN,
        "student19_106_text.html": b"<p>see my mail</p>",
        f"student20_107_9100_{FILE}": b"old",
        f"student20_107_9101_{FILE.replace('.c', '-1.c')}": RIGHT,
    }


def canvas_anonymous() -> Tree:
    return {
        f"anon_aB3dE_9001_{FILE}": RIGHT,
        f"LATE_anon_Zz9zZ_9002_{FILE}": RIGHT,
        "anon_Q1w2E_9003_work.zip": BROKEN,
    }


def moodle() -> Tree:
    return {
        f"Student Seventeen_201_assignsubmission_file/{FILE}": RIGHT,
        "Student Seventeen_201_assignsubmission_onlinetext/onlinetext.html": b"<p>hello</p>",
        f"山田 太郎_202_assignsubmission_file_/lab1_cpu_loop/{FILE}": RIGHT,
        "Łukasz Żółć_203_assignsubmission_file/work.zip": WORK,
        "עידן לוי_204_assignsubmission_file/work.tar.gz": BROKEN,
        "Student Eighteen_205_assignsubmission_onlinetext/onlinetext.html": b"<p>later</p>",
    }


def moodle_flat() -> Tree:
    return {
        f"Student Seventeen_201_assignsubmission_file_{FILE}": RIGHT,
        "Student Seventeen_201_assignsubmission_onlinetext_onlinetext.html": b"<p>hello</p>",
        f"山田 太郎_202_assignsubmission_file_{FILE}": RIGHT,
        "Łukasz Żółć_203_assignsubmission_file_work.zip": WORK,
        "עידן לוי_204_assignsubmission_file_work.tar.gz": BROKEN,
    }


def moodle_blind() -> Tree:
    return {
        f"Participant_{number}_assignsubmission_file/{FILE}": RIGHT for number in (301, 302, 303)
    } | {"Participant_304_assignsubmission_file/work.zip": BROKEN}


METADATA = """\
---
submission_11:
  :submitters:
  - :name: Student Seventeen
    :sid: '1017'
    :email: student17@example.org
  :created_at: 2027-03-01 22:10:05.128839000 Z
  :score: 3.5
submission_12:
  :submitters:
  - :name: 山田 太郎
    :sid: '1018'
    :email: taro@example.org
  - :name: "\\u0141ukasz \\u017B\\xF3\\u0142\\u0107"
    :sid:
    :email: lukasz@example.org
  :created_at: 2027-03-02 00:30:00.000000000 +09:00
  :history:
  - :created_at: 2027-03-01 00:30:00.000000000 +09:00
submission_13:
  :submitters:
  - :name: Student Nineteen
    :sid: '1019'
    :email: student19@example.org
  :created_at: !ruby/object:Unknown {}
"""


def gradescope() -> Tree:
    top = "assignment_77_export"
    return {
        f"{top}/submission_metadata.yml": METADATA.encode(),
        f"{top}/submission_11/{FILE}": RIGHT,
        f"{top}/submission_12/lab1_cpu_loop/{FILE}": RIGHT,
        f"{top}/submission_13/work.zip": BROKEN,
    }


def autolab() -> Tree:
    return {
        f"student17@example.org_1_{FILE}": b"old",
        f"student17@example.org_10_{FILE}": RIGHT,
        f"student17@example.org_9_{FILE}": b"old, too",
        f"under_score@example.org_1_{FILE}": RIGHT,
        "student18@example.org_1_handin.tar": tarred({FILE: RIGHT}),
        "student19@example.org_2_handin.tar": BROKEN,
    }


def autolab_folders() -> Tree:
    return {
        f"student17@example.org/2_{FILE}": RIGHT,
        f"student17@example.org/1_{FILE}": b"old",
        f"student17@example.org/annotated_1_{FILE}": b"remarks",
        "student17@example.org/2_autograde.txt": b"feedback",
        "student18@example.org/1_handin.tgz": tarred({FILE: RIGHT}),
        "student19@example.org/1_handin.tgz": BROKEN,
    }


def plain() -> Tree:
    return {
        f"student17/{FILE}": RIGHT,
        "山田 太郎.zip": WORK,
        "żółć.tar.gz": tarred({f"deep/{FILE}": RIGHT}),
        "student19.zip": BROKEN,
    }


ALL = {
    "canvas": canvas,
    "canvas_anonymous": canvas_anonymous,
    "moodle": moodle,
    "moodle_flat": moodle_flat,
    "moodle_blind": moodle_blind,
    "gradescope": gradescope,
    "autolab": autolab,
    "autolab_folders": autolab_folders,
    "plain": plain,
}


def write(folder: Path, tree: Tree) -> Path:
    """Writes a download into a folder, as unzipping it does."""
    for path, content in tree.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def main(target: Path) -> None:
    for name, tree in ALL.items():
        write(target / name, tree())
        (target / f"{name}.zip").write_bytes(zipped(tree()))
    print(f"{len(ALL)} downloads in {target}, each also as a zip")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
