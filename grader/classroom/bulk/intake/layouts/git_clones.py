"""Clones of the students' git repositories, as GitHub Classroom and Classroom 50 name them:

    ASSIGNMENT-LOGIN/.git                 `gh classroom clone student-repos` puts all of them into
                                          ASSIGNMENT-submissions/

ASSIGNMENT is what all names have in common, up to a "-". In a clone, hidden folders are not
searched, .git neither; the time of the last commit is read from it without running git
(git_time.py). A student decides what time a commit states, so it is no proof. Documented at
https://docs.github.com/en/education/manage-coursework-with-github-classroom and
https://github.com/foundation50/classroom50/wiki.
"""

from grader.classroom.bulk.intake import git_time
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import Child, Folder
from grader.classroom.bulk.intake.layouts.layout import Layout
from grader.classroom.course import student_id
from grader.classroom.course.person import Person


def own(folder: Folder, children: list[Child]) -> list[Child]:
    return [c for c in children if c.kind == "folder" and folder.has_hidden_folder(c, ".git")]


def entries(folder: Folder, children: list[Child]) -> list[Entry]:
    start = len(assignment([child.name for child in children]))
    found = []
    for child in children:
        entry = Entry(student_id.of_name(child.name), folder.paths(child), archive=folder.zip)
        if login := child.name[start:] if start else "":
            entry.people = (Person(login=login),)
        if folder.zip is None:
            entry.submitted = git_time.last_commit(child.path / ".git")
        found.append(entry)
    return found


def assignment(names: list[str]) -> str:
    """What the names of two or more clones begin with, up to and with a "-"; "" for nothing."""
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)  # what these two share, all share
    same = (one == other for one, other in zip(first, last, strict=False))
    common = first[: next((at for at, equal in enumerate(same) if not equal), len(first))]
    return common[: common.rfind("-") + 1]


LAYOUT = Layout("git clones", own, entries)
