"""The whole class as one JSON document, convlabs-class/v1; grader/model/class_grades.py has its
fields."""

from collections.abc import Iterator

import msgspec

from grader.classroom.course.final import Final
from grader.classroom.export.grades import Grades
from grader.model import plain_text
from grader.model.class_grades import ClassGrades, LabGrade, StudentGrades
from grader.model.result import to_json


def render(grades: Grades) -> Iterator[tuple[str, bytes]]:
    students = []
    for student in grades.students:
        by_lab = grades.by_student[student.id]
        person = {k: plain_text.line(v) for k, v in msgspec.structs.asdict(student.person).items()}
        graded = [_grade(grades, by_lab[lab]) for lab in grades.labs if lab in by_lab]
        students.append(StudentGrades(student=student.id, grades=graded, **person))
    document = ClassGrades(grades.labs, grades.unmeasured, grades.missing, students)
    yield "class.json", to_json(document)


def _grade(grades: Grades, grade: Final) -> LabGrade:
    row, result, share = grade.attempt, grade.result, grades.share(grade)
    return LabGrade(
        lab=grade.lab,
        status=grade.status,
        points=None if grade.points is None else round(grade.points, 4),
        out_of=None if grade.points is None else grade.out_of,
        share=None if share is None else round(share, 6),
        earned=result.score.earned if result else None,
        unmeasured=grade.unmeasured,
        late_days=grade.late.days,
        overridden=grade.override is not None,
        note=plain_text.line(grade.why),
        submitted=row.submitted.isoformat() if row and row.submitted else None,
        attempt=row.number if row and row.number else None,
        made_by=row.key if row and result else "",
        checks=result.checks if grades.per_check and result else None,
    )
