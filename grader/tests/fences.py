"""What a model reads outside of the fences that grader/model/quoted.py makes."""

import html
import re

MARK = re.compile(r"--- quoted ([0-9a-f]{16}): (about|end)")


def outside(text: str) -> str:
    """The lines of a text that no fence encloses."""
    kept, mark = [], ""
    for line in map(str.strip, text.splitlines()):
        head = MARK.match(line)
        if not mark and head and head[2] == "about":
            mark = head[1]
        elif mark and line == f"--- quoted {mark}: end":
            mark = ""
        elif not mark:
            kept.append(line)
    return "\n".join(kept)


def shown(page: str) -> str:
    """The text of an HTML page, as a program extracts it: without tags, styles and scripts."""
    page = re.sub(r"(?s)<(style|script)\b.*?</\1>", "", page)
    return html.unescape(re.sub(r"<[^>]*>", "\n", page))
