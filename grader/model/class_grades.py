"""The grades of a class for other programs: schema convlabs-class/v1.

`python -m grader.schema.write` makes grader/schema/convlabs-class-v1.json from these types.
"""

from typing import Literal

import msgspec

from grader.model.result import Check
from grader.model.score import Unmeasured


class LabGrade(msgspec.Struct, frozen=True):
    """The grade of one student for one lab. points and out_of are after lateness and overrides;
    null: there is no grade, which is not 0."""

    lab: str
    status: Literal["waiting", "graded", "missing", "rejected", "error", "wrong name"]
    points: float | None
    out_of: float | None  # the points measured; of an override, all points of the lab
    share: float | None  # from 0 to 1; unmeasured checks count as the export's options say
    earned: float | None  # before lateness and overrides
    unmeasured: tuple[Unmeasured, ...]
    late_days: int
    overridden: bool
    note: str  # lateness, an override, or why there is no grade
    submitted: str | None  # ISO 8601 with a zone
    attempt: int | None
    made_by: str  # the key of everything that the grade depends on; "" without a grade
    checks: list[Check] | None  # with --per-check


class StudentGrades(msgspec.Struct, frozen=True):
    """A student, as the download or the roster names them, and a grade for each lab."""

    student: str  # the id in the run, which names the student's folder
    name: str
    email: str
    login: str
    sis: str
    lms: str
    grades: list[LabGrade]


class ClassGrades(msgspec.Struct, frozen=True):
    """The whole class, by student."""

    labs: list[str]
    unmeasured: Literal["scale", "blank", "zero"]
    missing: Literal["blank", "zero"]
    students: list[StudentGrades]
    schema: Literal["convlabs-class/v1"] = "convlabs-class/v1"
