"""The students of a course, from a CSV file of almost any kind, and who of them handed in.

Canvas's gradebook export, Moodle's grading worksheet and participants, Gradescope's, Classroom 50's
and Autolab's rosters, and plain tables: the first line names the columns (COLUMNS), in any order.
UTF-8 or UTF-16; commas, semicolons or tabs.
"""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from grader import files
from grader.classroom.course import stated_time, student_name
from grader.classroom.course.person import Person

MOST_BYTES = 16 << 20
# The names of the columns, without case, spaces and signs, by what they hold.
COLUMNS = {
    "name": "student name fullname studentname displayname sortablename",
    "first": "firstname first givenname given forename",
    "last": "lastname last surname familyname family",
    "email": "email emailaddress mail studentemail",
    "login": "login loginid sisloginid username user userid githubusername githublogin github "
    "account netid",
    "sis": "sisuserid sisid sid studentid studentnumber idnumber matriculationnumber "
    "registrationnumber number",
    "lms": "canvasid canvasuserid participantid participant",
    "role": "role roles",
    "id": "id",
    "identifier": "identifier",
    "submitted": "submitted submittedat submissiontime submissiondate lastmodifiedsubmission",
}
FIELDS = {heading: field for field, names in COLUMNS.items() for heading in names.split()}
_STAFF = "instructor teacher editingteacher noneditingteacher ta teachingassistant courseassistant"
STAFF = frozenset([*_STAFF.split(), "reader", "observer", "manager", "headta", "owner"])
NUMBERED = re.compile(r"\D*(\d{1,20})")  # Moodle's "Participant 12"
NOBODY = frozenset({"points possible", "student, test", "test student"})  # rows of Canvas


class RosterError(Exception):
    """The roster cannot be used; the message says why, and what to do."""


@dataclass(frozen=True)
class Roster:
    """The people of a course, each once, in the order of the file."""

    people: tuple[Person, ...]
    submitted: Mapping[Person, str] = field(default_factory=dict)  # when, where the file says so
    lines: Mapping[Person, int] = field(default_factory=dict)  # of the file, from 1
    unsure: bool = False  # a column is called "id": `sis` may be the number of the LMS

    def find(self, person: Person) -> tuple[Person, ...]:
        """Who of the roster a download means: nobody, one, or several of whom each fits. Numbers,
        logins and addresses decide; the name where there are none of them that the roster has."""
        fits = [found for kind in KINDS if (found := self._by(kind, person))]
        if fits:
            agreed = [each for each in fits[0] if all(each in found for found in fits)]
            any_of = [each for each in self.people if any(each in found for found in fits)]
            return tuple(agreed or any_of)
        named = tuple(each for each in self.people if student_name.same(each.name, person.name))
        return tuple(each for each in named if not _differ(each, person))

    def of_lms(self) -> "Roster":
        """The same people, where "id" is the number of the LMS."""
        new = {p: msgspec.structs.replace(p, sis="", lms=p.lms or p.sis) for p in self.people}
        submitted = {new[person]: time for person, time in self.submitted.items()}
        lines = {new[person]: number for person, number in self.lines.items()}
        return Roster(tuple(new.values()), submitted, lines)

    def without_zone(self) -> tuple[int, str] | None:
        """The first time that names no offset, behind its line; None where there is none."""
        for person, text in self.submitted.items():
            time = stated_time.read(text, None)
            if time and time.tzinfo is None:
                return self.lines.get(person, 0), text
        return None

    def find_text(self, text: str) -> tuple[Person, ...]:
        """Who of the roster a single text means, such as the name of a folder: a name, a login, an
        address or a number."""
        folded = text.strip().casefold()
        exact = [person for person in self.people if folded in _single_texts(person)]
        return tuple(exact) or self.find(Person(name=text))

    def _by(self, kind: str, person: Person) -> list[Person]:
        """Who has the same of a kind. Two systems may give one number to two people, so that a
        number counts only where the names agree; an address is one person's."""
        wanted = _texts(person, kind)
        return [
            each
            for each in self.people
            if wanted & _texts(each, kind)
            and not (kind in NUMBERS and student_name.contradict(each.name, person.name))
        ]


NUMBERS = ("lms", "sis")
KINDS = (*NUMBERS, "login", "email")


def _texts(person: Person, kind: str) -> set[str]:
    """What a person has of a kind. Where a login is an address, it counts as one."""
    texts = {getattr(person, kind).casefold()}
    if kind == "email" and "@" in person.login:
        texts.add(person.login.casefold())
    return texts - {""}


def _single_texts(person: Person) -> set[str]:
    """What identifies a person by itself: also an address without its domain."""
    texts = {each.casefold() for each in person.identifiers()}
    return texts | {person.email.casefold().partition("@")[0]} - {""}


def _differ(one: Person, other: Person) -> bool:
    """Whether two people of one name have different numbers or logins of the same kind."""
    pairs = ((_texts(one, kind), _texts(other, kind)) for kind in KINDS)
    return any(left and right and not left & right for left, right in pairs)


def merged(on_roster: Person, downloaded: Person) -> Person:
    """What both say of one student: the roster's words, and the download's where it has none."""
    texts = msgspec.structs.asdict(on_roster)
    other = msgspec.structs.asdict(downloaded)
    return Person(**{field: text or other[field] for field, text in texts.items()})


# ---------------------------------------------------------------- reading


def load(file: Path) -> Roster:
    """Reads a roster. Raises RosterError."""
    try:
        return parse(files.read_regular(file, MOST_BYTES))
    except OSError as problem:
        raise RosterError(f"{file} {problem.strerror}") from problem
    except RosterError as problem:
        raise RosterError(f"{file} {problem}") from problem


def parse(data: bytes) -> Roster:
    """The people of a roster. Raises RosterError, whose message goes on after the file's name."""
    rows = _rows(_decoded(data))
    if not rows:
        raise RosterError("is empty")
    headings = [_plain(cell) for cell in rows[0][1]]
    fields = _fields(headings)
    if not {"name", "first", "last", "email", "login", "sis", "lms"} & set(fields):
        raise RosterError(
            "has no column that tells students apart: its first line must name the columns, such "
            "as name,email,id,login"
        )
    cells = [(n, dict(zip(fields, map(_cell, row), strict=False))) for n, row in rows[1:]]
    # Two equal rows, as of a student in two sections, are one person.
    people = {person: row for _, row in cells if (person := _person(row)) != Person()}
    lines = {_person(row): number for number, row in cells}
    times = {person: row.get("submitted", "").strip("- ") for person, row in people.items()}
    submitted = {person: time for person, time in times.items() if time}
    unsure = "id" in headings and fields[headings.index("id")] == "sis"
    return Roster(tuple(people), submitted, lines, unsure)


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif data[:1] == b"\0":
        encoding = "utf-16-be"
    elif data[1:2] == b"\0":
        encoding = "utf-16-le"
    else:
        encoding = "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        raise RosterError(
            'is neither UTF-8 nor UTF-16: save it as "CSV UTF-8" in the program that made it'
        ) from problem


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """The rows behind the line that each ends in, cut at the separator with which the first line
    has the most known columns."""
    whole, text = text, text.lstrip("\r\n ")
    if text.lower().startswith("sep="):  # Excel's own first line
        text = text.partition("\n")[2]
    above = whole.removesuffix(text).count("\n")
    tables = []
    for separator in ",;\t|":
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
            numbered = ((above + reader.line_num, row) for row in reader)
            rows = [each for each in numbered if any(cell.strip() for cell in each[1])]
        except csv.Error as problem:
            raise RosterError(f"is not a CSV file ({problem})") from problem
        known = len({f for f in _fields([_plain(c) for c in rows[0][1]]) if f}) if rows else 0
        tables.append((known, rows))
    return max(tables, key=lambda table: table[0])[1]


def _plain(heading: str) -> str:
    return "".join(c for c in heading.casefold() if c.isalnum())


def _fields(headings: list[str]) -> list[str]:
    """What each column holds; "" for what is of no use here. The first column of a kind counts."""
    canvas = "student" in headings and ("section" in headings or "sisloginid" in headings)
    github = "githubusername" in headings
    fields: list[str] = []
    for heading in headings:
        field = FIELDS.get(heading, "")
        if field == "id":
            field = "lms" if canvas else "sis"
        elif field == "identifier":
            field = "name" if github else "lms"
        fields.append("" if field in fields else field)
    return fields


def _cell(text: str) -> str:
    """A cell's text, without what a spreadsheet's export adds: ="0123" or '=x."""
    text = text.strip()
    if match := re.fullmatch(r'="([^"]*)"', text):
        text = match[1]
    return text.strip()


def _person(row: dict[str, str]) -> Person:
    """The student of a row; an empty Person for a row of staff or of the program itself."""
    name = row.get("name") or f"{row.get('first', '')} {row.get('last', '')}".strip()
    if _plain(row.get("role", "")) in STAFF or name.casefold() in NOBODY:
        return Person()
    number = NUMBERED.fullmatch(row.get("lms", ""))
    login, email = row.get("login", ""), row.get("email", "")
    return Person(
        name=name,
        email=email or (login if "@" in login else ""),
        login=login,
        sis=row.get("sis", ""),
        lms=number[1] if number else row.get("lms", ""),
    )
