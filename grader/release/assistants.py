"""The rules for assistants in an archive: AGENTS.md is the text that the course chose."""

from grader import paths
from grader.model import assistants
from grader.model.assistants import Assistants

RULES = str(assistants.RULES.relative_to(paths.ROOT))
CHOSEN = str(assistants.CHOSEN.relative_to(paths.ROOT))
OTHERS = "grader/assistant/rules/"  # the texts of free and none; that of explain is in AGENTS.md


def ruled(texts: dict[str, bytes], allowed: Assistants) -> dict[str, bytes]:
    """The files of an archive, by path, with the rules that hold there, and no others."""
    kept = {path: content for path, content in texts.items() if not path.startswith(OTHERS)}
    if allowed == "explain":
        return kept
    return kept | {RULES: texts[f"{OTHERS}{allowed}.md"], CHOSEN: f"{allowed}\n".encode()}
