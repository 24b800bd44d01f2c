"""The class page as a file: links, hostile texts, pseudonyms, size and time."""

import html
import re
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from grader import paths
from grader.classroom.bulk import class_records, names
from grader.classroom.bulk.store import Store
from grader.classroom.course import students
from grader.classroom.course.student_id import of_name as id_of
from grader.classroom.export import grades, publish
from grader.classroom.page import page
from grader.tests import captured, fences
from grader.tests.classroom.page import synthetic

COUNT = 40  # every odd name, and some groups


class Links(HTMLParser):
    """The addresses, the ids and the tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.ids: list[str] = []
        self.tags: dict[str, int] = {}
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src", "xlink:href"):
                self.hrefs.append(value or "")
            if name == "id":
                self.ids.append(value or "")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class") / "run"
    store = Store(folder, resume=False)
    synthetic.fill(store, ["lab1", "lab4"], COUNT)
    publish.write(grades.of(store))
    store.close()
    return folder


def made(run: Path, pseudonyms: bool = False, folder: Path | None = None) -> str:
    store = Store(run, resume=True)
    try:
        return page.page(store, folder or run, pseudonyms)
    finally:
        store.close()


def test_every_link_leads_to_a_report_or_to_a_place_on_the_page(run: Path, tmp_path: Path) -> None:
    for folder in (run, run.parent, tmp_path):
        links = Links(made(run, folder=folder))
        files = [href for href in links.hrefs if not href.startswith(("#", "data:"))]
        reports = [(folder / unquote(href)).resolve() for href in files]
        assert all(report.is_file() and run.resolve() in report.parents for report in reports)
        assert len({report for report in reports if report.name == "report.html"}) > 60
        assert {h[1:] for h in links.hrefs if h.startswith("#")} <= {*links.ids}
        assert len(links.ids) == len({*links.ids})


def test_every_student_has_a_row_and_an_anchor(run: Path) -> None:
    text = made(run)
    table = text[text.index('id="students-table"') :]
    store = Store(run, resume=True)
    everybody = students.students(store.submissions(), class_records.rules(store))
    store.close()
    assert table.count('<tr id="s-') == len(everybody) > COUNT
    for name in synthetic.SCRIPTS:
        assert f"<bdi>{name}</bdi>" in table


def test_hostile_names_are_text(run: Path) -> None:
    text = made(run)
    links = Links(text)
    assert links.tags["script"] == links.tags["style"] == 1 and "img" not in links.tags
    assert not [name for name in links.attributes if name.startswith("on")]
    assert html.escape("<script>alert(1)</script>") in text
    assert not [href for href in links.hrefs if ":" in href.split("/")[0] and href != "data:,"]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b]", text)
    assert "{{ 7 * 7 }}" in html.unescape(text)


def test_what_programs_say_is_fenced(run: Path) -> None:
    """For a model that reads the page: messages and logs."""
    text = fences.shown(made(run))
    said = [line for line in synthetic.MISTAKES.values() if line in text]
    assert said and not any(line in fences.outside(text) for line in said)


def test_page_is_reproducible(run: Path) -> None:
    assert made(run) == made(run)
    assert made(run, pseudonyms=True) == made(run, pseudonyms=True)


def test_points_that_need_a_gpu_are_not_lost(run: Path) -> None:
    text = made(run)
    assert "15 points\n need a GPU" in text or "15 points need a GPU" in text
    assert ">85/100<" not in text


# ---------------------------------------------------------------- pseudonyms


def test_a_page_with_pseudonyms_has_no_name(run: Path) -> None:
    text = html.unescape(made(run, pseudonyms=True))
    page_text = unquote(text).casefold()
    store = Store(run, resume=True)
    everybody = students.students(store.submissions(), class_records.rules(store))
    store.close()
    for student in everybody:
        for name in {*student.names(), *(s.student for s in student.submissions)}:
            assert name.casefold() not in page_text, name
            assert id_of(name).casefold() not in page_text, name
    assert "showed it on paper" in text and names.INSTEAD in text  # the name in the reason went
    links = Links(text)
    assert [h for h in links.hrefs if not h.startswith(("#", "data:"))] == []


def test_pseudonyms_do_not_follow_the_order_of_names(run: Path) -> None:
    text = made(run, pseudonyms=True)
    rows = re.findall(r'<tr id="s-(\w+)"', text)
    assert rows == sorted(rows) and len(rows) > COUNT


def test_pseudonyms_are_stable_within_a_run_and_differ_between_runs(
    run: Path, tmp_path: Path
) -> None:
    def rows(folder: Path) -> list[str]:
        return re.findall(r'<tr id="s-(\w+)"', made(folder, pseudonyms=True))

    first = rows(run)
    store = Store(tmp_path / "run", resume=False)
    synthetic.fill(store, ["lab1"], COUNT)
    store.close()
    other = rows(tmp_path / "run")
    assert len(other) == len(first) and not {*other} & {*first}
    store = Store(tmp_path / "run", resume=True)
    key = store.setting(names.SETTING)
    store.close()
    assert len(key) == 32 and rows(tmp_path / "run") == other


# ---------------------------------------------------------------- the command


def grade(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", "report", *map(str, arguments)]
    return captured.run(command, cwd=paths.ROOT)


@pytest.mark.slow("a page of a class with its charts")
def test_command_writes_pages_with_names_and_pseudonyms(run: Path, tmp_path: Path) -> None:
    done = grade(run)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"class page: {run / 'class.html'}\n"
    assert grade(run, "--pseudonyms").returncode == 0
    elsewhere = tmp_path / "page.html"
    assert grade(run, "--pseudonyms", "--out", elsewhere).returncode == 0
    assert elsewhere.read_bytes() == (run / "class-pseudonyms.html").read_bytes()
    assert elsewhere.read_bytes() != (run / "class.html").read_bytes()


@pytest.mark.slow("a page of a class with its charts")
def test_command_explains_errors(run: Path, tmp_path: Path) -> None:
    for arguments, said in (
        ((tmp_path / "none",), "does not exist"),
        ((run, "--out", tmp_path), "cannot be written: name a file"),
        ((run, "--out", tmp_path / "no" / "page.html"), "cannot be written: name a file"),
    ):
        done = grade(*arguments)
        assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    empty = Store(tmp_path / "empty", resume=False)
    empty.close()
    assert grade(tmp_path / "empty").returncode == 0  # a page that says that there is nothing


@pytest.mark.slow("a page of a class with its charts")
def test_a_class_of_300_is_quick_and_small(tmp_path: Path) -> None:
    store = Store(tmp_path / "run", resume=False)
    synthetic.fill(store, [f"lab{n}" for n in range(1, 9)], 300)
    began = time.process_time()
    text = page.page(store, store.folder, pseudonyms=False)
    taken = time.process_time() - began
    store.close()
    assert taken < 10 and len(text.encode()) < 3_000_000
