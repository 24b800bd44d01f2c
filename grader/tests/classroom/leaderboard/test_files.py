"""The leaderboard's files: what they hold, what they never hold, and how they are written."""

import csv
import io
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from playwright.sync_api import Browser

from grader.classroom.export import grades as grading
from grader.classroom.export import gradescope, publish
from grader.classroom.leaderboard import document, page
from grader.classroom.leaderboard.standings import Board, Line, Standings
from grader.model.leaderboard import Leaderboard, Scored
from grader.schema import write
from grader.tests.classroom.export.test_killed_and_full import grade
from grader.tests.classroom.leaderboard import classes
from grader.tests.classroom.leaderboard.classes import ON, One, made
from grader.tests.render import accessibility, browser

NAMES = ("leaderboard.html", "leaderboard.csv", "leaderboard.json")
CLASS = [One("Quiet Tiger", (200, 400)), One("Auk", (100, None)), One(None), One("=cmd")]
HOSTILE = '=HYPERLINK("x")<img src=x onerror=alert(1)>\u202e\x1b[31m\n"\''


def contents(run: Path) -> dict[str, bytes]:
    return {name: (run / name).read_bytes() for name in NAMES}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    store = made(tmp_path / "run", ON, CLASS)
    publish.write(store)
    store.close()
    return tmp_path / "run"


def test_the_three_files_say_the_same(run: Path) -> None:
    table = list(csv.DictReader(io.StringIO((run / "leaderboard.csv").read_text())))
    whole = {row["pseudonym"]: row for row in table if not row["check"]}
    found = json.loads((run / "leaderboard.json").read_text())
    jsonschema.validate(found, write.schema("convlabs-leaderboard/v1"))
    places = {place["pseudonym"]: place for place in found["labs"][0]["places"]}
    assert list(whole) == list(places) == ["Quiet Tiger", "Auk"]
    assert (whole["Quiet Tiger"]["rank"], whole["Quiet Tiger"]["score"]) == ("1", "0.3500")
    assert (places["Quiet Tiger"]["rank"], places["Quiet Tiger"]["score"]) == (1, 0.35)
    assert whole["Auk"]["rank"] == "" and places["Auk"]["rank"] is None
    assert len(places["Auk"]["checks"]) == 1
    html = (run / "leaderboard.html").read_text()
    assert "Quiet Tiger" in html and "<strong>0.35</strong>" in html and "no score" in html


def test_no_file_says_who_they_are_or_when_it_was(run: Path) -> None:
    text = b"".join(contents(run).values()).decode().partition("</style>")[2].casefold()
    for number in range(len(CLASS)):
        person = classes.person(number)
        for secret in (
            *person.identifiers(),
            *person.name.split(),
            f"{700 + number}",
            f"key {number}",
        ):
            assert secret.casefold() not in text, secret
    assert "cmd" not in text and "2026" not in text and "utc" not in text


def test_the_same_class_gives_the_same_bytes(run: Path, tmp_path: Path) -> None:
    before = contents(run)
    dates = [(run / name).stat().st_mtime_ns for name in NAMES]
    store = made(tmp_path / "other", ON, CLASS)
    publish.write(store)
    store.close()
    assert contents(tmp_path / "other") == before
    again = grade("override", run, "702", "lab3", "1", "--why", "x")
    assert again.returncode == 0, again.stderr
    assert [(run / name).stat().st_mtime_ns for name in NAMES] == dates, "nothing has changed"


def test_nobody_takes_part(tmp_path: Path) -> None:
    store = made(tmp_path / "run", ON, [One(None)])
    publish.write(store)
    store.close()
    found = contents(tmp_path / "run")
    assert b"There are no participants yet" in found["leaderboard.html"]
    assert found["leaderboard.csv"].count(b"\n") == 1
    assert json.loads(found["leaderboard.json"])["labs"][0]["places"] == []


def test_a_course_without_one_has_no_files_and_no_notes(tmp_path: Path) -> None:
    store = made(tmp_path / "run", b"", CLASS)
    publish.write(store)
    store.close()
    assert not any((tmp_path / "run" / name).exists() for name in NAMES)
    assert "leaderboard" not in (tmp_path / "run" / "700" / "lab3" / "feedback.txt").read_text()


def test_a_students_feedback_says_whether_they_are_on_it(run: Path) -> None:
    def feedback(student: str) -> str:
        return (run / student / "lab3" / "feedback.txt").read_text()

    assert "on the leaderboard of lab3 as Quiet Tiger" in feedback("700")
    assert "leaderboard" not in feedback("702")
    assert "not on the leaderboard of lab3: leaderboard.txt may have letters" in feedback("703")


def test_what_is_not_trusted_is_harmless_even_if_a_rule_lets_it_through() -> None:
    """The rules for pseudonyms are one wall; each file is another."""
    scored = Scored("lab3/A/x", "A", HOSTILE, 0.5, 0.4, 0.6, 200, 100, "memory")
    line = Line(HOSTILE, Leaderboard(0.5, 0.4, 0.6, [scored]), 1)
    standing = Standings((Board("lab3", HOSTILE, (("lab3/A/x", "A", HOSTILE),), (line,)),))
    html = page.page(standing, HOSTILE)
    tags: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append(tag)
            assert not [name for name, _ in attrs if name.startswith("on")]

    Tags().feed(html)
    assert "img" not in tags and "script" not in tags
    assert "\u202e" not in html and "\x1b" not in html
    for row in list(csv.reader(io.StringIO(document.to_csv(standing).decode())))[1:]:
        assert all(cell.isprintable() and not cell.startswith("=") for cell in row)
    assert json.loads(document.to_json(standing))["labs"][0]["places"][0]["pseudonym"] == HOSTILE


def test_a_run_that_is_killed_while_it_publishes_is_completed_by_the_next(run: Path) -> None:
    whole = contents(run)
    for name in NAMES:
        (run / name).unlink()
    command: list[str | Path] = ["override", run, "702", "lab3", "3", "--why", "x"]
    found = []
    for step in range(60):
        done = grade(*command, killed_at=step)
        found.append({name: (run / name).read_bytes() for name in NAMES if (run / name).exists()})
        assert all(whole[name] == data for name, data in found[-1].items()), "none is half written"
        if done.returncode == 0:
            break
    assert contents(run) == whole and any(0 < len(each) < len(NAMES) for each in found)


def test_gradescope_gets_the_scores_of_who_takes_part(tmp_path: Path) -> None:
    store = made(tmp_path / "run", ON, CLASS)
    documents = {
        path: json.loads(data)
        for path, data in gradescope.render(grading.of(store))
        if path.endswith("results.json")
    }
    assert documents["700/lab3/results.json"]["leaderboard"] == [
        {"name": "lab3 score", "value": 0.35, "order": "desc"},
        {"name": "lab3 A  speed of A", "value": 0.5, "order": "desc"},
        {"name": "lab3 B  speed of B", "value": 0.25, "order": "desc"},
    ]
    assert [e["name"] for e in documents["701/lab3/results.json"]["leaderboard"]] == [
        "lab3 A  speed of A"
    ]
    assert "leaderboard" not in documents["702/lab3/results.json"]
    assert "leaderboard" not in documents["703/lab3/results.json"], "the pseudonym was refused"
    both = [documents["700/lab3/results.json"], documents["702/lab3/results.json"]]
    assert len(gradescope.together(both)["leaderboard"]) == 3
    assert "leaderboard" not in gradescope.together(both[1:])
    store.close()
    off = made(tmp_path / "off", b"", CLASS)
    assert not any(b'"leaderboard"' in data for _, data in gradescope.render(grading.of(off)))
    off.close()


# ---------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.browser_or_skip() as running:
        yield running


@pytest.mark.parametrize(("width", "dark"), [(1100, False), (1100, True), (360, False)])
def test_the_page_can_be_read_by_all(run: Path, chromium: Browser, width: int, dark: bool) -> None:
    messages, requests = browser.messages_and_requests(chromium, run / "leaderboard.html")
    assert not messages and len(requests) == 1
    opened = browser.opened(chromium, run / "leaderboard.html", width=width, dark=dark)
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    accessibility.check_structure(opened)
    assert opened.evaluate(accessibility.CONTRAST) == []
    opened.context.close()
