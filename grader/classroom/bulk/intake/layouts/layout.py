"""What a layout of downloads is."""

from collections.abc import Callable
from dataclasses import dataclass

from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import Child, Folder


@dataclass(frozen=True)
class Layout:
    """A way in which submissions lie in a folder.

    name: for people, as in "Canvas's download".
    own: which of the folder's children are of this layout. All of them: the folder is.
    entries: the submissions of a folder whose children are all of this layout.
    unmistakable: nobody gives a file such a name by chance, so one submission is enough to
        recognize a download that lies in a folder or zip of its own.
    """

    name: str
    own: Callable[[Folder, list[Child]], list[Child]]
    entries: Callable[[Folder, list[Child]], list[Entry]]
    unmistakable: bool = False
