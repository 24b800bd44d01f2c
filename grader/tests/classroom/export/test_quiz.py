"""Questions for a learning management system come back as they were; a page for an oral exam."""

import contextlib
import html
import io
import os
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree as Xml

import msgspec
import pytest

from grader.ask import sheet
from grader.ask.quiz import Tally
from grader.classroom import export as exports
from grader.classroom.bulk import questions, quizzes
from grader.classroom.bulk.database import OWN_FOLDER
from grader.classroom.commands import bulk
from grader.classroom.export import grades, publish, quiz, sheets
from grader.model import spec
from grader.model.question import Asked, Key, Question, QuizKeys
from grader.model.submission import Submission
from grader.tests import captured, tiny_course
from grader.tests.classroom.export import runs

HOSTILE = 'Anna/<b>&]]>\x00 "O\'Neil"'
LINE = 'a[i] = "<x>" && b; // ]]>'
TYPED = Asked(
    Question("lab2-A-sectors-1", "sectors", "lab2", "A", "x.cu", 2, LINE, "How many < 9 & why?",
             ["4", "5", "32"], True),
    Key("lab2-A-sectors-1", "5", "1 < 2 & 3", {"4": "rounded", "32": "<lanes>"}),
)  # fmt: skip
CHOSEN = Asked(
    Question("lab2-A-writer-2", "writer", "lab2", "A", "x.cu", 0, "", "Which?",
             ["thread (1, 2)", "<thread> 2", "c"], False),
    Key("lab2-A-writer-2", "<thread> 2", "because", {"thread (1, 2)": "x", "c": "y"}),
)  # fmt: skip
MADE = [QuizKeys("lab2", HOSTILE, {}, [TYPED, CHOSEN]), QuizKeys("lab2", "Bo", {}, [TYPED])]


def plain(markup: str | None) -> str:
    return "".join(Xml.fromstring(f"<d>{markup or ''}</d>").itertext())


def test_moodle_gets_each_question_with_its_key() -> None:
    ((name, data),) = quiz.moodle_xml(MADE)
    root = Xml.fromstring(data)
    assert name == "quiz.xml" and root.tag == "quiz"
    kinds = [question.get("type") for question in root]
    assert kinds == ["category", "numerical", "multichoice", "category", "numerical"]
    place = root[0].findtext("category/text") or ""
    assert place.startswith("$course$/top/convlabs/lab2/Anna//<b>&") and "\x00" not in place
    for element, asked in zip((root[1], root[2]), (TYPED, CHOSEN), strict=True):
        shown = Xml.fromstring(f"<d>{element.findtext('questiontext/text')}</d>")
        assert shown.findtext("p") == asked.question.text
        answers = {
            plain(a.findtext("text")): (a.get("fraction"), plain(a.findtext("feedback/text")))
            for a in element.findall("answer")
        }
        assert [*answers] == asked.question.options
        for option, (fraction, why) in answers.items():
            assert fraction == ("100" if option == asked.key.answer else "0")
            assert why == asked.key.mistakes.get(option, "")


def test_qti_gets_each_question_with_its_key() -> None:
    ((name, data),) = quiz.qti(MADE)
    assert name == "quiz.zip"
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        names = {"m": quiz.PACKAGE}
        manifest = Xml.fromstring(package.read("imsmanifest.xml"))
        paths = [r.get("href") or "" for r in manifest.findall(".//m:resource", names)]
        assert sorted([*paths, "imsmanifest.xml"]) == sorted(package.namelist())
        assert len(paths) == 3 and not any(".." in p or " " in p or "<" in p for p in paths)
        items = [Xml.fromstring(package.read(path)) for path in paths]
    q = {"q": quiz.QTI}
    typed, chosen = items[0], items[1]
    assert typed.findtext(".//q:correctResponse/q:value", namespaces=q) == "5"
    assert LINE in (typed.findtext(".//q:pre", namespaces=q) or "")
    choices = {
        c.get("identifier"): c.text for c in chosen.findall(".//q:simpleChoice", namespaces=q)
    }
    right = chosen.findtext(".//q:correctResponse/q:value", namespaces=q)
    assert choices[right] == CHOSEN.key.answer and list(choices.values()) == CHOSEN.question.options
    assert chosen.findtext(".//q:prompt", namespaces=q) == "Which?"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_another_program_reads_the_items() -> None:
    """build/venv/bin/python -m pip install pyslet: an implementation of QTI 2.1. Its last release
    is of 2017, so it is in no lock file."""
    documents = pytest.importorskip("pyslet.qtiv2.xml")
    ((_, data),) = quiz.qti(MADE)
    read = []
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for path in sorted(package.namelist())[1:]:
            document = documents.QTIDocument()
            document.read_from_stream(package.open(path))
            item = document.root
            right = item.declarations["RESPONSE"].get_correct_value().value
            body = [type(each).__name__ for each in item.ItemBody.get_children()]
            choices = {
                c.identifier: "".join(map(str, c.get_children()))
                for c in item.find_children_depth_first(documents.interactions.SimpleChoice)
            }
            read.append((item.title, choices.get(right, right), body))
    assert sorted(read) == sorted(
        [(a.question.id, a.key.answer if a is CHOSEN else 5, body) for a, body in (
            (TYPED, ["Pre", "P"]), (CHOSEN, ["ChoiceInteraction"]), (TYPED, ["Pre", "P"]))],
    )  # fmt: skip


@pytest.mark.skipif("CONVLABS_QTI_SCHEMAS" not in os.environ, reason="needs 1EdTech's schemas")
def test_the_package_is_valid(tmp_path: Path) -> None:
    """CONVLABS_QTI_SCHEMAS: a folder with imsqti_v2p1.xsd, imscp_v1p1.xsd and what they import."""
    ((_, data),) = quiz.qti(MADE)
    zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path)
    manifest, *items = sorted(tmp_path.rglob("*.xml"), key=lambda f: f.name != "imsmanifest.xml")
    broken = tmp_path / "broken.xml"
    broken.write_bytes(items[0].read_bytes().replace(b"itemBody", b"itemBodies"))

    def rejected(name: str, *files: Path) -> str:
        (schema,) = Path(os.environ["CONVLABS_QTI_SCHEMAS"]).rglob(name)
        return captured.run(["xmllint", "--noout", "--schema", schema, *files]).stderr

    for name, good in (("imsqti_v2p1.xsd", items), ("imscp_v1p1.xsd", [manifest])):
        said = rejected(name, *good, broken).splitlines()
        assert [line.rpartition(" ")[2] for line in said[: len(good)]] == ["validates"] * len(good)
        assert said[-1] == f"{broken} fails to validate"


def test_another_program_reads_the_questions_for_moodle() -> None:
    """moodle-xml-parser knows multiple choice alone."""
    parser = import_module("moodle_xml_parser.parser")
    ((_, data),) = quiz.moodle_xml(MADE)
    (read,) = parser.parse_bytes(data)["multichoice"]
    assert (read.name, read.text_pre_parse) == (CHOSEN.question.id, "<p>Which?</p>")
    found = {option.answer: (option.score_fraction, option.feedback) for option in read.options}
    key = CHOSEN.key
    assert found == {key.answer: (100, ""), **{o: (0, why) for o, why in key.mistakes.items()}}
    assert read.single and read.general_feedback == key.why


def test_a_sheet_has_the_code_the_questions_and_the_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_course.make(tmp_path, monkeypatch)
    given = tiny_course.submission()
    submission = Submission(given.lab, given.folder, ".", {"add.c": f"1\n{LINE}\n3\n".encode()}, [])
    asked = Asked(
        Question("q", "sectors", "lab9", "A", "./add.c", 2, LINE, "How many?", ["4", "5"], True),
        Key("q", "5", "<why>", {"4": "x"}),
    )
    one = sheet.of(submission, [asked, CHOSEN])
    page = sheet.html([one], keys=True).decode()
    assert "<b>   2  a[i] = &#34;&lt;x&gt;&#34; &amp;&amp; b; // ]]&gt;</b>" in page
    assert "<strong>5</strong>" in page and "&lt;why&gt;" in page and "<li>c</li>" in page
    blank = sheet.html([one, one], keys=False).decode()
    assert blank.count("<main>") == 2 and blank.count("<li>c</li>") == 2 and "Marks" in blank
    assert "&lt;why&gt;" not in blank and "<strong>" not in blank and CHOSEN.key.why not in blank
    pytest.importorskip("typst")
    assert sheet.pdf([one], keys=True).startswith(b"%PDF")
    assert sheet.pdf([one, one], keys=False).startswith(b"%PDF")


def test_the_sheets_of_a_class_name_each_student_and_keep_the_keys_apart(tmp_path: Path) -> None:
    store = runs.make(tmp_path / "run")
    row = next(row for row in store.rows() if row.student == runs.GRADED.lms)
    made = QuizKeys("lab3", row.student, {}, [CHOSEN])
    store.keep_setting(questions.setting(row), msgspec.json.encode(made))
    shared = next(row for row in store.rows() if row.student == "team")
    made = QuizKeys("lab3", "team", {}, [CHOSEN])
    store.keep_setting(questions.setting(shared), msgspec.json.encode(made))
    written = {name: data for name, data in sheets.render(store) if name.endswith(".html")}
    assert set(written) == {"lab3.html", "lab3-keys.html"}
    blank, keys = written["lab3.html"].decode(), written["lab3-keys.html"].decode()
    for text in (blank, keys):
        assert runs.GRADED.name in text and all(member.name in text for member in runs.MEMBERS)
    assert CHOSEN.key.why not in blank and html.escape(CHOSEN.key.why) not in blank
    store.close()


class Drawn:
    """In place of a quiz: two questions, whose names hold the seed."""

    tally = Tally(withheld=["sectors: x"])

    def __init__(self, seed: str) -> None:
        self.seed = seed

    def questions(self) -> Iterator[Asked]:
        for number in range(9):
            name = f"{self.seed[:9]}-{number}"
            yield Asked(
                msgspec.structs.replace(TYPED.question, id=name),
                msgspec.structs.replace(TYPED.key, id=name),
            )


def test_a_class_gets_questions_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn: list[str] = []

    @contextlib.contextmanager
    def fake(_submission: Submission, _part: str, seed: str) -> Iterator[Drawn]:
        drawn.append(seed)
        yield Drawn(seed)

    monkeypatch.setattr(quizzes, "quiz", fake)
    with contextlib.closing(runs.make(tmp_path / "run")) as store:
        made = list(quizzes.make(store, [spec.load("lab3")], 3))
        assert [len(each.asked) for each in made] == [3] * len(made) and len(made) == 4
        assert len(set(drawn)) == 4, "one seed a student"
        before = len(drawn)
        assert list(quizzes.make(store, [spec.load("lab3")], 3)) == made, "the files are the same"
        assert len(drawn) == before and questions.kept(store, "lab3") == made
        secret = store.setting(quizzes.SEED)
        bulk._ask(store, [spec.load("lab3")], 20)  # there are 9 for each of two parts
        said = capsys.readouterr().err
        assert "read these programs yourself: fewer than 20 questions: 9017, " in said
        bulk._ask(store, [spec.load("lab3")], 18)
        assert "fewer" not in capsys.readouterr().err
        made = questions.kept(store, "lab3")
    with contextlib.closing(runs.make(tmp_path / "other")) as store:
        other = list(quizzes.make(store, [spec.load("lab3")], 3))
        assert store.setting(quizzes.SEED) != secret
        assert other[0].asked[0].question.id != made[0].asked[0].question.id
    out = tmp_path / "quiz.xml"
    arguments = ["export", str(tmp_path / "run"), "--format", "moodle-xml", "--out", str(out)]
    assert tiny_course.call(monkeypatch, *arguments) == 0
    assert "contains answer keys" in capsys.readouterr().err
    assert len(Xml.parse(out).getroot().findall("question[@type='numerical']")) == 4 * 18
    assert tiny_course.call(monkeypatch, *arguments, "--lab", "lab1") == 2
    assert "has no questions" in capsys.readouterr().err


def test_only_answer_formats_contain_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else a run writes may get to students: its pages, tables, zips."""
    run = tmp_path / "run"
    with contextlib.closing(runs.make(run)) as store:
        made = QuizKeys("lab3", runs.GRADED.lms, {}, [CHOSEN])
        store.keep_setting(f"quiz lab3 {runs.GRADED.lms}", msgspec.json.encode(made))
        questions.keep(store, {CHOSEN.question.id: "c"})
        publish.write(grades.of(store))
    for form in (*exports.FOLDERS, *exports.WHOLE):
        assert tiny_course.call(monkeypatch, "export", str(run), "--format", form) == 0
    assert tiny_course.call(monkeypatch, "report", str(run)) == 0
    secrets = [CHOSEN.question.id.encode(), b"thread&gt; 2"]
    found = [f for f in run.rglob("*") if f.is_file() and OWN_FOLDER not in f.parts]
    texts = [text for file in found for text in contents(file)]
    assert len(texts) >= 12 and not any(secret in text for secret in secrets for text in texts)
    for form in quiz.FORMATS:
        out = tmp_path / form
        tiny_course.call(monkeypatch, "export", str(run), "--format", form, "--out", str(out))
        assert any(secrets[0] in text for text in contents(out)), form


def contents(file: Path) -> list[bytes]:
    """What is in a file, or in the files of a zip."""
    if not zipfile.is_zipfile(file):
        return [file.read_bytes()]
    with zipfile.ZipFile(file) as package:
        return [package.read(name) for name in package.namelist()]
