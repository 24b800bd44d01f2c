"""Prints what a course.toml allows assistants: `python -m grader.classroom.course.assistants FILE`.
`make release` asks this way, because grader/release/ may not import the classroom."""

import sys
from pathlib import Path

from grader import exit_codes
from grader.classroom.course import settings
from grader.model import outline


def main(file: str) -> int:
    """Returns the exit status."""
    try:
        course = settings.load(Path(file), frozenset(outline.available()))
    except settings.SettingsError as problem:
        print(f"release: {problem}", file=sys.stderr)
        return exit_codes.USAGE
    print(course.assistants)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
