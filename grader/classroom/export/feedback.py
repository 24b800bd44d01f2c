"""What the students get back: RUN/STUDENT/LAB/ with feedback.txt, result.json and report.html, and
the files that were graded, which `--src RUN/STUDENT` of ./grade ask and others names.

Everything is rendered from the store, for each member of a group. Each run of ./grade bulk writes
it again, and the same store gives the same bytes.
"""

import re
from functools import lru_cache
from pathlib import Path

from markupsafe import escape

from grader import files, paths
from grader.classroom.bulk.store import Store
from grader.classroom.course.decided import AGAIN
from grader.classroom.course.final import Final
from grader.classroom.export import grades as grading
from grader.classroom.export import not_graded
from grader.classroom.export.grades import Grades
from grader.model import plain_text, spec
from grader.model.result import Result, to_json
from grader.render.terminal import Terminal

WIDTH = 100  # columns of feedback.txt
MAIN = re.compile(rb"<main[^>]*>")  # of render/templates/report.html


def write(grades: Grades) -> None:
    """Writes the files of every student and lab, and removes those that no longer hold. Raises
    OSError."""
    for grade in grades.every:
        folder = grades.store.folder / grade.student.id / grade.lab
        folder.mkdir(parents=True, exist_ok=True)
        contents = {
            "feedback.txt": feedback(grade).encode(errors="replace"),
            "result.json": to_json(grade.result) if grade.result else b"",
            "report.html": report(grades.store, grade),
            **_submitted(grades.store, grade),
        }
        for name, data in contents.items():
            if data:
                files.update(folder / name, data)
            else:
                (folder / name).unlink(missing_ok=True)


def _submitted(store: Store, grade: Final) -> dict[str, bytes]:
    """The files of the lab as they were graded; b"" for one that was not handed in."""
    graded = store.files(grade.attempt.key) if grade.attempt and grade.result else {}
    return {name: graded.get(name, b"") for name in _names(grade.lab, paths.LABS)}


def feedback(grade: Final) -> str:
    """What the student's own terminal would show, and what lateness or an override made of it."""
    line = grading.outcome(grade)
    outcome = f"  {line}\n" if line else ""
    if grade.result is None:
        text = f"{grade.lab}  not graded\n  {not_graded.sentence(grade)}\n"
        return plain_text.document(text + outcome)
    return plain_text.document(_of_result(grade.lab, grade.result) + outcome)


def _of_result(lab: str, result: Result) -> str:
    terminal = Terminal(WIDTH, colour=False)
    hints = _hints(lab, paths.LABS)
    lines = [terminal.header(lab, result.title, [f.path for f in result.files], result.backend)]
    checks = (terminal.check(c, lab, hints.get(c.part or "", 0)) for c in result.checks)
    lines += [text for text in checks if text]
    return "\n".join([*lines, terminal.footer(result), ""])


@lru_cache(64)
def _names(lab: str, _: Path) -> list[str]:
    """The files that students hand in."""
    return spec.load(lab).submit


@lru_cache(64)
def _hints(lab: str, _: Path) -> dict[str, int]:
    """The number of hints of each part. Kept: a class has hundreds of grades of one lab."""
    return {part.id: len(part.hints) for part in spec.load(lab).part}


def elsewhere(result: Result | None) -> str:
    """The points that another machine measured, which the page does not know; "" for none."""
    if result is None or result.elsewhere is None:
        return ""
    checks = [check for check in result.checks if check.id in result.elsewhere.checks]
    earned, most = sum(c.points for c in checks), sum(c.max_points for c in checks)
    where = "a machine with a GPU" if result.elsewhere.backend == "gpu" else "another machine"
    return f"speed, measured on {where}: {earned:g} of {most:g} points; feedback.txt has the checks"


def again(result: Result | None) -> str:
    """The checks that were graded after the page was made; "" for none."""
    names = [c.title() for c in result.checks if c.details.get(AGAIN)] if result else []
    return f"graded again since: {'; '.join(names)}; feedback.txt has the result" if names else ""


def report(store: Store, grade: Final) -> bytes:
    """The page of a grade, with a line on lateness or an override; b"" when it has none."""
    page = store.page(grade.attempt.key) if grade.attempt and grade.result else b""
    lines = [plain_text.line(grading.outcome(grade)), elsewhere(grade.result), again(grade.result)]
    if not page or not any(lines):
        return page
    notes = (f'<p class="outcome"><strong>{escape(line)}</strong></p>' for line in lines if line)
    note = "".join(notes).encode(errors="replace")
    main = MAIN.search(page)
    at = main.end() if main else len(page)
    return page[:at] + note + page[at:]
