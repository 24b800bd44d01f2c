"""Generates a class as Canvas gives it: the download of an assignment, the gradebook, course.toml.

It has programs that attack the grader, broken and hostile archives, late and second submissions,
groups, names in many scripts, files under wrong names, and people who handed in nothing. No two
files are the same, as in a real class. Each student comes with the grade that a run must give.
"""

import csv
import io
import random
import unicodedata
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from grader import paths
from grader.classroom.course import student_id
from grader.classroom.course.attempt import Status
from grader.model import plain_text
from grader.model.lab import Lab
from grader.tests.classroom.bulk import hostile
from grader.tests.known_submissions import entries

Score = Literal["full", "some", "none", ""]
PORT = 9  # of the discard service, which need not run
FIRST = 1000  # Canvas's number of the first student
LATE_PERCENT = 10
COURSE = f"""\
title = "GPU programming"
late_percent_per_day = {LATE_PERCENT}
"""
NAMES = (
    "Żółć, Łukasz", "山田, 太郎", "לוי, עידן", "علي, محمد", "Μαρά, Ελένη", "김, 민수", "สมชาย, ก",
    "O'Brien; rm -rf ~, Zoë", "=HYPERLINK(1), Student", "\uff1d1+1, Student",
    "\u202ednuor, \u2066\u200bStudent", '"quote", Student', "😀, Student",
    "<script>alert(1)</script>, Student", "\x1b[31mred, Student", "n" * 150 + ", Student",
)  # fmt: skip


@dataclass(frozen=True)
class Student:
    """A student on the roster, the files in Canvas's download, and what a run must give."""

    number: int
    name: str  # "Family, Given"
    kind: str
    status: Status
    score: Score = ""
    late: bool = False
    files: dict[str, bytes] = field(default_factory=dict)
    with_: int = 0  # the number of the member of the group whose submission counts

    @property
    def downloaded(self) -> str:
        """The name as Canvas writes it into the names of files."""
        kept = (c for c in self.name.casefold() if unicodedata.category(c)[0] in "LN")
        return "".join(kept)[:60] or "student"

    @property
    def id(self) -> str:
        """Names the student's folder and row where something was handed in."""
        return student_id.of_name(f"{self.downloaded}_{self.number}")

    @property
    def names(self) -> list[str]:
        """What a run may call the student: one without a submission goes by the name."""
        if self.files:
            return [self.id]
        return [student_id.of_name(n) for n in (self.name, f"{self.name}_{self.number}")]


def make(lab: Lab, count: int, sibling: Path, seed: int = 1) -> list[Student]:
    """The students of a class, the same for the same arguments. A small class has some of the
    attacks, one of 60 has all. sibling: a file on the disk that attacks try to read."""
    dice = random.Random(seed)
    few = max(2, count // 6)
    maker = _Maker(lab, dice, [])
    programs = hostile.programs(lab, sibling, PORT)
    for kind in sorted(programs)[:: 1 + len(programs) // (2 * few)]:
        maker.add(kind, "graded", "none", _of_file(lab, programs[kind]))
    archives = hostile.archives(lab)
    for kind in sorted(archives)[:: 1 + len(archives) // (2 * few)]:
        suffix, content = archives[kind]()
        maker.add(kind, "rejected", "", {f"work{suffix}": content})
    maker.oddities(max(1, count // 50))
    while len(maker.students) < count:
        maker.ordinary()
    return maker.students


def _of_file(lab: Lab, text: str) -> dict[str, bytes]:
    return {lab.submit[0]: text.encode()}


@dataclass
class _Maker:
    lab: Lab
    dice: random.Random
    students: list[Student]

    def __post_init__(self) -> None:
        self.solution = hostile.solution(self.lab)
        self.wrong = entries.losing_points(self.lab)

    def add(
        self,
        kind: str,
        status: Status,
        score: Score,
        files: dict[str, bytes],
        late: bool = False,
        with_: int = 0,
    ) -> None:
        number = FIRST + len(self.students)
        at = len(self.students)
        # Every third student of a larger class has an ordinary name.
        name = NAMES[at // 2 % len(NAMES)] if at % 2 and at < 2 * len(NAMES) else ""
        name = name or f"Family{number}, Student"
        own = {
            n: c + f"\n/* {number} */\n".encode() if n == self.lab.submit[0] else c
            for n, c in files.items()
        }
        self.students.append(Student(number, name, kind, status, score, late, own, with_))

    def oddities(self, each: int) -> None:
        """Some of each: late, handed in twice, groups, missing, a wrong name, another file."""
        right = _of_file(self.lab, self.solution)
        file = Path(self.lab.submit[0])
        again = {f"{file.stem}-1{file.suffix}": (self.solution + "\n/* again */\n").encode()}
        for number in range(each):
            text = f"{self.solution}\n/* late {number} */\n"
            self.add("late", "graded", "full", _of_file(self.lab, text), late=True)
            self.add("handed in twice", "graded", "full", _of_file(self.lab, "int x;\n") | again)
            self.add("of a group", "graded", "full", right)
            self.add("the other of a group", "graded", "full", {}, with_=self.students[-1].number)
            self.add("handed in nothing", "missing", "", {})
            self.add("wrong name", "wrong name", "", {file.name.title(): self.solution.encode()})
            self.add("another file", "wrong name", "", {"notes.txt": b"I could not do it"})

    def ordinary(self) -> None:
        """A student like most of a class."""
        roll, late = self.dice.random(), self.dice.random() < 0.1
        if roll < 0.4:
            self.add("right", "graded", "full", _of_file(self.lab, self.solution), late)
        elif roll < 0.6:
            text = f"{self.solution}\n/* zip {len(self.students)} */\n".encode()
            self.add("zip", "graded", "full", {"work.zip": self._zip(text)}, late)
        elif roll < 0.9:
            wrong = self.dice.choice(self.wrong)
            files = _of_file(self.lab, entries.files(wrong)[self.lab.submit[0]])
            self.add(f"wrong: {wrong.name}", "graded", "some", files, late)
        elif roll < 0.95:
            text = self.solution.encode() + b"\nint x = ;\n"
            self.add("does not compile", "graded", "none", {self.lab.submit[0]: text}, late)
        else:
            starter = paths.ROOT / "starter" / self.lab.folder / self.lab.submit[0]
            self.add("starter", "graded", "none", {self.lab.submit[0]: starter.read_bytes()}, late)

    def _zip(self, text: bytes) -> bytes:
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("__MACOSX/._" + self.lab.submit[0], b"\0\5\x16\7")
            archive.writestr(f"{self.lab.folder}/{self.lab.submit[0]}", text)
        return data.getvalue()


def wrong_rows(gradebook: Path, lab: Lab, students: list[Student]) -> list[str]:
    """Whose row has not the status, the score or the penalty for lateness that it must have."""
    with gradebook.open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    wrong = [] if len(rows) == len(students) else [f"{len(rows)} rows for {len(students)} students"]
    for one in students:
        cells = map(plain_text.cell, one.names)
        row = next((rows[name] for name in cells if name in rows), {})
        score, most = row.get(f"{lab.id}_score", "no row"), row.get(f"{lab.id}_max")
        share = {most: "full", "0": "none", "": ""}.get(score, "some")
        points = float(row.get(f"{lab.id}_points") or 0)
        kept = 1 - LATE_PERCENT / 100 if one.late else 1.0
        fits = share == "" or abs(points - kept * float(score)) < 0.011
        if (row.get(f"{lab.id}_status"), share) != (one.status, one.score) or not fits:
            wrong.append(f"{one.id} ({one.kind}): {row}")
    return wrong


def write(lab: Lab, students: list[Student], folder: Path) -> None:
    """Writes submissions.zip, canvas.csv (gradebook and roster) and course.toml."""
    folder.mkdir(parents=True, exist_ok=True)
    attachment = 90_000
    with zipfile.ZipFile(folder / "submissions.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for one in students:
            late = "_LATE" if one.late else ""
            for name, content in one.files.items():
                attachment += 1
                path = f"{one.downloaded}{late}_{one.number}_{attachment}_{name}"
                archive.writestr(path, content)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    column = f"{lab.title} (501)"
    table.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column])
    table.writerow(["    Points Possible", "", "", "", "", "100.00"])
    for one in students:
        login = f"s{one.number}@example.org"
        table.writerow([one.name, one.number, f"S-{one.number}", login, "GPU, 1", ""])
    (folder / "canvas.csv").write_bytes(b"\xef\xbb\xbf" + text.getvalue().encode())
    groups = "".join(
        f'[[group]]\nstudents = ["s{one.number}@example.org", "s{one.with_}@example.org"]\n'
        for one in students
        if one.with_
    )
    due = f"[lab.{lab.id}]\ndue = 2020-03-01T23:59:00Z\n"
    (folder / "course.toml").write_text(COURSE + due + groups)
