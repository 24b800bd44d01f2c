"""What the students get back: RUN/STUDENT/LAB/ with feedback.txt, result.json and report.html.

Everything is rendered from the store. Each run of ./grade bulk writes it again, and the same store
gives the same bytes.
"""

from __future__ import annotations

from grader import files
from grader.bulk.store import Row, Store
from grader.export import not_graded
from grader.model import spec
from grader.model.result import Result, to_json
from grader.render.terminal import Terminal

WIDTH = 100  # columns of feedback.txt


def write(store: Store) -> None:
    """Writes the files of every student and lab, and removes those that no longer hold. Raises
    OSError."""
    for row in store.rows():
        folder = store.folder / row.student / row.lab
        folder.mkdir(parents=True, exist_ok=True)
        result = store.result_of(row)
        contents = {
            "feedback.txt": feedback(row, result).encode(errors="replace"),
            "result.json": to_json(result) if result else b"",
            "report.html": store.page(row.key) if result else b"",
        }
        for name, data in contents.items():
            if data:
                files.update(folder / name, data)
            else:
                (folder / name).unlink(missing_ok=True)


def feedback(row: Row, result: Result | None) -> str:
    """What the student's own terminal would show."""
    if result is None:
        return f"{row.lab}  not graded\n  {not_graded.sentence(row)}\n"
    terminal = Terminal(WIDTH, colour=False)
    hints = {part.id: len(part.hints) for part in spec.load(row.lab).part}
    lines = [terminal.header(row.lab, result.title, [f.path for f in result.files], result.backend)]
    checks = (terminal.check(c, row.lab, hints.get(c.part or "", 0)) for c in result.checks)
    lines += [text for text in checks if text]
    return "\n".join([*lines, terminal.footer(result), ""])
