"""The student's own files: all that a tool may look at."""

from grader import paths
from grader.commands import options, overview
from grader.commands.errors import UsageError
from grader.model import plain_text, spec
from grader.model.lab import CheckSpec, Lab
from grader.model.submission import Submission


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
    """The check of that name, or the only one with the text in its name. Raises UsageError."""
    checks, text = of.shown_checks(), " ".join(name.split())
    found = [c for c in checks if text in (c.name, f"{c.part} {c.name}")]
    found = found or [c for c in checks if text.lower() in f"{c.part} {c.name}".lower()]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(f"{c.part} {c.name}" for c in found or checks)
    how_many = "more than one check" if found else "no check"
    raise UsageError(
        f"{how_many} of {of.id} has {plain_text.line(name, 60)!r} in its name: {listed}"
    )
