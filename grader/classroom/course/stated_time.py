"""When a student handed in, as a CSV file of a learning management system states it."""

import re
from datetime import datetime, tzinfo

# Besides ISO 8601, which Canvas, Gradescope and most others write: Moodle's grading worksheet.
FORMATS = ("%A, %d %B %Y, %I:%M %p", "%d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%d %B %Y, %H:%M")
OFFSET = re.compile(r"\s+(?=[+-]\d\d:?\d\d$)|\s+UTC$")


def read(text: str, zone: tzinfo | None) -> datetime | None:
    """The time with its zone: `zone` where the text names none. None where it cannot be read."""
    text = OFFSET.sub(lambda found: "Z" if "UTC" in found[0] else "", text.strip())
    for form in ("", *FORMATS):
        try:
            time = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
        except ValueError:
            continue
        return time if time.tzinfo else time.replace(tzinfo=zone)
    return None
