"""Gradescope's bulk export ("Export Submissions" of a programming assignment):

    assignment_ID_export/submission_metadata.yml
    assignment_ID_export/submission_ID/...

The YAML has a mapping for each folder. Its keys begin with ":", as Ruby writes symbols:

    submission_7:
      :submitters:
      - :name: Student 17
        :sid: '1017'
        :email: student17@example.org
      :created_at: 2027-03-01 22:10:05.128839000 Z

A group has several submitters; each gets the grade. Gradescope describes the export at
https://help.gradescope.com ("Exporting submissions"), but not the YAML: its keys are those that
public programs which read it use.
"""

import re
from datetime import datetime
from typing import Any

import yaml

from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import Child, Folder
from grader.classroom.bulk.intake.layouts.layout import Layout
from grader.classroom.course import student_id
from grader.classroom.course.person import Person

METADATA = "submission_metadata.yml"
FOLDER = re.compile(r"submission_(?P<number>\d{1,20})")
MOST_BYTES = 32 << 20  # of the metadata
TIME = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[ T](?P<time>\d\d:\d\d:\d\d)(?:\.\d+)? ?"
    r"(?P<zone>Z|UTC|[+-]\d\d:?\d\d)"
)
# Only C's reader is fast enough for the metadata of a class. The base loader makes nothing but
# texts, lists and mappings, whatever tags the file has.
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def own(_: Folder, children: list[Child]) -> list[Child]:
    if not any(child.name == METADATA and child.kind == "file" for child in children):
        return []
    return [c for c in children if c.name == METADATA or _is_submission(c)]


def _is_submission(child: Child) -> bool:
    return child.kind == "folder" and FOLDER.fullmatch(child.name) is not None


def entries(folder: Folder, children: list[Child]) -> list[Entry]:
    """A folder without metadata is a submission of nobody known; metadata without a folder is a
    submission without files."""
    submissions = {child.name: child for child in children if _is_submission(child)}
    metadata = next(child for child in children if child.name == METADATA)
    known, problem = _read(folder, metadata)
    found: dict[str, Entry] = {}
    for name in sorted({*submissions, *known}):
        about = known.get(name, {})
        people = _people(about)
        student = _student(people, name)
        if student in found:  # never one student's files under another's name
            student = student_id.of_name(f"{student}_{name}")
        entry = found[student] = Entry(student, people=people, archive=folder.zip)
        entry.submitted = time(about.get(":created_at"))
        if about.get(":history"):
            entry.note("resubmitted")
        if name in submissions:
            entry.paths = folder.paths(submissions[name])
        else:
            entry.note(f"the export has no {name}")
        if problem:
            entry.note(problem)
    return list(found.values())


def _read(folder: Folder, metadata: Child) -> tuple[dict[str, dict[str, Any]], str]:
    """What the metadata say of each submission; or nothing, and why."""
    try:
        data = folder.read(metadata, MOST_BYTES)
        document = yaml.load(data, Loader=LOADER)
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return {}, f"{METADATA} cannot be read"
    if not isinstance(document, dict):
        return {}, f"{METADATA} cannot be read"
    return {
        name: about
        for name, about in document.items()
        if isinstance(name, str) and FOLDER.fullmatch(name) and isinstance(about, dict)
    }, ""


def _people(about: dict[str, Any]) -> tuple[Person, ...]:
    submitters = about.get(":submitters")
    people = []
    for one in submitters if isinstance(submitters, list) else ():
        if isinstance(one, dict):
            texts = {key: _text(one.get(f":{key}")) for key in ("name", "sid", "email")}
            people.append(Person(name=texts["name"], email=texts["email"], sis=texts["sid"]))
    return tuple(dict.fromkeys(person for person in people if person != Person()))


def _text(value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    return "" if text in ("~", "null") else text


def _student(people: tuple[Person, ...], folder: str) -> str:
    """The id: it stays the same when the student or the group hands in again."""
    if not people:
        return student_id.of_name(folder)
    names = " & ".join(person.name or "?" for person in people)
    numbers = "+".join(sorted(person.sis or person.email for person in people))
    return student_id.of_name(f"{names}_{numbers or folder}")


def time(value: object) -> datetime | None:
    """A time as Ruby writes it into YAML; None without a zone, or for anything else."""
    match = TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    zone = "+00:00" if match["zone"] in ("Z", "UTC") else match["zone"]
    try:
        return datetime.fromisoformat(f"{match['day']}T{match['time']}{zone}")
    except ValueError:
        return None


LAYOUT = Layout("Gradescope's export", own, entries, unmistakable=True)
