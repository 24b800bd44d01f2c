"""The block "work labs" of teaching.md: how much a student reads and writes for each lab, and hours
that are estimated from both."""

import re

from grader import paths
from grader.model import outline
from handouts.facts import markdown

WORDS_A_MINUTE = 100  # of a technical page in a second language
MINUTES_A_LINE = 3  # of code, with all that goes wrong on the way
_SIZE = re.compile(r"\(about\s(?:\s*\*)?\s*(\d+) lines?\)")


def content() -> str:
    rows = [(name[3:], outline.title(name), *_figures(name)) for name in outline.available()]
    head = ("lab", "title", "words to read", "lines to write", "hours, estimated")
    return markdown.table(head, rows, right=[2, 3, 4])


def _figures(name: str) -> tuple[str, str, str]:
    folder = outline.available()[name].parent.name
    words = len((paths.ROOT / "handouts" / f"{name}.md").read_text(encoding="utf-8").split())
    starters = (paths.ROOT / "starter" / folder).iterdir()
    texts = (file.read_text(encoding="utf-8") for file in starters)
    lines = sum(int(number) for text in texts for number in _SIZE.findall(text))
    minutes = words / WORDS_A_MINUTE + lines * MINUTES_A_LINE
    return f"{round(words, -2):,}", str(lines), f"{round(minutes / 30) / 2:g}"
