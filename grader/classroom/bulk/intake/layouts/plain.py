"""A folder, zip or tarball for each student, which bears the student's name: our own layout, and
what every folder is taken for that is of no other layout."""

from grader.classroom.bulk.intake.archive import SUFFIXES
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import Child, Folder
from grader.classroom.bulk.intake.layouts.layout import Layout
from grader.classroom.course import student_id


def own(_: Folder, children: list[Child]) -> list[Child]:
    return children


def entries(folder: Folder, children: list[Child]) -> list[Entry]:
    found: dict[str, Entry] = {}
    for child in children:
        student = student_id.of_name(name_of(child))
        if student in found:
            found[student].problem = "there are two submissions of this name"
            continue
        entry = found[student] = Entry(student, folder.paths(child), archive=folder.zip)
        if child.kind == "link":
            entry.problem = "the submission is a link"
        elif child.kind == "other":
            entry.problem = "the submission is neither a folder nor a file"
    return list(found.values())


def name_of(child: Child) -> str:
    """The name without the suffix of an archive."""
    if child.kind == "folder":
        return child.name
    suffix = next((s for s in reversed(SUFFIXES) if child.name.lower().endswith(s)), "")
    return child.name[: len(child.name) - len(suffix)] or child.name


LAYOUT = Layout("a folder, zip or tarball for each student", own, entries)
