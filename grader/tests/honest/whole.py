"""Right programs, and what each gets: grader/tests/honest/__main__.py.

They are the solutions, the experts, the right programs of the zoo, and each file of this folder in
front of a solution: whoever writes such code, too, loses nothing.
"""

import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.execute import backend
from grader.grading import pipeline
from grader.model import outline, spec
from grader.model import submission as submissions
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.tests.honest.table import Row
from grader.tests.honest.test_honest import FOLDER, LABS
from grader.tests.zoo import entries as zoo


@dataclass(frozen=True)
class Program:
    kind: str
    name: str
    lab: str
    files: dict[str, str]

    def __str__(self) -> str:
        return f"{self.kind}: {self.lab}/{self.name}"


def one_file(source: Path) -> str:
    """An expert as it can be handed in: with the text of the solution that it includes."""
    return re.sub(
        r'^#include "(?!lab)(.*\.cu?)"$',
        lambda found: (source.parent / found[1]).read_text(),
        source.read_text(),
        flags=re.MULTILINE,
    )


def programs() -> Iterator[Program]:
    for lab_id in outline.available():
        folder, submit = paths.SOLUTIONS / spec.load(lab_id).folder, spec.load(lab_id).submit
        yield Program("solution", "solution", lab_id, {n: (folder / n).read_text() for n in submit})
        experts = {n: folder / f"expert{Path(n).suffix}" for n in submit}
        if any(expert.exists() for expert in experts.values()):
            files = {n: one_file(e if e.exists() else folder / n) for n, e in experts.items()}
            yield Program("expert", "expert", lab_id, files)
    for entry in zoo.everything():
        if entry.verdict == "right":
            yield Program("zoo", entry.name, entry.lab, zoo.files(entry))
    for file in sorted(FOLDER.glob("*.c*")):
        lab = spec.load(LABS[file.suffix][0])
        (name,) = lab.submit
        solution = (paths.SOLUTIONS / lab.folder / name).read_text()
        yield Program("habit", file.name, lab.id, {name: file.read_text() + solution})


def graded(program: Program) -> Row:
    """Its row. To be called in a process of grading.processes()."""
    lab, start = spec.load(program.lab), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="honest-") as folder:
        for name, text in program.files.items():
            (Path(folder) / name).write_text(text)
        plan = plan_for(lab, backend.choose(lab, "auto"), timed=False)
        result = pipeline.grade(plan, submissions.find(lab, folder), Observer())
    said = [
        f"{c.name}: {c.verdict}: {' '.join(' '.join(c.message).split())[:300]}"
        for c in result.checks
        if c.verdict not in ("pass", "skip") or (c.verdict == "skip" and c.kind != "speed")
    ]
    score = result.score
    whole = 0 < score.measured == score.earned
    return Row(
        str(program),
        f"{score.earned:g} / {score.measured:g}",
        f"{time.monotonic() - start:.1f}",
        time.strftime("%Y-%m-%d"),
        "" if whole else "; ".join(said) or "no points",
    )
