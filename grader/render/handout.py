"""Where the handouts explain a known mistake, for the report."""

import re
from dataclasses import dataclass
from pathlib import Path

from grader import paths

PAGE = "handouts/mistakes.md"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Section:
    """The part of a handout that is about a mistake."""

    mistake: str  # its name: "mask-flipped"
    page: str  # the Markdown, from the root of the student's copy
    address: str  # that a browser on this machine opens; "": the reader sits elsewhere


def section(mistake: str | None, on_this_machine: bool, root: Path = paths.ROOT) -> Section | None:
    """The section about a mistake that a check named; None where the handouts have none.

    A report may be moved and must work without a network. So its link is absolute: to the site, if
    `make handouts` has made one with this section, else to the Markdown, which is text. A report
    for a reader elsewhere gets no link: it would show this machine's folders and lead nowhere.
    """
    if not mistake or not NAME.fullmatch(mistake):
        return None
    anchor = f"mistake-{mistake}"
    if not _has(root / PAGE, anchor):
        return None
    if not on_this_machine:
        return Section(mistake, PAGE, "")
    site = root / "build" / "handouts" / "site" / "mistakes.html"
    file = site if _has(site, anchor) else root / PAGE
    return Section(mistake, PAGE, f"{file.as_uri()}#{anchor}")


def _has(file: Path, anchor: str) -> bool:
    """Whether a page has an anchor. False where it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(rf"""\b(?:id|name)=["']{re.escape(anchor)}["']""", text) is not None
