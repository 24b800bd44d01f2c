"""A class's answers to its questions: the table, the points by course.toml, the page."""

import contextlib
from pathlib import Path

import msgspec
import pytest

from grader.ask.catalogue import KINDS
from grader.classroom.bulk import class_records, questions
from grader.classroom.bulk.questions import AnswersError
from grader.classroom.bulk.store import Store
from grader.classroom.course.settings import Course
from grader.classroom.page import page
from grader.classroom.page import questions as figures
from grader.model.question import Asked, Key, Question, QuizKeys
from grader.tests.classroom.export import runs


def asked(name: str, kind: str = "sectors", typed: bool = True) -> Asked:
    answer = "5" if typed else "thread (1, 0)"
    question = Question(name, kind, "lab3", "A", "x.cu", 1, "", "?", [answer, "4", "7"], typed)
    return Asked(question, Key(name, answer, "because", {"4": "x"}))


def draw(store: Store, student: str, *made: Asked) -> None:
    row = next(r for r in store.rows() if (r.student, r.lab) == (student, "lab3"))
    quiz = QuizKeys("lab3", student, {}, list(made))
    store.keep_setting(questions.setting(row), msgspec.json.encode(quiz))


def test_a_table_of_answers_is_read() -> None:
    text = "\ufeffName, Question ,ANSWER\nAnna,q1,5\nAnna,q1,7\nBo,q2,\nBo,q3\n"
    found = questions.read(text.encode(), "a.csv")
    assert found == {"q1": "5", "q2": "", "q3": ""}, "the first answer counts"
    forged = "name,question,answer\n\x0bAnna\u2028x,q2,5\x85Anna,q1,4\n"  # breaks of Unicode alone
    assert questions.read(forged.encode(), "a.csv").keys() == {"q2"}
    for wrong, why in ((b"question;answer\n", "no column question"), (b"question\nq1\n", "answer"),
                       (b"", "no column"), (b"\xff\xfe", "not text in UTF-8"),
                       (b'question,answer\n"q1\n', "no whole CSV")):  # fmt: skip
        with pytest.raises(AnswersError, match=why):
            questions.read(wrong, "a.csv")


def test_numbers_accept_other_spellings_but_choices_do_not() -> None:
    assert all(questions.is_right(asked("q"), text) for text in ("5", "05", "5.0", "5e0"))
    assert not any(questions.is_right(asked("q"), text) for text in ("", "5 x", "nan", "50", "4"))
    choice = asked("q", typed=False)
    assert questions.is_right(choice, "thread (1, 0)")
    assert not questions.is_right(choice, "thread (1,0)") and not questions.is_right(choice, "1")


def test_points_only_where_the_course_says_so(tmp_path: Path) -> None:
    with contextlib.closing(runs.make(tmp_path / "run")) as store:
        one, late, by_hand = runs.GRADED.lms, runs.LATE_ONE.lms, runs.SET.lms
        for student in (one, late, by_hand, runs.ERROR.lms):
            draw(store, student, *(asked(f"{student}-{n}") for n in range(4)))
        rules = class_records.rules(store)
        worth = msgspec.structs.replace(rules, questions_percent=20)
        before = {f.student.id: f for f in class_records.finals(store, rules)}
        unanswered = {f.student.id: f for f in class_records.finals(store, worth)}
        assert unanswered == before, "nothing is known before the first answer"
        given = {f"{one}-{n}": "5" for n in range(3)} | {f"{late}-0": "4", "stranger": "5"}
        assert questions.keep(store, given) == ["stranger"]
        after = {f.student.id: f for f in class_records.finals(store, worth)}
        assert after[one].points == pytest.approx(0.8 * 60 + 0.2 * 85 * 3 / 4)
        assert after[one].why == "3 of 4 questions answered right, for 20 % of the points"
        assert after[late].points == pytest.approx(0.8 * (before[late].points or 0))
        assert after[late].why.startswith(before[late].why + "; 0 of 4 questions")
        assert after[by_hand].points == 70, "the instructor's word is the last"
        assert after[runs.ERROR.lms].points is None, "no grade is never 0"
        unasked = [f for f in after.values() if f.attempt and f.attempt.student == "team"]
        assert len(unasked) == 2 and all(f == before[f.student.id] for f in unasked)
        assert {f.student.id: f for f in class_records.finals(store, rules)} == before
        questions.keep(store, {f"{one}-3": "5", f"{one}-0": "7"})
        again = {f.student.id: f for f in class_records.finals(store, worth)}
        assert again[one].points == pytest.approx(0.8 * 60 + 0.2 * 85 * 3 / 4), "one right, one not"


def test_the_class_page_tells_how_each_kind_did_and_no_key(tmp_path: Path) -> None:
    with contextlib.closing(runs.make(tmp_path / "run")) as store:
        hidden = asked("q1", "writer", typed=False)
        draw(store, runs.GRADED.lms, hidden, asked("q2"), asked("q3"))
        draw(store, runs.LATE_ONE.lms, asked("q4"))
        questions.keep(store, {"q1": "4", "q2": "5", "q3": "7"})
        finals = [f for f in class_records.finals(store, Course()) if f.result]
        sectors, writer = figures.figures(store, finals, questions.answers(store))
        assert (sectors.asked, sectors.answered, sectors.right) == (3, 2, 0.5)
        assert (writer.asked, writer.answered, writer.right) == (1, 1, 0)
        assert sectors.discrimination is None, "too few"
        shown = page.page(store, tmp_path, pseudonyms=False)
        about = KINDS["sectors"].about
        assert "3 of 4 answered" in shown and f">{about}</th><td>3</td><td>2</td>" in shown
        assert hidden.key.answer not in shown and "because" not in shown
