"""How questions are asked in the terminal, and which answers are stored."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from grader import paths
from grader.ask.draft import ENDS, Draft
from grader.ask.program import NoQuestionsError
from grader.ask.terminal import Terminal
from grader.model.question import Asked, Key, Question
from grader.student import understood
from grader.tests import tiny_course

Capture = pytest.CaptureFixture[str]
TYPED = Asked(
    Question("q1", "sectors", "lab2", "A", "starter/x.cu", 53, "sum += d_image[i];", "How many?",
             ["1", "4", "5", "32"], True),
    Key("q1", "5", "Sectors 1 to 5.", {"32": "one for each lane", "4": "rounded", "1": "one"}),
)  # fmt: skip
CHOSEN = Asked(
    Question("q2", "writer", "lab2", "A", "starter/x.cu", 0, "", "Which?",
             ["thread 1", "thread 2", "thread 3"], False),
    Key("q2", "thread 2", "It stores it.", {"thread 1": "from 0", "thread 3": "from 1"}),
)  # fmt: skip


def answers(*given: str) -> Callable[[str], str]:
    left = list(given)

    def read(_: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return read


def test_a_right_answer_is_explained(capsys: Capture) -> None:
    assert Terminal(80, False, answers(" 05 ")).ask(1, 5, TYPED) is True
    said = capsys.readouterr().out
    assert "starter/x.cu:53\n      sum += d_image[i];" in said
    assert "Right: 5." in said and "Sectors 1 to 5." in said
    assert "32" not in said, "a number is typed, not chosen"


def test_wrong_answer_gets_a_hint_without_the_key(capsys: Capture) -> None:
    left = Terminal(80, False, answers("32", "q"))
    assert left.ask(1, 5, TYPED) is False and left.has_left
    said = capsys.readouterr().out
    assert "Not 32: one for each lane." in said
    assert "The answer" not in said and "Sectors" not in said, "the student left before the key"
    assert Terminal(80, False, answers("32", "5")).ask(1, 5, TYPED) is False, "the first counts"
    assert Terminal(80, False, answers("32", "7")).ask(1, 5, TYPED) is False
    assert "The answer is 5." in capsys.readouterr().out


def test_letters_select_a_choice(capsys: Capture) -> None:
    assert Terminal(80, False, answers("x", "9", "thread 2", "B")).ask(1, 5, CHOSEN) is True
    said = capsys.readouterr().out
    assert said.count("please answer with a to c") == 3 and "b)  thread 2" in said
    assert Terminal(80, False, answers("q")).ask(1, 5, CHOSEN) is None


def test_key_is_hidden_until_certain(capsys: Capture) -> None:
    assert Terminal(80, False, answers("5")).ask(1, 5, TYPED, lambda: False) is None

    def does_not_build() -> bool:
        raise NoQuestionsError("the file does not build")

    with pytest.raises(NoQuestionsError):
        Terminal(80, False, answers("32")).ask(1, 5, TYPED, does_not_build)
    said = capsys.readouterr().out
    assert "is withdrawn" in said
    assert not any(word in said for word in ("Right", "Not 32", "Sectors 1"))


def test_missing_or_undecodable_input_leaves_quietly(capsys: Capture) -> None:
    failures = [UnicodeDecodeError("utf-8", b"\xff", 0, 1, "?"), RuntimeError("lost sys.stdin")]

    def read(_: str) -> str:
        raise failures.pop(0)

    closed = Terminal(80, False, read)
    assert closed.ask(1, 5, CHOSEN) is None and closed.has_left and failures == []
    assert "please answer with a to c" in capsys.readouterr().out


def test_wrong_answers_return_and_list_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    tiny_course.make(tmp_path, monkeypatch)
    record = understood.read_understood("lab9")
    record.note("A", "sectors", right=False)
    record.note("A", "writer", right=True)
    assert record.again("A") == ["sectors"] and record.again("B") == []
    assert understood.keep(record) is None
    kept = understood.read_understood("lab9")
    assert kept == record and kept.asked("A") == 2
    assert tiny_course.call(monkeypatch, "list") == 0
    assert "lab9 1 of 2" in capsys.readouterr().out
    kept.note("A", "sectors", right=True)
    assert kept.again("A") == [] and kept.words() == "2 of 2"
    for damage in (b"", b"{", b'{"schema": "other"}', b'{"schema": "convlabs-understood/v1"}'):
        (paths.PROGRESS / "lab9.ask.json").write_bytes(damage)
        assert understood.read_understood("lab9").answered == []


def test_wrong_choices_never_equal_the_key() -> None:
    mistakes: list[tuple[int | str, str]] = [
        (4, "the same"),
        (-1, "no number of things"),
        (2, "one"),
        (2, "other"),
    ]
    draft = Draft(0, "?", 4, lambda: 4, "", mistakes)
    assert draft.wrong() == {"2": "one", "5": ENDS, "3": ENDS}


def test_any_wrong_number_gets_a_hint(capsys: Capture) -> None:
    question = msgspec.structs.replace(TYPED.question, kind="any")
    for given, hint in (("32", "one for each lane"), ("977", "count the sectors")):
        key = msgspec.structs.replace(TYPED.key, otherwise="count the sectors")
        Terminal(80, False, answers(given, "q")).ask(1, 5, Asked(question, key))
        assert f"Not {given}: {hint}." in capsys.readouterr().out
