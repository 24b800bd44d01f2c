"""What a course allows assistants, language models, to do for its students: course.toml decides."""

from typing import Literal, get_args

from grader import files, paths

Assistants = Literal["explain", "free", "none"]  # the texts: AGENTS.md, assistant/rules/

RULES = paths.ROOT / "AGENTS.md"  # what assistants read
CHOSEN = paths.ROOT / "grader" / "assistant" / "policy.txt"  # as `make release` wrote it


def allowed() -> Assistants:
    """What this copy of the course allows. Of a damaged file, nothing: the strictest is safe."""
    try:
        text = files.read_regular(CHOSEN).decode(errors="replace").strip()
    except OSError:
        return "none"
    return next((each for each in get_args(Assistants) if each == text), "none")
