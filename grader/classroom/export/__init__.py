"""Writes the grades of a bulk run in the formats of other programs, and for the instructor.

All start from the final grades (grades.py). A format is a module with one function: render(grades)
gives the path and the content of each file, fill(grades, ...) an instructor's own gradebook with
the grades in it.
"""

from collections.abc import Callable, Iterator

from grader.classroom.export import (
    appeals,
    autolab,
    canvas,
    class_json,
    gradebook,
    gradescope,
    junit,
    moodle,
    prairielearn,
)
from grader.classroom.export.columns import Filled
from grader.classroom.export.grades import Grades

# One file, for the whole class.
WHOLE: dict[str, Callable[[Grades], Iterator[tuple[str, bytes]]]] = {
    "csv": gradebook.render,
    "json": class_json.render,
    "junit": junit.render,
    "appeals": appeals.render,
}
# A folder with a file for each student and lab.
FOLDERS: dict[str, Callable[[Grades], Iterator[tuple[str, bytes]]]] = {
    "gradescope": gradescope.render,
    "autolab": autolab.render,
    "prairielearn": prairielearn.render,
}
# The instructor's own gradebook: its bytes, its name for messages, and the column to fill.
GRADEBOOKS: dict[str, Callable[[Grades, bytes, str, str], Filled]] = {
    "canvas": canvas.fill,
    "moodle": moodle.fill,
}
FORMATS = (*GRADEBOOKS, *FOLDERS, *WHOLE)
