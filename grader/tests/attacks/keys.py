"""Attempts to get the keys of questions from what a student sees: the terminal, the files, the
class page, what a learning management system shows, and time.

Each looks at two worlds, which differ in nothing but the key. What it sees must be the same in
both: then nothing in it tells the key. Time is counted, not measured: each call that Python makes
counts, and each write to the terminal.
"""

import contextlib
import io
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from unittest import mock
from xml.etree import ElementTree as Xml

import msgspec

from grader import paths
from grader.ask import quiz as quizzes
from grader.ask.catalogue import KINDS, Kind
from grader.ask.draft import Draft
from grader.ask.terminal import Terminal
from grader.classroom.bulk import questions
from grader.classroom.bulk.database import OWN_FOLDER
from grader.classroom.bulk.store import Store
from grader.classroom.export import grades, publish, quiz
from grader.classroom.page import page
from grader.model import spec
from grader.model import submission as submissions
from grader.model.question import Asked, Key, Question, QuizKeys
from grader.student import understood
from grader.tests.attacks.judge import Outcome
from grader.tests.classroom.export import runs

GROUP = "keys"
WORLDS = (0, 1)
GUESS = "7"  # wrong in both
Look = Callable[[int], object]


def asked(world: int, typed: bool) -> Asked:
    """A question whose key depends on the world, and nothing else: 4 or 9."""
    options = ["4", GUESS, "9"]
    key = ("4", "9")[world]
    question = Question("lab3-A-x-1", "x", "lab3", "A", "x.cu", 3, "a = b;", "?", options, typed)
    mistakes = {option: "another one" for option in options if option != key}
    return Asked(question, Key("lab3-A-x-1", key, f"it is {key}", mistakes))


# ---- time, and what the terminal shows


def terminal(world: int, typed: bool, *, work: bool) -> object:
    """What is seen until a second answer is asked for; work: counted, not shown."""
    calls = [0]
    writes: list[str] = []

    class Screen(io.StringIO):
        def write(self, text: str) -> int:
            writes.append(text)
            return len(text)

    given = iter([GUESS if typed else "b"])

    def read(_: str) -> str:
        writes.append(f"<prompt after {calls[0]} calls>" if work else "<prompt>")
        return next(given, "q")

    def count(*_: object) -> None:
        calls[0] += 1

    for _ in range(2):  # the first fills caches
        calls[0], given = 0, iter([GUESS if typed else "b"])
        writes.clear()
        with contextlib.redirect_stdout(Screen()):
            sys.setprofile(count)
            try:
                Terminal(80, False, read).ask(1, 1, asked(world, typed))
            finally:
                sys.setprofile(None)
    return [len(text) for text in writes] + [writes[-1]] if work else "".join(writes)


# ---- what a run makes, and what answering leaves


@contextlib.contextmanager
def run_of(world: int) -> Iterator[Store]:
    """A class of which one student was asked."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(runs.make(Path(folder) / "run")) as store,
    ):
        kept = QuizKeys("lab3", runs.GRADED.lms, {}, [asked(world, typed=False)])
        row = next(r for r in store.rows() if r.student == runs.GRADED.lms)
        store.keep_setting(questions.setting(row), msgspec.json.encode(kept))
        yield store


def class_page(world: int, *, pseudonyms: bool) -> str:
    with run_of(world) as store:
        store.keep_setting("pseudonym key", bytes(32))
        return page.page(store, store.folder, pseudonyms)


def given_back(world: int) -> dict[str, bytes]:
    """The files of a run outside of the folder that only its owner can read."""
    with run_of(world) as store:
        publish.write(grades.of(store))
        return {
            str(file.relative_to(store.folder)): file.read_bytes()
            for file in sorted(store.folder.rglob("*"))
            if file.is_file() and OWN_FOLDER not in file.relative_to(store.folder).parts
        }


def may_be_opened_by_others(world: int) -> object:
    with run_of(world) as store:
        return world if store.own.stat().st_mode & 0o077 else "no"


def left_by_an_answer(world: int) -> bytes:
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(paths, "PROGRESS", Path(folder)),
    ):
        each = asked(world, typed=True).question
        record = understood.read_understood(each.lab)
        record.note(each.part, each.kind, right=False)
        understood.keep(record)
        return b"".join(file.read_bytes() for file in sorted(Path(folder).iterdir()))


# ---- what a learning management system shows before an answer


def made(world: int) -> list[QuizKeys]:
    return [QuizKeys("lab3", "Ann", {}, [asked(world, True), asked(world, False)])]


def work_of_exports(world: int) -> int:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    for _ in range(2):
        calls = 0
        sys.setprofile(count)
        try:
            _ = [*quiz.moodle_xml(made(world)), *quiz.qti(made(world))]
        finally:
            sys.setprofile(None)
    return calls


def qti_shown(world: int) -> list[bytes]:
    ((_, data),) = quiz.qti(made(world))
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        items = [Xml.fromstring(package.read(name)) for name in package.namelist()]
        return [package.read("imsmanifest.xml")] + [
            Xml.tostring(body) for item in items for body in item.iter(f"{{{quiz.QTI}}}itemBody")
        ]


def moodle_shown(world: int) -> list[str | None]:
    ((_, data),) = quiz.moodle_xml(made(world))
    each = Xml.fromstring(data).findall("question")
    shown = [q.findtext(f"{tag}/text") for q in each for tag in ("name", "questiontext")]
    choices = [a.findtext("text") for q in each[2:] for a in q.findall("answer")]
    return shown + choices


def replayed(world: int) -> object:
    """Repeats the draw that a question's name seems to name, with the own file."""
    lab = spec.load("lab1", hidden=False)

    def ask(_: object, draw: Random) -> Draft:
        number = draw.randrange(1 << 30)
        wrong = [(number + 1, "x"), (number + 2, "y")]
        return Draft(0, f"{number}?", number, lambda: number, "", wrong)

    with (
        mock.patch.dict(KINDS, {"drawn": Kind("", False, False, ask)}),
        quizzes.quiz(submissions.find(lab, "solutions"), "A", f"secret {world}") as drawn,
    ):
        got = drawn.one("drawn", 0)
        assert got is not None
        number = int(got.question.id.rpartition("-")[2], 16)
        guess = str(ask(None, Random(number)).answer)
    return guess if guess == got.key.answer else "another answer"


LOOKS: dict[str, Look] = {
    "time: calls until a number was refused": lambda w: terminal(w, True, work=True),
    "time: calls and writes until a choice was refused": lambda w: terminal(w, False, work=True),
    "time: calls that make the exports for an LMS": work_of_exports,
    "hints: a wrong number": lambda w: terminal(w, True, work=False),
    "hints: a wrong choice": lambda w: terminal(w, False, work=False),
    "files: what a wrong answer leaves": left_by_an_answer,
    "files: all that a run writes for students": given_back,
    "files: the store of a run, by another user of the machine": may_be_opened_by_others,
    "page: its source": lambda w: class_page(w, pseudonyms=False),
    "page: its source, with pseudonyms": lambda w: class_page(w, pseudonyms=True),
    "LMS: what Moodle shows before the answer": moodle_shown,
    "LMS: what QTI shows before the answer": qti_shown,
    "LMS: the name of a question as a seed": replayed,
}


def attempt(name: str) -> Outcome:
    began = time.monotonic()
    first, second = (LOOKS[name](world) for world in WORLDS)
    survived = [] if first and first == second else ["what is seen depends on the key"]
    verdict = "differs" if survived else "gains nothing"
    return Outcome(
        name, GROUP, "the same with each key", verdict, time.monotonic() - began, survived
    )
