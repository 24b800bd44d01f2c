"""The site of the handouts, made of small pages: links, contents, search, and each thing that its
check must find or accept."""

import json
import os
import re
import sys
from pathlib import Path

import pypdfium2
import pytest

from grader import paths
from grader.tests import captured
from grader.tests.handouts import small_handouts
from handouts.drawing.canvas import DARK, INK, Drawing
from handouts.site import __main__ as command
from handouts.site import check, columns, pandoc, pictures
from handouts.site.pandoc import PandocError
from handouts.site.tree import Element


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return small_handouts.course(tmp_path)


def test_links_lead_to_pages_and_name_files(course: Path) -> None:
    built, site = small_handouts.made(course)
    assert built.problems == []
    index, lab = (site / name for name in ("index.html", "lab1.html"))
    assert 'href="lab1.html#the-picture"' in index.read_text()
    text = lab.read_text()
    assert 'href="index.html">the index</a>' in text and 'href="#mistake-shifted"' in text
    assert '<code class="file">labs/lab.h</code>' in text and 'href="../labs' not in text
    assert "limits A" not in text and "<math" in text and "$$" not in text
    assert text.count('class="scroll formula"') == 2 and "<p>Two formulas:" in text
    assert "<th></th>" not in text and "<th>a</th>" in text
    assert '<td lang="ko">뱅크 충돌</td>' in text and '<td lang="ja">' in text
    assert ">A black box, twice as wide as high</figcaption>" in text
    assert 'width="40"' in text and (site / "figures" / "box.svg").exists()
    assert (site / "figures" / "mistakes" / "shifted.svg").exists()
    assert '<script src="interactive/main.js" defer>' in text
    assert "interactive/main.js" not in index.read_text()
    assert (site / "interactive" / "main.js").exists()


def test_repository_files_are_linked_when_the_address_is_known(course: Path) -> None:
    _, site = small_handouts.made(course, source="https://example.org/blob/main/")
    assert 'href="https://example.org/blob/main/labs/lab.h"' in (site / "lab1.html").read_text()


def test_previous_next_and_contents(course: Path) -> None:
    _, site = small_handouts.made(course)
    index, lab = ((site / name).read_text() for name in ("index.html", "lab1.html"))
    assert 'rel="next" href="lab1.html"' in index and 'rel="prev"' not in index
    assert 'rel="prev" href="index.html"' in lab and 'rel="next"' not in lab
    assert '<a href="lab1.html" aria-current="page">' in lab
    assert '<a href="#the-picture">The picture</a>' in lab


def test_the_index_of_the_search_has_each_section(course: Path) -> None:
    (course / "handouts" / "lab1.md").write_text("# A\n\none\n\n## B\n\ntwo `</script>`\n")
    (course / "handouts" / "README.md").write_text("# Handouts\n")
    _, site = small_handouts.made(course)
    script = (site / "search-index.js").read_text()
    assert script.startswith("window.convlabsSearchIndex = ") and "</script" not in script
    entries = json.loads(script.partition("= ")[2].rstrip(";\n").replace("<\\/", "</"))
    assert [(e["address"], e["heading"], e["text"]) for e in entries[1:]] == [
        ("lab1.html", "A", "one"),
        ("lab1.html#b", "B", "two </script>"),
    ]


def test_a_page_that_no_contents_name_is_found(course: Path) -> None:
    (course / "handouts" / "stray.md").write_text("# Stray\n")
    built, _ = small_handouts.made(course)
    assert [p for p in built.problems if "stray.md is in no group" in p]


def test_wrong_links_of_markdown_are_found(course: Path) -> None:
    page = course / "handouts" / "lab1.md"
    wrong = {
        "[x](lab9.md)": "handouts/lab1.md: the link lab9.md leads to no file",
        "[x](../../outside.md)": "handouts/lab1.md: the link ../../outside.md leads to no file",
        "[x](/etc/hosts)": "handouts/lab1.md: the link /etc/hosts leads to no file",
        "![A box](figures/no.svg)": "lab1.md: the picture figures/no.svg is no file in handouts/",
        "![Code](../labs/lab.h)": "lab1.md: the picture ../labs/lab.h is no file in handouts/",
        "![Box](figures/box.svg)": "lab1.html: the alt text of the picture figures/box.svg is its",
        "![A](https://example.org/x.svg)": "https://example.org/x.svg would be loaded from else",
        '<img src="figures/gone.svg" alt="A box">': "the picture figures/gone.svg is no file in",
        "[x](README.md#nowhere)": "lab1.html: the link index.html#nowhere leads to no anchor",
        "[x](#nowhere)": "lab1.html: the link #nowhere leads to no anchor",
        "$$a = \\frac{1}{$$": "lab1.html: this formula is not closed: $$a = ",
    }
    page.write_text(page.read_text() + "".join(f"\n{text}\n" for text in wrong))
    built, _ = small_handouts.made(course)
    for problem in wrong.values():
        assert [p for p in built.problems if problem in p], (problem, built.problems)


def test_unusual_valid_markdown_is_accepted(course: Path) -> None:
    (course / "labs" / "a b.h").write_text("")
    page = course / "handouts" / "lab1.md"
    odd = [
        "[elsewhere](https://example.org/a#b) and <mailto:a@example.org>",
        "[a folder](../labs), [a file with a space](../labs/a%20b.h)",
        '<a name="here"></a>[x](#here)',
        "## Über Tiles\n\n[x](#über-tiles)",
        "## Twice\n\n## Twice\n\n[x](#twice-1)",
        "![Box plot of times](figures/box.svg)",
        "`[x](lab9.md)` and\n\n    ![](none.svg) $$x\n",
        "<!-- ![](none.svg) [x](lab9.md) -->",
        "It costs $5 for each; $a < b$ is a formula.",
        "> [!NOTE]\n> A note with a [link](lab1.md)",
    ]
    page.write_text(page.read_text() + "".join(f"\n{text}\n" for text in odd))
    built, _ = small_handouts.made(course)
    assert built.problems == []


@pytest.fixture
def empty_site(tmp_path: Path) -> Path:
    (tmp_path / "box.svg").write_text("<svg/>")
    return tmp_path


def problems(site: Path, body: str) -> list[str]:
    """What the check finds in a site of this one page."""
    (site / "a.html").write_text(f'<nav class="contents"><a href="a.html">A</a></nav>{body}')
    return check.site(site)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="b.html">', "the link b.html leads to no file of the site"),
        ('<a href="../x.html">', "the link ../x.html leads to no file of the site"),
        ('<a href="a.html#x">', "the link a.html#x leads to no anchor"),
        ('<a href="">', "a link leads nowhere"),
        ('<a href="file:///etc/hosts">', "works on no other machine"),
        ('<a href="/etc/hosts">', "works on no other machine"),
        ('<a href="//example.org">', "works on no other machine"),
        ('<img src="box.svg">', "the picture box.svg has no alt text"),
        ('<img src="box.svg" alt=" … ">', "the picture box.svg has no alt text"),
        ('<img src="box.svg" alt="BOX.svg">', "alt text of the picture box.svg is its file's name"),
        ('<img src="box.svg" alt="box">', "alt text of the picture box.svg is its file's name"),
        ('<img src="no.svg" alt="A box">', "no.svg is no file of the site"),
        ('<img src="box.svg" alt="A" srcset="http://x.org/a 2x">', "loaded from elsewhere"),
        ('<script src="//example.org/x.js"></script>', "would be loaded from elsewhere"),
        ('<link rel="stylesheet" href="https://example.org/x.css">', "loaded from elsewhere"),
        ("<iframe src='http://example.org'></iframe>", "would be loaded from elsewhere"),
        ('<p style="background: url( https://x.org/a )">', "would be loaded from elsewhere"),
        ("<style>@import 'http://x.org/a';</style>", "would be loaded from elsewhere"),
        ('<form action="https://x.org"></form>', "would be loaded from elsewhere"),
        ('<p id="b"></p><a name="b">', "the anchor #b is there twice"),
        ("<p>so $$x = 1$$</p>", "this formula is not closed: so $$x = 1$$"),
    ],
)
def test_invalid_pages_are_reported(empty_site: Path, body: str, problem: str) -> None:
    assert [p for p in problems(empty_site, body) if problem in p]


@pytest.mark.parametrize(
    "body",
    [
        '<a href="https://example.org/x#y">x</a> <a href="mailto:a@example.org">m</a>',
        '<a href="a.html#%C3%BC">x</a><p id="ü">',
        '<a href="box.svg">the picture</a><a id="x" href="#x">x</a>',
        '<img src="box.svg" alt="Box plot" srcset="box.svg 2x">',
        '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="A dot">',
        "<pre>$$ https://example.org url(http://x.org)</pre><code>$$</code>",
        '<link rel="icon" href="data:,"><style>a { background: url(box.svg) }</style>',
    ],
)
def test_unusual_valid_pages_are_accepted(empty_site: Path, body: str) -> None:
    assert problems(empty_site, body) == []


def test_style_sheets_are_checked(empty_site: Path) -> None:
    (empty_site / "assets").mkdir()
    style = empty_site / "assets" / "x.css"
    style.write_text("a { background: url('../box.svg') }")
    assert problems(empty_site, "") == []
    style.write_text("@font-face { src: url(https://example.org/x.woff2) }")
    assert "would be loaded from elsewhere" in "".join(problems(empty_site, ""))


def test_a_page_that_the_contents_of_another_leave_out_is_found(course: Path) -> None:
    _, site = small_handouts.made(course)
    lab = site / "lab1.html"
    lab.write_text(re.sub(r'<li><a href="index.html".*', "<li>", lab.read_text()))
    assert check.site(site) == ["lab1.html: the contents do not lead to index.html"]


def test_a_formula_that_cannot_be_read_is_an_error(course: Path) -> None:
    page = course / "handouts" / "lab1.md"
    page.write_text("# Lab 1\n\n$$\\foo{1}$$\n")
    with pytest.raises(PandocError, match=r"handouts/lab1\.md: pandoc cannot convert it"):
        small_handouts.made(course)


def test_a_build_that_fails_leaves_the_site_that_was_there(course: Path) -> None:
    _, site = small_handouts.made(course)
    before = sorted(site.rglob("*"))
    (course / "handouts" / "lab1.md").write_text("# Lab 1\n\n$$\\foo{1}$$\n")
    with pytest.raises(PandocError):
        small_handouts.made(course)
    assert sorted(site.rglob("*")) == before


def test_pdfs_of_small_pages(course: Path) -> None:
    page = course / "handouts" / "lab1.md"
    page.write_text(
        page.read_text() + '\nA<br>B <img src="figures/box.svg" alt="A box"> [5](README.md)(6)\n'
        '\n<details class="site"><summary>All checks</summary>\n\n| looked | up |\n|---|---|\n'
        "\n</details>\n\n<details><summary>Answers</summary>\n\nForty-two.\n\n</details>\n"
        "\n[r](../labs/lab.h)\n\n> [!WARNING]\n> Odd: #let x = [ \\ $ <1 @z\n\n---\n\n"
        "## Über `s_tile[i]` & more\n\n[x](#über-s_tilei--more)\n"
    )
    built, site = small_handouts.made(course, with_pdfs=True)
    assert built.problems == []
    assert [file.name for file in built.pdfs] == ["handouts.pdf", "lab1.pdf"]
    assert 'href="pdf/lab1.pdf"' in (site / "lab1.html").read_text()
    text = pdf_text(site / "pdf" / "lab1.pdf")
    assert "Lab 1: CPU loop" in text and "뱅크 충돌" in text and "バンク競合" in text
    assert "Odd: #let x = [ \\ $ <1 @z" in text and "5(6)" in text and "labs/lab.h" in text
    assert "All checks: on the site." in text and "looked" not in text
    assert "Answers\nForty-two." in text
    assert "<div" not in text and "<!--" not in text and "\\sum" not in text
    again, _ = small_handouts.made(course, with_pdfs=True)
    assert again.pdfs == built.pdfs


def pdf_text(file: Path) -> str:
    document = pypdfium2.PdfDocument(file)
    text = "\n".join(page.get_textpage().get_text_bounded() for page in document)
    document.close()
    return text.replace("\r\n", "\n")


def test_pdfs_have_the_light_theme_of_a_drawing() -> None:
    drawing = Drawing(40, 20, "A box", "A box.")
    drawing.text(4, 9, "@media {")
    plain = pictures.light(drawing.svg())
    assert INK in plain and DARK[INK] not in plain and "@media {" in plain
    assert f'font-family="{pictures.FONT}"' in plain and "DejaVu" not in plain


def table(*rows: list[str]) -> Element:
    """A table of pandoc's tree; the first row has the headings."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" * len(rows[0]) + "|")
    element: Element = pandoc.read("\n".join(lines), "a table")[0]
    return element


def shares(element: Element) -> list[float]:
    return [spec[1].get("c", 0) for spec in element["c"][2]]


def test_a_column_of_sentences_is_wider_than_one_of_words() -> None:
    wide = table(
        ["term", "meaning", "日本語"], ["bank", "What a sentence says. " * 8, "バンク競合"]
    )
    columns.widen(wide)
    term, meaning, japanese = shares(wide)
    assert meaning > 0.6 and 0.05 < term < 0.2 and 0.05 < japanese < 0.25
    assert term + meaning + japanese == pytest.approx(1)


@pytest.mark.parametrize("cells", [["a", "b"], ["", ""], ["a" * 30, "b c d " * 5]])
def test_a_table_that_fits_keeps_its_own_widths(cells: list[str]) -> None:
    narrow = table(["x", "y"], cells)
    columns.widen(narrow)
    assert shares(narrow) == [0, 0]


@pytest.mark.parametrize(
    ("root", "size"),
    [
        ('<svg class="x" viewBox="0 0 40 19.99" width="40">', (40, 20)),
        ('<svg width="100%">', None),
        ("<html>", None),
    ],
)
def test_the_size_of_a_picture(root: str, size: tuple[int, int] | None, tmp_path: Path) -> None:
    (tmp_path / "x.svg").write_text(root)
    assert pictures.size(tmp_path / "x.svg") == size


def test_command_reports_pages_and_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], course: Path
) -> None:
    monkeypatch.setattr(command, "ROOT", course)
    out = course / "site"
    assert command.main(["--no-pdf", "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "2 pages with 2 pictures" in said.out and f"open {out}/index.html" in said.out
    (course / "handouts" / "lab1.md").write_text("# L\n\n[x](#a)\n")
    assert command.main(["--no-pdf", "--out", str(out)]) == 1
    said = capsys.readouterr()
    assert "lab1.html: the link #a leads to no anchor" in said.err and "problems" in said.err
    (course / "handouts" / "lab1.md").write_text("# L\n\n$\\foo{1}$\n")
    assert command.main(["--no-pdf", "--out", str(out)]) == 1
    assert "make handouts: handouts/lab1.md: pandoc cannot" in capsys.readouterr().err
    (course / "in the way").write_text("")
    assert command.main(["--no-pdf", "--out", str(course / "in the way" / "site")]) == 1
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize("goal", ["help", "help-all"])
def test_make_lists_the_target(goal: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    done = captured.run(["make", goal], cwd=paths.ROOT, env=environment)
    assert "make handouts" in done.stdout, sys.executable
