"""The leaderboard of a run as its three files: leaderboard.html, .csv and .json.

Nothing in them tells when they were made, and the same store gives the same bytes.
"""

from grader import files
from grader.classroom.export import grades as grading
from grader.classroom.export.grades import Grades
from grader.classroom.leaderboard import document

NAME, NAME_CSV, NAME_JSON = "leaderboard.html", "leaderboard.csv", "leaderboard.json"


def write(grades: Grades) -> None:
    """Writes the files of a run. Raises OSError."""
    from grader.classroom.leaderboard import page  # its libraries take a tenth of a second to load

    for name, data in (
        (NAME, page.page(grades.standings, grades.rules.title).encode(errors="replace")),
        (NAME_CSV, document.to_csv(grades.standings)),
        (NAME_JSON, document.to_json(grades.standings)),
    ):
        files.update(grades.store.folder / name, data)


def warnings(grades: Grades) -> list[str]:
    """Who wants to take part and is not on the board, and why; for the instructor alone."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for refused in grades.standings.refused:
        by_reason.setdefault((refused.lab, refused.why), []).append(refused.student)
    return [
        f"{lab}: not on the leaderboard: {grading.few(students)}: {why}"
        for (lab, why), students in by_reason.items()
    ]
