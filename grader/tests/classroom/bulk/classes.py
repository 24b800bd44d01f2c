"""Generates a class of submissions: correct, wrong, slow, broken, odd and hostile ones.

    python -m grader.tests.classroom.bulk.classes FOLDER --lab lab3 --count 120

Each student comes with the grade that a run must give. With `distinct`, no two files are the same,
as in a real class. Without it many are, and a run grades them once.
"""

import argparse
import os
import random
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader import paths
from grader.classroom.bulk.store import Status
from grader.model import spec
from grader.tests.classroom.bulk import hostile
from grader.tests.zoo import entries as zoo

Score = Literal["full", "some", "none", ""]
PORT = 9  # of the discard service, which need not run
ODD_NAMES = (
    *(
        "Łukasz Żółć",
        "山田 太郎",
        "עידן לוי",
        "محمد",
        "Zoë O'Brien; rm -rf ~",
        "-rf",
        "$(touch pwned)",
    ),
    *(
        "two\nlines",
        "=HYPERLINK(1)",
        "\uff1d1+1",
        "\u202ednuor \u2066\u200b",
        'comma, "quote"',
        "😀",
    ),
    *("\x1b[31mred", os.fsdecode(b"caf\xe9"), "n" * 250),
)


@dataclass(frozen=True)
class Student:
    """A student, and the status and score that a run must give."""

    name: str  # of the submission in the file system
    kind: str
    status: Status
    score: Score = ""


def make(
    folder: Path, lab_id: str, count: int, distinct: bool = False, seed: int = 1
) -> list[Student]:
    """Writes a class of `count` into an empty folder: the same for the same arguments."""
    lab = spec.load(lab_id)
    folder.mkdir(parents=True, exist_ok=True)
    sibling = folder / "sibling" / lab.submit[0]
    maker = Maker(folder, lab, distinct, random.Random(seed))
    maker.folder_of("sibling", "right", hostile.solution(lab), "full")
    for kind, text in hostile.programs(lab, sibling, PORT).items():
        maker.folder_of(f"hostile {kind}", kind, text, "none")
    for kind, archive in hostile.archives(lab).items():
        suffix, content = archive()
        maker.file(f"archive {kind}{suffix}", kind, content)
    maker.oddities()
    for name in ODD_NAMES:
        maker.folder_of(name, "odd name", hostile.solution(lab), "full")
    if len(maker.students) > count:
        raise ValueError(f"a class with every kind has {len(maker.students)} or more")
    while len(maker.students) < count:
        maker.ordinary(len(maker.students))
    return maker.students


def plain(folder: Path, lab_id: str, count: int) -> list[Student]:
    """Writes a class without oddities and attacks. No two files are the same."""
    folder.mkdir(parents=True, exist_ok=True)
    maker = Maker(folder, spec.load(lab_id), distinct=True, dice=random.Random(count))
    for number in range(count):
        maker.ordinary(number)
    return maker.students


class Maker:
    """Writes submissions into a folder, and lists the students."""

    def __init__(self, folder: Path, lab: spec.Lab, distinct: bool, dice: random.Random) -> None:
        self.folder, self.lab, self.distinct, self.dice = folder, lab, distinct, dice
        self.students: list[Student] = []
        self.wrong = zoo.losing_points(lab)

    def folder_of(self, name: str, kind: str, text: str, score: Score) -> None:
        """A student who hands in a folder with the file, in one of the usual places."""
        if self.distinct:
            text += f"\n/* {len(self.students)} */\n"
        inside = "" if kind != "ordinary" else self.dice.choice(["", self.lab.folder, "src/deep"])
        folder = self.folder / name / inside
        folder.mkdir(parents=True)
        (folder / self.lab.submit[0]).write_text(text)
        self.students.append(Student(name, kind, "graded", score))

    def file(self, name: str, kind: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)
        stem = name.split(".")[0]
        self.students.append(Student(stem, kind, "rejected"))

    def oddities(self) -> None:
        """Folders without the file, or with something else in its place; and links."""
        name = self.lab.submit[0]
        kinds: tuple[tuple[str, Status], ...] = (
            ("empty folder", "missing"),
            ("another file", "missing"),
            ("link in the folder", "rejected"),
            ("fifo", "rejected"),
            ("folder for a file", "rejected"),
        )
        for kind, status in kinds:
            folder = self.folder / kind
            folder.mkdir()
            if kind == "another file":
                (folder / "notes.txt").write_text("I could not do it")
            elif kind == "link in the folder":
                (folder / name).symlink_to("/etc/passwd")
            elif kind == "fifo":
                os.mkfifo(folder / name)
            elif kind == "folder for a file":
                (folder / name).mkdir()
            self.students.append(Student(kind, kind, status))
        (self.folder / "link").symlink_to(self.folder / "sibling")
        self.students.append(Student("link", "link for a folder", "rejected"))

    def ordinary(self, number: int) -> None:
        """A student like most of a class."""
        solution, name = hostile.solution(self.lab), f"student {number:03}"
        roll = self.dice.random()
        if roll < 0.35:
            self.folder_of(name, "ordinary", solution, "full")
        elif roll < 0.55:
            self.zipped(name, solution)
        elif roll < 0.85:
            wrong = self.dice.choice(self.wrong)
            text = zoo.files(wrong)[self.lab.submit[0]]
            self.folder_of(name, f"wrong: {wrong.name}", text, "some")
        elif roll < 0.9:
            slow = "usleep(20000); return 1;"
            self.folder_of(name, "slow", hostile.gated(self.lab, slow), "full")
        elif roll < 0.95:
            self.folder_of(name, "does not compile", solution + "\nint x = ;\n", "none")
        else:
            starter = paths.ROOT / "starter" / self.lab.folder / self.lab.submit[0]
            self.folder_of(name, "starter", starter.read_text(), "none")

    def zipped(self, name: str, text: str) -> None:
        if self.distinct:
            text += f"\n/* {len(self.students)} */\n"
        with zipfile.ZipFile(self.folder / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("__MACOSX/._" + self.lab.submit[0], b"\0\5\x16\7")
            archive.writestr(f"{self.lab.folder}/{self.lab.submit[0]}", text)
        self.students.append(Student(name, "zip", "graded", "full"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lab", default="lab3")
    parser.add_argument("--count", type=int, default=120)
    arguments = parser.parse_args()
    students = make(arguments.folder, arguments.lab, arguments.count, distinct=True)
    print(f"{len(students)} submissions in {arguments.folder}")


if __name__ == "__main__":
    main()
