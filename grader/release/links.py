"""The links of a Markdown page."""

import posixpath
import re
from collections.abc import Collection, Iterator

LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s#]+)(?:#[^)\s]*)?\)")  # the words, the target


def targets(page: str, text: str) -> Iterator[str]:
    """The files that the page links to or shows, as paths from the root."""
    for link in LINK.finditer(text):
        if file := _file(page, link):
            yield file


def without_dead(page: str, text: str, files: Collection[str]) -> str:
    """The text with the words alone in place of each link to a file that is not in `files`."""

    def kept(link: re.Match[str]) -> str:
        file = _file(page, link)
        return link[0] if file is None or file in files else link[1]

    return LINK.sub(kept, text)


def _file(page: str, link: re.Match[str]) -> str | None:
    """The file that a link leads to, as a path from the root; None for a link to the web."""
    if ":" in link[2]:
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link[2]))
