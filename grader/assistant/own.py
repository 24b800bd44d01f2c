"""The student's own files: all that a tool may look at."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from grader import paths
from grader.commands import options, overview
from grader.commands.errors import UsageError
from grader.model import plain_text, spec
from grader.model.lab import CheckSpec, Lab
from grader.model.submission import Submission


class Named(Protocol):
    """A check, before or after it was made."""

    @property
    def name(self) -> str: ...
    @property
    def part(self) -> str | None: ...


T = TypeVar("T", bound=Named)


def lab(lab_id: str) -> Lab:
    """A lab without its hidden cases. Raises UsageError where there is none."""
    overview.require_lab(lab_id)
    return spec.load(lab_id, hidden=False)


def submission(lab_id: str) -> Submission:
    """What the student has in starter/. Raises UsageError where that is a link to elsewhere."""
    found = options.submission(lab(lab_id), str(paths.STARTER))
    home = paths.STARTER.resolve()
    if not found.folder.resolve().is_relative_to(home):
        raise UsageError(f"{found.shown} is a link out of starter/; put the folder itself there")
    return found


def part(of: Lab, name: str) -> str:
    """A part's name, in capitals. Raises UsageError where the lab has no such part."""
    names = [each.id for each in of.part]
    if name.upper() not in names:
        raise UsageError(f"{of.id} has no part {name!r}; it has {', '.join(names)}")
    return name.upper()


def check(of: Lab, name: str) -> CheckSpec:
    """A check of a lab that a student may see. Raises UsageError."""
    return named(of.shown_checks(), name, of.id)


def named(checks: Sequence[T], name: str, of: str) -> T:
    """The check of that name, or the only one with the text in its name. Raises UsageError."""
    names = {f"{c.part} {c.name}" if c.part else c.name: c for c in checks}
    text = " ".join(name.split())
    found = [full for full, c in names.items() if text in (c.name, full)]
    found = found or [full for full in names if text.lower() in full.lower()]
    if len(found) == 1:
        return names[found[0]]
    which = f"{'more than one check' if found else 'no check'} of {of}"
    raise UsageError(
        f"{which} has {plain_text.line(name, 60)!r} in its name: {'; '.join(found or names)}"
    )
