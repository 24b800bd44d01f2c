"""What a link of a page leads to: another page, a file of the repository, or another site."""

import posixpath
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from handouts.site.contents import Contents, Page


@dataclass(frozen=True)
class Target:
    """Where a link leads. Of `page`, `file` and `address` one is set."""

    page: Page | None = None
    anchor: str = ""
    file: str = ""  # in the repository, from its root: "labs/lab4_shared_tile/lab.h"
    address: str = ""  # of another site


def target(url: str, page: Page, contents: Contents) -> Target:
    """What `url` means on a page of handouts/."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return Target(address=url)
    path, anchor = unquote(parts.path), unquote(parts.fragment)
    if not path:
        return Target(page=page, anchor=anchor)
    path = posixpath.normpath(posixpath.join("handouts", path))
    folder, name = posixpath.split(path)
    other = contents.of_file(name) if folder == "handouts" else None
    return Target(page=other, anchor=anchor) if other else Target(file=path)


def missing(target: Target, root: Path) -> bool:
    """Whether a file of the repository is not there, or not in it."""
    return bool(target.file) and (
        target.file.startswith(("..", "/")) or not (root / target.file).exists()
    )
