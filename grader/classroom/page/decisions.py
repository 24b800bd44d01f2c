"""What waits for the instructor, over all labs, and what settles it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.classroom.bulk import logs
from grader.classroom.course.attempt import DOUBTFUL, NOT_THERE, STRANGER
from grader.classroom.course.final import Final
from grader.classroom.page.reasons import Reason
from grader.model import plain_text
from grader.student.grade_log import Log

SETTLES = {
    "rejected": "another upload, [[take]] in course.toml, or ./grade override",
    "wrong name": "another upload, or [[take]] in course.toml; then bulk --resume",
    "take": "correct the name of the file in course.toml, then bulk --resume",
    "roster": "correct the roster, then bulk --resume",
    "log": "read the lab's history below, then ask the students",
    "identical files": "./grade similarity shows them; then ask the students",
    "error": "bulk --resume; if it stays, ./grade override",
    "unsure": "its points are not lost; ./grade override --check sets them",
}
MOST_PROBLEMS = 3  # of a log, which may be damaged from end to end
SHARED = "the same records, or grades of the same bytes, in the logs of different submissions"


@dataclass(frozen=True)
class Decision:
    """One thing to decide, for all whom it concerns."""

    state: str  # one of SETTLES
    lab: str  # "" where it concerns every lab
    text: str
    finals: tuple[Final, ...]

    @property
    def settles(self) -> str:
        return SETTLES[self.state]


def of_lab(lab: str, submitted: Sequence[Final], reasons: Iterable[Reason]) -> list[Decision]:
    """submitted: the grades of the lab, one for each submission."""
    found = [Decision(r.state, lab, r.text, r.finals) for r in reasons if r.state in SETTLES]
    by_key: dict[str, list[Final]] = {}
    for final in submitted:
        if final.attempt and final.result and final.result.score.earned:
            by_key.setdefault(final.attempt.key, []).append(final)
    text = "the same bytes from different submissions"
    same = [tuple(finals) for finals in by_key.values() if len(finals) > 1]
    return found + [Decision("identical files", lab, text, finals) for finals in same]


def of_logs(lab: str, submitted: Sequence[Final], handed_in: dict[str, Log]) -> list[Decision]:
    """What speaks against the logs of a lab. handed_in: by the submission's student."""
    by_student = {final.attempt.student: final for final in submitted if final.attempt}
    by_text: dict[str, list[Final]] = {}
    for student, log in handed_in.items():
        for problem in log.problems[:MOST_PROBLEMS]:
            by_text.setdefault(plain_text.line(problem, 200), []).append(by_student[student])
    found = [Decision("log", lab, text, tuple(by_text[text])) for text in sorted(by_text)]
    return found + [
        Decision("log", lab, SHARED, tuple(by_student[student] for student in students))
        for students in logs.shared(handed_in)
    ]


def of_notes(finals: Iterable[Final]) -> list[Decision]:
    """Who is not on the roster, and which [[take]] finds no file. finals: one of each student."""
    by_note: dict[str, list[Final]] = {}
    for final in finals:
        notes = {note for each in final.student.submissions for note in each.notes.split(", ")}
        for note in notes:
            if note in (STRANGER, DOUBTFUL) or note.startswith(NOT_THERE):
                by_note.setdefault(note, []).append(final)
    return [
        Decision("take" if note.startswith(NOT_THERE) else "roster", "", note, tuple(by_note[note]))
        for note in sorted(by_note)
    ]


def in_order(found: Iterable[Decision]) -> list[Decision]:
    states = list(SETTLES)
    return sorted(found, key=lambda each: (states.index(each.state), each.lab))
