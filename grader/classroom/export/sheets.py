"""The questions of a class on paper: for each lab a document to print, and one with the keys."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

from grader.ask import sheet
from grader.ask.sheet import Sheet
from grader.classroom.bulk import class_records, questions
from grader.classroom.bulk.store import Store
from grader.classroom.course import students
from grader.model import plain_text, spec


def render(store: Store) -> Iterator[tuple[str, bytes]]:
    """The files, by name: HTML, and PDF where typst is installed. Raises StoreError."""
    for lab, sheets in _by_lab(store).items():
        for keys, end in ((False, ""), (True, "-keys")):
            yield f"{lab}{end}.html", sheet.html(sheets, keys)
            with suppress(ImportError):
                yield f"{lab}{end}.pdf", sheet.pdf(sheets, keys)


def _by_lab(store: Store) -> dict[str, list[Sheet]]:
    """A sheet for each submission that was asked something, by lab."""
    names: dict[str, list[str]] = defaultdict(list)
    for student in students.students(store.submissions(), class_records.rules(store)):
        for handed_in in student.submissions:
            names[handed_in.student].append(student.person.name or student.id)
    found: dict[str, list[Sheet]] = defaultdict(list)
    for row in store.rows():
        made = questions.of(store, row)
        if made and made.asked:
            who = plain_text.line(", ".join(names[row.student]) or row.student)
            title = f"{row.lab}, {spec.load(row.lab).title}: {who}"
            texts = {n: c.decode(errors="replace") for n, c in store.files(row.key).items()}
            found[row.lab].append(Sheet(title, texts, made.asked))
    return found
