"""Six students as Canvas, Moodle, Gradescope and Autolab give them, and readers of what goes back,
written from each format's documentation (grader/classroom/export/*.py name it), not from the
grader's code.

One is right, one late, two are a group of whom one uploads, one hands in nothing, one a broken zip.
"""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.tests.classroom.bulk.layouts import samples
from grader.tests.classroom.bulk.layouts.samples import Tree

FILE = "cpu_loop.c"
SOLUTION = (paths.ROOT / "solutions" / "lab1_cpu_loop" / FILE).read_text()
# Part C computes nothing.
_AT = SOLUTION.index("{", SOLUTION.index("void correlate_openmp(")) + 1
HALF = f"{SOLUTION[:_AT]} if (radius >= 0) return;{SOLUTION[_AT:]}"
RIGHT, LATE, GROUP, MISSING, REJECTED = 201, 202, (203, 204), 205, 206
NUMBERS = (RIGHT, LATE, *GROUP, MISSING, REJECTED)
GIVEN = {201: "Łukasz", 202: "太郎", 203: "Student", 204: "<b>x</b>", 205: "עידן", 206: "Student"}
FAMILY = {201: "Żółć", 202: "山田", 203: "=SUM(1)", 204: "O'Under_Score", 205: "לוי"}
FAMILY[206] = "\u202enruT"
COURSE = "late_percent_per_day = 10\n[lab.lab1]\ndue = 2025-03-01T12:00:00Z\nweight = 2\n"
PAIR = '[[group]]\nstudents = ["s203@example.org", "s204@example.org"]\n'
Texts = dict[int, str]


def address(number: int) -> str:
    return f"s{number}@example.org"


@dataclass(frozen=True)
class Lms:
    """book: the instructor's gradebook with these grades and comments, to the byte."""

    name: str
    form: str
    recognized: str
    download: Callable[[], Tree]
    late_days: int
    roster: str = "book.csv"
    book: Callable[[Texts, Texts], bytes] = lambda *_: b""
    table: bytes = b""  # the roster of an LMS whose gradebook is not filled in

    def write(self, home: Path) -> None:
        samples.write(home / "download", self.download())
        groups = "" if self.form == "gradescope" else PAIR
        (home / "course.toml").write_text(COURSE + groups)
        (home / self.roster).write_bytes(self.table or self.book({}, {}))


def _files() -> dict[int, tuple[str, bytes]]:
    """The file of each who handed in."""
    half, late = HALF.encode(), HALF.encode()
    return {
        RIGHT: ("work.zip", samples.zipped({f"lab1_cpu_loop/{FILE}": SOLUTION.encode()})),
        LATE: (FILE, late),
        GROUP[0]: (FILE, half),
        REJECTED: ("work.zip", samples.BROKEN),
    }


# ---------------------------------------------------------------- Canvas


def _canvas_download() -> Tree:
    names = {201: "żółćłukasz", 202: "山田太郎_LATE", 203: "sum1student", 206: "nrutstudent"}
    return {f"{names[n]}_{n}_{9000 + n}_{file}": data for n, (file, data) in _files().items()}


def _canvas_book(grades: Texts, _: Texts) -> bytes:
    lines = [
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (501),Lab 10 (502),Final Score",
        "    Points Possible,,,,,100.00,10.00,(read only)",
    ]
    for n in NUMBERS:
        name = f'"{FAMILY[n]}, {GIVEN[n]}"'
        lines.append(f'{name},{n},S-{n},{address(n)},"GPU, 1",{grades.get(n, "")},7,"71,5"')
    return b"\xef\xbb\xbf" + "\r\n".join(lines).encode()  # the last line has no end


# ---------------------------------------------------------------- Moodle


def _moodle_download(between: str = "/") -> Tree:
    names = {n: f"{GIVEN[n]} {FAMILY[n]}".replace("/", "") for n in NUMBERS}
    return {
        f"{names[n]}_{n}_assignsubmission_file{between}{file}": data
        for n, (file, data) in _files().items()
    }


def _moodle_book(grades: Texts, comments: Texts) -> bytes:
    lines = [
        'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade",'
        '"Grade can be changed","Last modified (grade)","Feedback comments"'
    ]
    for n in NUMBERS:
        name = f'"{GIVEN[n]} {FAMILY[n]}"'
        comment = comments.get(n, "")
        comment = f'"{comment}"' if "," in comment or '"' in comment else comment
        grade = grades.get(n, "")
        lines.append(f'"Participant {n}",{name},{address(n)},-,{grade},100.00,Yes,-,{comment}')
    return b"\xef\xbb\xbf" + "\n".join(lines).encode() + b"\n"


# ---------------------------------------------------------------- Gradescope


def _gradescope_download() -> Tree:
    tree: Tree = {}
    lines = ["---"]
    for n, (file, data) in _files().items():
        tree[f"assignment_7_export/submission_{n}/{file}"] = data
        day = "03-03 11:00" if n == LATE else "03-01 09:00"  # 2 days begun
        lines += [f"submission_{n}:", "  :submitters:"]
        for each in GROUP if n == GROUP[0] else (n,):
            name = json.dumps(f"{GIVEN[each]} {FAMILY[each]}")
            lines += [f"  - :name: {name}", f"    :sid: 'S-{each}'", f"    :email: {address(each)}"]
        lines.append(f"  :created_at: 2025-{day}:00.000000000 Z")
    tree["assignment_7_export/submission_metadata.yml"] = "\n".join([*lines, ""]).encode()
    return tree


def _roster() -> bytes:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["First Name", "Last Name", "SID", "Email", "Role"])
    for n in NUMBERS:
        table.writerow([GIVEN[n], FAMILY[n], f"S-{n}", address(n), "Student"])
    return text.getvalue().encode()


# ---------------------------------------------------------------- Autolab


def _autolab_download() -> Tree:
    return {f"{address(n)}_1_{file}": data for n, (file, data) in _files().items()}


ALL = [
    Lms("canvas", "canvas", "Canvas's download: 4 students, 1 of them late", _canvas_download, 1,
        book=_canvas_book),
    Lms("moodle", "moodle", "Moodle's download", _moodle_download, 0, book=_moodle_book),
    Lms("moodle_flat", "moodle", "Moodle's download", lambda: _moodle_download("_"), 0,
        book=_moodle_book),
    Lms("gradescope", "gradescope", "Gradescope's export", _gradescope_download, 2, "roster.csv",
        table=_roster()),
    Lms("autolab", "autolab", "Autolab's handins", _autolab_download, 0, "roster.csv",
        table=_roster()),
]  # fmt: skip


def needed(lms: Lms, home: Path) -> list[str]:
    """The options without which the format cannot be exported."""
    return ["--gradebook", str(home / "book.csv")] if lms.form in ("canvas", "moodle") else []


# ---------------------------------------------------------------- reading back


def read_book(lms: Lms, table: list[list[str]]) -> dict[int, float | None]:
    """The grades in Canvas's gradebook, by ID, or in Moodle's worksheet, by "Participant ID"."""
    header = table[0]
    who, grade = ("ID", "Lab 1 (501)") if lms.form == "canvas" else ("Identifier", "Grade")
    found = {}
    for row in table[1:]:
        cell = dict(zip(header, row, strict=True))
        number = cell[who].removeprefix("Participant ")
        if number:
            found[int(number)] = float(cell[grade]) if cell[grade] else None
    return found


def comments(lms: Lms, table: list[list[str]]) -> Texts:
    """Moodle's feedback comments that are not empty."""
    if lms.form != "moodle":
        return {}
    at = table[0].index("Feedback comments")
    return {int(row[0].split()[1]): row[at] for row in table[1:] if row[at]}


def read_folder(lms: Lms, out: Path) -> dict[int, float | None]:
    """The scores in Gradescope's table and in each results.json; or in Autolab's bulk import, a
    line "address,score" for each, and in the last line of each autoresult.txt."""
    found: dict[int, float | None] = dict.fromkeys(NUMBERS)
    by_address = {address(n): n for n in NUMBERS}
    if lms.form == "gradescope":
        for row in csv.DictReader(io.StringIO((out / "scores.csv").read_text(encoding="utf-8"))):
            found[by_address[row["Email"]]] = float(row["lab1"]) if row["lab1"] else None
            assert row["lab1 - Max Points"] in ("", "100")
        documents = [json.loads(file.read_text()) for file in out.glob("*/lab1/results.json")]
        scores = [document.get("score") for document in documents]
    else:
        for email, score in csv.reader(io.StringIO((out / "lab1.csv").read_text())):
            found[by_address[email]] = float(score)
        last = [f.read_text().splitlines()[-1] for f in out.glob("*/lab1/autoresult.txt")]
        results = [json.loads(line) if line.startswith("{") else {} for line in last]
        scores = [result["scores"]["lab1"] if result else None for result in results]
    assert sorted(map(_number, scores)) == sorted(map(_number, found.values())), "the files agree"
    return found


def _number(score: float | None) -> float:
    """A score that sorts; none is below every other."""
    return -1.0 if score is None else float(score)


def read_feedback(lms: Lms, names: list[str]) -> dict[int, str]:
    """The member of the zip for each student, found as the LMS finds it; {} where it has no way.

    Moodle: the part before the first "/" is split at "_" into the name, the participant's number,
    the type and the name of a plugin, and the rest; names that begin with "." or "~" are ignored.
    Canvas: the first two parts of the name that are numbers are the user's and the attachment's.
    """
    found = {}
    for name in names:
        parts = name.split("/")[0].split("_", 4 if lms.form == "moodle" else -1)
        if lms.form == "moodle":
            assert parts[2:4] == ["assignfeedback", "file"] and parts[4] == "report.html"
            found[int(parts[1])] = name
        elif lms.form == "canvas":
            user, attachment = [int(part) for part in parts if part.isdigit()][:2]
            assert attachment == 9000 + user
            found[user] = name
    return found
