"""Why a submission has no grade, in words that every format uses."""

from grader.classroom.course.attempt import Status
from grader.classroom.course.final import WITHOUT_GRADE, Final

REASONS: dict[Status, str] = {
    "missing": "Nothing was handed in for this lab",
    "rejected": "The submission was rejected",
    "wrong name": "A file does not have the name that the lab asks for",
    "error": "It could not be graded; the grader or the machine is at fault, not the submission",
    "waiting": "It has not been graded yet",
}


def sentence(grade: Final) -> str:
    """What happened, and the details where the run knows them."""
    reason = grade.attempt.reason if grade.attempt else ""
    what = REASONS.get(grade.status, grade.status)
    return what if reason in ("", WITHOUT_GRADE.get(grade.status)) else f"{what}: {reason}"
