"""Why a submission has no grade, in words that every format uses."""

from __future__ import annotations

from grader.bulk.store import Row, Status

REASONS: dict[Status, str] = {
    "missing": "Nothing was handed in for this lab",
    "rejected": "The submission was rejected",
    "error": "It could not be graded; the grader or the machine is at fault, not the submission",
    "waiting": "It has not been graded yet",
}


def sentence(row: Row) -> str:
    """What happened, and the details where the run knows them."""
    return f"{REASONS[row.status]}: {row.reason}" if row.reason else REASONS[row.status]
