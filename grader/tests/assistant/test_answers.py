"""What a model reads: stages of hints, fences, counters of a line, verdicts of answers."""

from pathlib import Path

import pytest

from grader import paths
from grader.assistant import own, texts
from grader.assistant.conversation import Conversation, Open
from grader.assistant.messages import Counted, Graded, Message
from grader.commands.errors import UsageError
from grader.model import outline
from grader.model.counters import Counters
from grader.model.question import Asked, Key, Question
from grader.model.result import Check, GradedFile
from grader.model.score import Score
from grader.session.plan import matching
from grader.student import grade_log
from grader.tests import fences, tiny_course
from grader.tests.made_results import made
from grader.tests.render import reports


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return tiny_course.make(tmp_path, monkeypatch)


def asked(conversation: Conversation, name: str, **arguments: object) -> str:
    answer = conversation.begin(name, {"lab": "lab9", **arguments})
    assert isinstance(answer, list)
    return "\n".join(answer)


def grade() -> None:
    assert grade_log.append(tiny_course.submission(), tiny_course.graded(40)) is None


def test_hints_come_with_work(folder: Path) -> None:
    talk = Conversation()

    def hint(part: str = "A") -> str:
        return asked(talk, "hint", part=part).splitlines()[1]

    assert [hint(), hint("a")] == ["gentle A"] * 2
    grade()
    assert hint() == "gentle A", "the starter was graded, and nothing is done"
    for expected in ("middle A", "last A", "last A"):
        (folder / "add.c").write_text(f"{(folder / 'add.c').read_text()}int {expected[:3]};\n")
        assert hint() != expected or expected == "last A", "the change is not graded yet"
        grade()
        assert hint() == expected
        grade()
        assert hint() == expected, "the same file was graded again"
    assert hint("B") == "gentle B", "each part has stages of its own"
    about = [call.about for call in grade_log.read("lab9").calls]
    assert about[0] == "A 1" and about[-1] == "B 1" and "A 3" in about


def test_first_grade_of_a_changed_file_is_work(folder: Path) -> None:
    talk = Conversation()
    assert "gentle" in asked(talk, "hint", part="A")
    (folder / "add.c").write_text("int add(int a, int b) { return a; }\n")
    grade()
    assert "middle" in asked(talk, "hint", part="A")


def graded_by(*checks: Check, counted: tuple[Counted, ...] = ()) -> Conversation:
    own_file = own.submission("lab9")
    files = [GradedFile(own_file.path(n), own_file.digest(n)) for n in own_file.contents]
    result = made(
        "lab9", [*checks], Score(1, 2, 3), title="two sums", backend="cpu", files=files, exit_code=1
    )
    return Conversation(graded={"lab9": Graded(result, [*counted])})


@pytest.mark.usefixtures("folder")
def test_finding_is_chosen_by_name() -> None:
    talk = graded_by(
        Check("1", "sum of one", "correct", "fail", part="A", message=["it is 3"]),
        Check("2", "sum of two", "correct", "fail", part="A", message=["it is 4"]),
        Check("3", "compiles", "build", "pass"),
    )
    for name in ("sum of one", "A  sum of one", "A sum of one", "OF ONE"):
        assert "it is 3" in asked(talk, "finding", check=name)
    assert asked(talk, "finding", check="compiles").startswith("pass")
    for name in ("sum", "nothing", "\x1b[2J"):
        with pytest.raises(UsageError) as refusal:
            asked(talk, "finding", check=name)
        assert (
            "A sum of one; A sum of two" in f"{refusal.value}" and "\x1b" not in f"{refusal.value}"
        )


def test_stale_grade_is_named(folder: Path) -> None:
    talk = graded_by(Check("1", "sum", "correct", "fail", part="A", message=["it is 3"]))
    assert "has changed" not in asked(talk, "finding", check="sum")
    (folder / "add.c").write_text("int x;\n")
    assert asked(talk, "finding", check="sum").startswith("the file has changed")


@pytest.mark.usefixtures("folder")
def test_counters_of_a_line() -> None:
    loads, more = Counters(global_load_sectors=12345), Counters(shared_load_conflicts=7)
    talk = graded_by(
        counted=(
            Counted("few loads", "k", 0, "starter/lab9_sums/add.c", 7, loads),
            Counted("few stores", "k", 0, "starter/lab9_sums/add.c", 7, loads),
            Counted("few loads", "k2", 1, "starter/lab9_sums/add.c", 9, more),
        )
    )
    said = asked(talk, "counters", line=7)
    assert "32-byte sectors loaded from global memory: 12,345" in said
    assert said.count("12,345") == 1 and "few loads, few stores" in said
    assert "bank conflicts" in asked(talk, "counters", line=9)
    assert "these do: 7, 9" in asked(talk, "counters", line=8)
    assert "no line was counted" in asked(talk, "counters", line=7, file="sub.c")


def question(answer: str, typed: bool) -> Conversation:
    options = ["3", "4", "5"] if typed else ["up", "down", "left"]
    each = Question("x", "x", "lab9", "A", "add.c", 1, "int a;", "which?", options, typed)
    key = Key("x", answer, "because", {options[0]: "think of the other end"})
    return Conversation(questions={("lab9", "A"): Open(Asked(each, key))})


@pytest.mark.usefixtures("folder")
def test_answers_are_judged_and_the_key_is_kept() -> None:
    assert "because" in asked(question("4", typed=True), "ask", part="A", answer=" 04 ")
    assert asked(question("down", typed=False), "ask", part="A", answer="B").startswith("right")
    talk = question("down", typed=False)
    for misread in ("d", "sideways", "3"):
        with pytest.raises(UsageError, match="one of a, b, c"):
            asked(talk, "ask", part="A", answer=misread)
    with pytest.raises(UsageError, match="whole number"):
        asked(question("4", typed=True), "ask", part="A", answer="four")
    first = asked(talk, "ask", part="A", answer="up")
    assert first.startswith("not right; one more") and "other end" in first
    second = asked(talk, "ask", part="A", answer="left")
    assert "down" not in first + second and "./grade ask lab9 A" in second


def test_answer_of_a_right_grade_has_no_fence() -> None:
    """Nothing is quoted where nothing is said."""
    check = Check("1", "sum", "correct", "pass", 2, 2, part="A")
    result = made("lab9", [check], Score(2, 2, 3), title="x", backend="cpu", files=[], exit_code=0)
    assert texts.grade(result) == ["lab9, x: 2 of the 2 points measured", "checks: 1 pass"]
    assert Message(progress="x").is_outcome() is False


def test_only_the_own_folder_counts(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    with pytest.raises(UsageError, match="is a link out of starter/"):
        own.submission("lab9")
    folder.unlink()
    elsewhere.rename(folder)
    (tmp_path / "work").mkdir()
    paths.STARTER.rename(tmp_path / "work" / "starter")
    paths.STARTER.symlink_to(tmp_path / "work" / "starter")
    assert own.submission("lab9").contents, "all of starter/ may be kept elsewhere"


def test_predicted_times_are_told_with_speed() -> None:
    graded, _ = reports.predicted()
    said = "\n".join(texts.grade(graded))
    assert "pred  B" in said and "not measured" in said
    assert "not measured" not in fences.outside(said)


@pytest.mark.parametrize("lab_id", outline.available())
def test_each_check_is_found_by_its_name_and_stepped_alone(lab_id: str) -> None:
    lab = own.lab(lab_id)
    for check in lab.shown_checks():
        full = f"{check.part} {check.name}"
        assert own.check(lab, full) is check
        assert matching(lab, full)[0] is check, "of several, the first that failed is stepped"
