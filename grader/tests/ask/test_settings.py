"""A question states each setting that its answer depends on: whatever the kind, a setting that
changes the key is in the text, with another value."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import msgspec
import pytest

from grader.ask import program as programs
from grader.ask.catalogue import KINDS
from grader.ask.draft import CannotTell, Draft
from grader.ask.program import AskedPart, NoQuestionsError
from grader.ask.quiz import quiz
from grader.model import spec
from grader.model import submission as submissions
from grader.model.lab import Case

STATED = {  # how a text states a setting
    "size": r"\d+ x \d+ pixels",
    "border": r"BORDER_\w+",
    "radius": r"masks? of (\d+ x \d+)|(\d+) coefficients",
    "channels": r"\d+ channels?",
    "masks": r"\d+ masks?",
    "block": r"blocks of (\S+|\(.*?\)) threads",
}
# Together they have all kinds. With each: another block.
PARTS = {
    "lab1 C": None,
    "lab2 C": ("BLOCK_HEIGHT = 8", "BLOCK_HEIGHT = 4"),
    "lab4 A": ("BLOCK = 32", "BLOCK = 16"),
    "lab5 A": ("BLOCK_HEIGHT = 8", "BLOCK_HEIGHT = 4"),
    "lab7 B": None,
    "lab7 C": None,
    "lab8 C": None,
}


def other(case: Case, setting: str) -> Case | None:
    """The case with another value; None where it has no such setting."""
    many = re.fullmatch(r"bank(\d+)x(\d+)", case.mask)
    changes: dict[str, dict[str, object]] = {"size": {}, "block": {}}
    if case.border:
        changes["border"] = {"border": "replicate"}
    if many:
        changes["channels"] = {"channels": case.channels + 2}
        changes["masks"] = {"mask": f"bank{int(many[1]) + 2}x{many[2]}"}
    if case.mask and (not many or int(many[2]) > 1):
        larger = re.sub(r"\d+$", lambda size: f"{int(size[0]) + 2}", case.mask)
        changes["radius"] = {"mask": larger}
    return msgspec.structs.replace(case, **changes[setting]) if setting in changes else None


def drafts(part: AskedPart) -> dict[tuple[str, int], Draft]:
    """Of each kind, by the number of the draw."""
    found = {}
    for kind in KINDS:
        for number in range(1 if KINDS[kind].rebuilds else 12):
            try:
                found[kind, number] = KINDS[kind].ask(part, Random(number))
            except CannotTell:
                continue
    return found


@contextmanager
def asked(name: str, edit: tuple[str, str] | None, folder: Path) -> Iterator[AskedPart]:
    lab, part = name.split()
    solution = submissions.find(spec.load(lab, hidden=False), "solutions")
    if edit:
        for file in solution.lab.submit:
            text = solution.text(file).replace(*edit)
            (folder / file).write_text(text)
        solution = submissions.find(solution.lab, str(folder))
    with quiz(solution, part, "settings") as drawn:
        drawn.program.personal = 7
        yield drawn.program


def unstated(before: Draft, after: Draft, setting: str) -> bool:
    stated = [re.findall(STATED[setting], draft.text) for draft in (before, after)]
    return before.answer != after.answer and (not stated[0] or stated[0] == stated[1])


@pytest.mark.slow("builds and traces solutions, and changes of them")
@pytest.mark.apart
def test_a_setting_that_changes_the_key_is_stated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds, told, sizes = set(), set(), programs.SIZES
    faults = []
    for name, edit in PARTS.items():
        with asked(name, None, tmp_path) as part:
            before = drafts(part)
        kinds |= {kind for kind, _ in before}
        for setting in STATED:
            if (case := other(part.base, setting)) is None or (setting == "block" and not edit):
                continue
            if setting == "size":
                monkeypatch.setattr(programs, "SIZES", [(w + 6, h + 4) for w, h in sizes])
            with asked(name, edit if setting == "block" else None, tmp_path) as changed:
                changed.base = case
                try:
                    changed.must_be_right()
                    after = drafts(changed)
                except NoQuestionsError:  # the part does not allow it
                    continue
                finally:
                    monkeypatch.setattr(programs, "SIZES", sizes)
            for key in before.keys() & after.keys():
                told |= {setting} if before[key].answer != after[key].answer else set()
                if unstated(before[key], after[key], setting):
                    faults.append((name, setting, *key, before[key].text, after[key].text))
    assert not faults, sorted({fault[:3] for fault in faults})
    assert kinds == {*KINDS} and told == {*STATED}, "each kind is asked, and each setting counts"
