"""Links from the report to the handout's section about a mistake."""

import re
from pathlib import Path

import msgspec
import pytest

from grader.model.result import Check
from grader.render import handout, html
from grader.tests.render import reports

MARKDOWN = """# Mistakes
<a id="mistake-apron-missing"></a> a
<a name='mistake-shifted'></a> b
`mistake-mask-flipped` is a word, and [a link](#mistake-loop-bound) is none
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A folder with a space and an umlaut in its name, as a student may have."""
    root = tmp_path / "my löbs"
    (root / "handouts").mkdir(parents=True)
    (root / "handouts" / "mistakes.md").write_text(MARKDOWN, encoding="utf-8")
    return root


def built(course: Path, text: str) -> None:
    site = course / "build" / "handouts" / "site"
    site.mkdir(parents=True)
    (site / "mistakes.html").write_text(text)


@pytest.mark.parametrize("mistake", ["apron-missing", "shifted"])
def test_without_a_site_the_link_leads_to_the_markdown(course: Path, mistake: str) -> None:
    found = handout.section(mistake, True, course)
    assert found and found.page == "handouts/mistakes.md"
    assert found.address == (
        f"{(course / 'handouts').as_uri()}/mistakes.md#mistake-{mistake}"
    ) and not re.search(r"[ ö]", found.address)


def test_with_a_site_the_link_leads_there(course: Path) -> None:
    built(course, '<p id="mistake-apron-missing">')
    found = handout.section("apron-missing", True, course)
    assert found and found.address.endswith("/site/mistakes.html#mistake-apron-missing")


def test_a_site_made_before_the_section_was_written_is_left_aside(course: Path) -> None:
    built(course, '<p id="mistake-other">')
    found = handout.section("apron-missing", True, course)
    assert found and found.address.endswith("/handouts/mistakes.md#mistake-apron-missing")


def test_a_reader_elsewhere_gets_no_link_and_no_folder_of_this_machine(course: Path) -> None:
    found = handout.section("apron-missing", False, course)
    assert found == handout.Section("apron-missing", "handouts/mistakes.md", "")


@pytest.mark.parametrize(
    "mistake",
    [None, "", "mask-flipped", "loop-bound", "apron", "../lab4", "apron.missing", 'x"><script>'],
)
def test_mistake_absent_from_the_handout_gets_no_section(course: Path, mistake: str | None) -> None:
    assert handout.section(mistake, True, course) is None


def test_a_copy_without_the_page_gets_no_section(course: Path) -> None:
    page = course / "handouts" / "mistakes.md"
    page.unlink()
    assert handout.section("apron-missing", True, course) is None
    page.mkdir()
    assert handout.section("apron-missing", True, course) is None


def test_the_report_shows_it(monkeypatch: pytest.MonkeyPatch, course: Path) -> None:
    grade, evidence = reports.slow("lab4")
    wrong = Check(
        "lab4/A/x", "x", "correct", "fail", message=["m"], part="A", diagnosis="apron-missing"
    )
    grade = msgspec.structs.replace(grade, checks=[*grade.checks, wrong])
    real = handout.section
    monkeypatch.setattr(handout, "section", lambda mistake, here: real(mistake, here, course))
    here, elsewhere = html.page(grade, evidence, True), html.page(grade, evidence)
    links = re.findall(r'<a href="(file:[^"]*)">apron-missing in the handout</a>', here)
    assert links == [(course / "handouts" / "mistakes.md").as_uri() + "#mistake-apron-missing"]
    assert "<code>apron-missing</code> in <code>handouts/mistakes.md</code>" in elsewhere
    assert 'href="file:' not in elsewhere and course.name not in elsewhere
