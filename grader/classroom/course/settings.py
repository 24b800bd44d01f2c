"""course.toml: what a course decides about its grades. Everything in it has a default.

title = "GPU programming"
timezone = "Asia/Seoul"          # of due dates, and of a roster's times, that name no offset
attempts = "latest"              # or "best", of those that a run has seen
late_percent_per_day = 10        # of the points earned, for each day begun
late_days = 5                    # more days late than this: no points
grace_days = 2                   # late days without loss, of each student over all labs
grace_minutes = 10               # after a due date that are not late
variants = true                  # of labs, by student; or a text, which draws others
questions_percent = 20           # of a lab's points, for answers to the questions of --ask
predictions_percent = 5          # for grades with a --why in the log that was handed in
predicted_speed = "off"          # or "shown", if left out: speed that needs a GPU, without one
assistants = "none"              # or "free"; "explain", if left out: of `make release COURSE=...`

[lab.lab3]
due = 2027-03-01T23:59:00
weight = 2                       # of the course's total; 1 if left out
hidden_seed = 48213              # draws the hidden inputs, instead of the repository's seed

[[extension]]
student = "ada@example.org"      # a name, an id, an address or a number that the class knows
lab = "lab3"
days = 3
why = "illness"

[[group]]
name = "team 4"
students = ["ada@example.org", "grace@example.org"]

[[take]]                         # a file that was handed in under a wrong name
student = "grace@example.org"
lab = "lab3"
file = "Constant_Mask.cu"
as = "constant_mask.cu"          # may be left out where the lab has one file

[exam]                           # of ./grade proctor
lab = "lab3"
start = 2027-06-08T09:00:00
end = 2027-06-08T10:30:00
hidden_seed = 9041               # as above, for this lab
"""

import tomllib
from datetime import UTC, datetime, timedelta, tzinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, get_args, get_origin
from zoneinfo import ZoneInfo

import msgspec

from grader.model import toml_line
from grader.model.assistants import Assistants
from grader.model.plain_text import line
from grader.model.prediction import PredictedSpeed
from grader.model.toml_line import UNKNOWN

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class SettingsError(Exception):
    """course.toml cannot be used; the message says where and why."""


class LabRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a course decides about one lab; None where the course's own rule holds."""

    due: datetime | None = None
    weight: Annotated[float, msgspec.Meta(ge=0)] = 1
    late_percent_per_day: Percent | None = None
    late_days: Count | None = None
    hidden_seed: Annotated[int, msgspec.Meta(ge=0, lt=2**31)] | None = None


class Extension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """More time for one student."""

    student: str
    lab: str
    days: Annotated[float, msgspec.Meta(gt=0)] | None = None
    due: datetime | None = None  # instead of days
    why: str = ""


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Students who hand in together: what one hands in counts for all."""

    students: list[str]
    name: str = ""


class Take(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a student's that counts as one that a lab asks for."""

    student: str
    lab: str
    file: str  # its name, or its path in the submission
    wanted: str = msgspec.field(default="", name="as")


class ExamRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An exam: a lab, from its starter to what there is at the end."""

    lab: str
    start: datetime
    end: datetime
    hidden_seed: Annotated[int, msgspec.Meta(ge=0, lt=2**31)] | None = None


class Course(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one course."""

    title: str = ""
    timezone: str = ""  # UTC, if all times that name no offset are read alike
    attempts: Literal["latest", "best"] = "latest"
    late_percent_per_day: Percent = 0
    late_days: Count | None = None  # None: late work counts however late it is
    grace_days: Count = 0
    grace_minutes: Count = 0
    variants: bool | str = False
    questions_percent: Percent = 0
    predictions_percent: Percent = 0
    predicted_speed: PredictedSpeed = "shown"
    assistants: Assistants = "explain"
    labs: list[str] = []  # folders with labs outside of this tree: grader/outside_labs.py
    lab: dict[str, LabRules] = {}
    extension: list[Extension] = []
    group: list[Group] = []
    take: list[Take] = []
    exam: ExamRules | None = None

    def zone(self) -> tzinfo:
        return UTC if self.timezone in ("", "UTC") else ZoneInfo(self.timezone)

    def stated(self) -> dict[str, datetime]:
        """Every time in the file, by its place."""
        times = {f"$.lab.{lab}.due": its.due for lab, its in self.lab.items()}
        times |= {f"$.extension[{at}].due": each.due for at, each in enumerate(self.extension)}
        if self.exam:
            times |= {"$.exam.start": self.exam.start, "$.exam.end": self.exam.end}
        return {place: time for place, time in times.items() if time}

    def needs_zone(self) -> bool:
        """Whether a time without an offset could mean another hour than it says: the course names
        no timezone, and some of its times have an offset."""
        return not self.timezone and any(time.tzinfo for time in self.stated().values())

    def rules(self, lab: str) -> LabRules:
        return self.lab.get(lab, LabRules())

    def hidden_seeds(self) -> dict[str, int]:
        """By lab, where the course has its own, or its exam."""
        seeds = {lab: its.hidden_seed for lab, its in self.lab.items()}
        if self.exam and self.exam.hidden_seed is not None:
            seeds[self.exam.lab] = self.exam.hidden_seed
        return {lab: seed for lab, seed in seeds.items() if seed is not None}

    def due(self, lab: str, names: frozenset[str]) -> datetime | None:
        """When a lab is due for the student whom any of these names means; None: never."""
        due = self.rules(lab).due
        if due is None:
            return None
        due = self.in_zone(due)
        if (more := self.extended(lab, names)) is None:
            return due
        if more.due is not None:
            return self.in_zone(more.due)
        return due + timedelta(days=more.days or 0)

    def extended(self, lab: str, names: frozenset[str]) -> Extension | None:
        """The extension of the student whom any of these names means; None: there is none."""
        theirs = (each for each in self.extension if each.lab == lab and each.student in names)
        return next(theirs, None)

    def in_zone(self, time: datetime) -> datetime:
        """A time of the file, in the course's timezone if it states none."""
        return time if time.tzinfo else time.replace(tzinfo=self.zone())


TABLES: dict[str, type[msgspec.Struct]] = {  # by where they are in the file
    "lab": LabRules,
    "extension": Extension,
    "group": Group,
    "take": Take,
    "exam": ExamRules,
}
NEEDS_ZONE = (
    "has no offset, while a due date in course.toml has one: add your timezone there, such as "
    'timezone = "Asia/Seoul", or give every time an offset'
)
LEADERBOARD = "there is no leaderboard any more"
REMOVED = {"leaderboard": LEADERBOARD, "leaderboard_without": LEADERBOARD}


def parse(text: bytes, labs: frozenset[str], file: str = "course.toml") -> Course:
    """The rules in a course.toml. labs: those that there are. Raises SettingsError."""
    try:
        table = tomllib.loads(text.decode("utf-8-sig"))
        course = msgspec.convert(table, Course)
    except msgspec.ValidationError as problem:
        raise SettingsError(f"{file}: {_in_words(table, problem)}") from problem
    except (ValueError, RecursionError) as problem:
        raise SettingsError(f"{file}: {line(str(problem))}") from problem
    bare = [place for place, time in course.stated().items() if time.tzinfo is None]
    if course.needs_zone() and bare:
        where = toml_line.placed(text.decode("utf-8-sig"), f"`{bare[0]}` {NEEDS_ZONE}")
        raise SettingsError(f"{file}, {line(where)}")
    problems = [*_problems(course, labs)]
    if problems:
        raise SettingsError("\n".join(f"{file}: {line(problem)}" for problem in problems))
    return course


def load(file: Path, labs: frozenset[str]) -> Course:
    """As parse(). Raises SettingsError, also when the file cannot be read."""
    try:
        return parse(file.read_bytes(), labs, str(file))
    except OSError as problem:
        raise SettingsError(f"{file} cannot be read: {problem.strerror}") from problem


def _in_words(table: dict[str, object], problem: msgspec.ValidationError) -> str:
    """What msgspec finds wrong, with the lab's name, the values to choose from and how to write a
    date."""
    text = str(problem)
    labs = table.get("lab")
    for name, rules in labs.items() if isinstance(labs, dict) else ():
        try:
            msgspec.convert(rules, LabRules)
        except msgspec.ValidationError:
            text = text.replace("$.lab[...]", f"$.lab.{name}")
            break
    for field in msgspec.structs.fields(Course):
        if get_origin(field.type) is Literal and f"$.{field.name}`" in text:
            text += "; write " + " or ".join(f'"{value}"' for value in get_args(field.type))
    text += _instead(text)
    if "datetime" in text:
        text += "; write a date and a time as 2027-03-01T23:59:00, without quotes"
    return line(text)


def _instead(problem: str) -> str:
    """What to write instead of a field that there is not; "" where the problem is another one."""
    unknown = UNKNOWN.search(problem)
    if unknown is None:
        return ""
    if unknown[1] in REMOVED:
        return f"; {REMOVED[unknown[1]]}: delete the line"
    table = next((t for place, t in TABLES.items() if f"`$.{place}" in problem), Course)
    names = [field.encode_name for field in msgspec.structs.fields(table)]
    near = get_close_matches(unknown[1], names, 1)
    return f"; did you mean `{near[0]}`?" if near else f"; the fields are {', '.join(names)}"


def _problems(course: Course, labs: frozenset[str]) -> list[str]:
    problems = []
    try:
        course.zone()
    except (KeyError, ValueError, OSError):
        problems.append(f'timezone "{course.timezone}" is unknown; write one such as "Asia/Seoul"')
    named = [*course.lab, *(each.lab for each in course.extension)]
    named += [take.lab for take in course.take]
    named += [course.exam.lab] if course.exam else []
    unknown = dict.fromkeys(name for name in named if name not in labs)
    problems += [f"there is no {name}; the labs are {', '.join(sorted(labs))}" for name in unknown]
    if course.exam and course.in_zone(course.exam.start) >= course.in_zone(course.exam.end):
        problems.append("[exam] ends before it starts")
    for extension in course.extension:
        what = f"the extension of {extension.student} for {extension.lab}"
        if (extension.days is None) == (extension.due is None):
            problems.append(f"{what} needs either days or due")
        if extension.lab in labs and course.rules(extension.lab).due is None:
            problems.append(f"{what} extends nothing: [lab.{extension.lab}] has no due")
    pairs = [(extension.student, extension.lab) for extension in course.extension]
    for student, lab in dict.fromkeys(pair for pair in pairs if pairs.count(pair) > 1):
        problems.append(f"there are two extensions of {student} for {lab}; keep one")
    members = [student for group in course.group for student in group.students]
    twice = dict.fromkeys(each for each in members if members.count(each) > 1)
    return problems + [f"{student} is named twice in the groups; keep one" for student in twice]
