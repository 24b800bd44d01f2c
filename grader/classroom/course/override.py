"""Points that the instructor set by hand."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Override:
    """The points of one student for one lab, of the lab's total, or for one of its checks; None:
    taken back."""

    student: str
    lab: str
    points: float | None
    why: str
    at: datetime
    check: str = ""  # its id; "": the whole lab
    by: str = ""  # the login of whoever set them; "": not known
