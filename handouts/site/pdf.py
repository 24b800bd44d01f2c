"""The PDFs: one for each lab and one of all pages, by typst."""

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import typst

from grader import __version__
from handouts.site import columns, links, pandoc, pictures, tree, web
from handouts.site.contents import Contents, Page
from handouts.site.tree import Element
from handouts.site.web import HERE, Reading

ALL = "handouts.pdf"
TITLE = "convlabs"
IN_LINE = "#small-picture("  # book.typ's function for a picture in a line of text
MISTAKE = '#picture("figures/mistakes/'
NOTES = {"note", "tip", "important", "warning", "caution"}  # GitHub's
FOLD = re.compile(r'<details( class="site")?>\s*<summary>(.*?)</summary>')
FONTS = {"ko": "Noto Sans CJK KR", "ja": "Noto Sans CJK JP", "zh-Hans": "Noto Sans CJK SC"}


class PdfError(Exception):
    """typst failed; the text says on what, and has its message."""


def files(contents: Contents) -> dict[str, str]:
    """The names of the PDFs that pages offer: each lab its own, the first page that of all."""
    own = {page.name: f"{page.name}.pdf" for page in contents.pages if page.is_lab}
    return {"index": ALL} | own


def write(
    readings: list[Reading],
    contents: Contents,
    root: Path,
    folder: Path,
    pool: Executor,
    say: Callable[[str], None],
) -> list[str]:
    """Writes the PDFs of pages that were read into a folder. Returns the files' names, the one of
    all pages first. Raises PandocError, PdfError."""
    folder.mkdir()
    # Where one document fails, others are still being written: that must not hide why.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        work = Path(temporary)
        shutil.copyfile(HERE / "templates" / "book.typ", work / "book.typ")

        def chapter(reading: Reading) -> None:
            text = markup(reading, contents, root, work)
            (work / f"{reading.page.name}.typ").write_text(text, encoding="utf-8")

        list(pool.map(chapter, readings))
        names = [reading.page.name for reading in readings]
        documents = {ALL: (TITLE, names)}
        documents |= {
            f"{r.page.name}.pdf": (r.title, [r.page.name]) for r in readings if r.page.is_lab
        }

        def compiled(name: str) -> str:
            (folder / name).write_bytes(_compile(work, name, *documents[name]))
            return name

        made = list(pool.map(compiled, documents))
    say(f"{len(made)} PDFs")
    return made


def _compile(work: Path, name: str, title: str, chapters: list[str]) -> bytes:
    """The PDF of some chapters."""
    whole = len(chapters) > 1
    text = (
        f'#import "book.typ": *\n#show: book.with(title: {_string(title)}, cover: {_bool(whole)})\n'
    )
    text += "".join(f'#include "{chapter}.typ"\n' for chapter in chapters)
    main = work / f"{name}.typ"
    main.write_text(text, encoding="utf-8")
    options: dict[str, Any] = {
        "root": str(work),
        "font_paths": [str(_fonts())],
        "ignore_system_fonts": True,  # the same PDF on each machine
        "pdf_standards": ["ua-1"],  # typst refuses what it can tell a screen reader would miss
        "sys_inputs": {
            "sections": "no" if whole else "yes",
            "version": __version__,
            "date": f"{_moment():%-d %B %Y}",
        },
        "timestamp": _moment(),
    }
    try:
        made = typst.compile(str(main), **options)
    except typst.TypstError as error:
        raise PdfError(f"{name}: typst cannot make it: {error}") from error
    assert isinstance(made, bytes)
    return made


def _moment() -> datetime:
    """When it is made; a release sets SOURCE_DATE_EPOCH to the time of its commit, so that it gives
    the same bytes each time."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(seconds if seconds.isdigit() else time.time()), UTC)


@cache
def _fonts() -> Path:
    """The folder of the font that has Korean, Japanese and Chinese."""
    return Path(str(resources.files("noto_cjk_sans_otc")))


def markup(reading: Reading, contents: Contents, root: Path, work: Path) -> str:
    """A page as a chapter, in typst's markup. Pictures are copied to `work`."""
    page = reading.page
    where = f"handouts/{page.source.name}"

    def change(element: Element) -> list[Element] | None:
        match element["t"]:
            case "Header":
                element["c"][1][0] = _label(page, element["c"][1][0])
            case "Link":
                return _link(element, page, contents)
            case "Image":
                _, words, (path, _) = element["c"]
                return [_picture(path, tree.text(words), root, work)]
            case "Para" if _is_picture(element):
                call = str(element["c"][0]["c"][1]).replace(IN_LINE, "#picture(", 1)
                return [tree.raw("RawBlock", "typst", call)]
            case "Math":
                words = element["c"][1]
                element["c"][1] = re.sub(r"\\[;:]", r"\\,", words)  # typst has no \;
                calls = (f"#in-words({_string(' '.join(words.split()))})[", "]")
                opening, closing = (tree.raw("RawInline", "typst", text) for text in calls)
                return [opening, element, closing]
            case "Div" if NOTES & set(element["c"][0][1]):
                opening, closing = (tree.raw("RawBlock", "typst", t) for t in ("#note[", "]"))
                return [opening, *element["c"][1], closing]
            case "Table":
                columns.widen(element)
                _fonts_of_languages(element)
            case "RawBlock" | "RawInline" if (html := tree.html_of(element)) is not None:
                return _html(html, element["t"], page, root, work)
        return None

    blocks = tree.walk(_unfolded(reading.blocks), change)
    title = {"t": "Header", "c": [1, tree.attributes(page.name), [_str(reading.title)]]}
    text = pandoc.typst([title, *_with_sections(_with_captions(blocks))], where)
    text = re.sub(r"#figure\(\s*align\(center\)\[#table\(", "#figure(\n  [#table(", text)
    return f'#import "book.typ": *\n{text}'


def _unfolded(blocks: list[Any]) -> list[Any]:
    """A fold is open on paper, below its summary. One of the class "site" is left out: it is for
    looking things up."""
    kept: list[Any] = []
    is_left_out = False
    for block in blocks:
        html = (tree.html_of(block) or "").strip()
        if fold := FOLD.match(html):
            is_left_out = bool(fold[1])
            text = f"{fold[2]}: on the site." if is_left_out else fold[2]
            kept.append({"t": "Para", "c": [{"t": "Strong", "c": [_str(text)]}]})
        elif html == "</details>":
            is_left_out = False
        elif not is_left_out:
            kept.append(block)
    return kept


def _with_captions(blocks: list[Any]) -> list[Any]:
    """Keeps the words about a mistake on the page of the mistake's picture, which follows them: at
    the top of the next page it would seem to belong to the words below it."""
    kept: list[Any] = []
    for block in blocks:
        if _is_mistake(block) and kept and kept[-1]["t"] == "Para":
            opening, closing = (
                tree.raw("RawBlock", "typst", t) for t in ("#block(breakable: false)[", "]")
            )
            kept[-1:] = [opening, kept[-1], block, closing]
        else:
            kept.append(block)
    return kept


def _is_mistake(block: Element) -> bool:
    return block["t"] == "RawBlock" and str(block["c"][1]).startswith(MISTAKE)


def _with_sections(blocks: list[Any]) -> list[Any]:
    """The list of sections, before the first one, in a document of one chapter."""
    listing = tree.raw("RawBlock", "typst", '#if sys.inputs.sections == "yes" { sections() }')
    first = next((i for i, b in enumerate(blocks) if b["t"] == "Header"), len(blocks))
    return [*blocks[:first], listing, *blocks[first:]]


def _label(page: Page, anchor: str) -> str:
    """An anchor's name among those of all pages. One with = is what a figure shows on the site."""
    return f"{page.name}--{anchor}" if anchor and "=" not in anchor else page.name


def _link(element: Element, page: Page, contents: Contents) -> list[Element] | None:
    """A link to a page becomes one to a place in a PDF. A file of the repository is named."""
    _, words, address = element["c"]
    where = links.target(address[0], page, contents)
    if where.address:
        return None
    if where.page is None:
        file = {"t": "Code", "c": [tree.attributes(), where.file]}
        if tree.text(words).strip("`") in (where.file, Path(where.file).name):
            return [file]
        return [*words, _str(" ("), file, _str(")")]
    label = _label(where.page, where.anchor)
    file_name = files(contents).get(where.page.name, ALL)
    opening = f"#to({_string(label)}, {_string(file_name)})["
    return [tree.raw("RawInline", "typst", opening), *words, tree.raw("RawInline", "typst", "];")]


def _is_picture(block: Element) -> bool:
    """Whether a paragraph is one picture; change() has already replaced the picture."""
    content = block["c"]
    if len(content) != 1 or content[0]["t"] != "RawInline":
        return False
    return str(content[0]["c"][1]).startswith(IN_LINE)


def _picture(path: str, alt: str, root: Path, work: Path) -> Element:
    """A picture in a line. SVGs are copied in their light theme."""
    source = root / "handouts" / path
    if not source.is_file():
        return _str(alt)  # web.body() has said so
    target = work / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix == ".svg":
        svg = pictures.light(source.read_text(encoding="utf-8"))
        target.write_text(svg, encoding="utf-8")
    else:
        shutil.copyfile(source, target)
    width, height = pictures.size(source) or (600, 400)
    call = f"{IN_LINE}{_string(path)}, {_string(alt)}, {width}, {height});"
    return tree.raw("RawInline", "typst", call)


def _html(html: str, kind: str, page: Page, root: Path, work: Path) -> list[Element]:
    """What stays of HTML on a page: anchors, pictures and line breaks."""
    kept: list[Element] = []
    for tag, values in tree.tags(html):
        name = values.get("id") or (values.get("name") if tag == "a" else "")
        if name:
            call = f"#place-of({_string(_label(page, name))});"
            kept.append(tree.raw("RawInline", "typst", call))
        if tag == "img":
            kept.append(_picture(values.get("src", ""), values.get("alt", ""), root, work))
        if tag == "br":
            kept.append({"t": "LineBreak"})
    return kept if kind == "RawInline" or not kept else [{"t": "Para", "c": kept}]


def _fonts_of_languages(table: Element) -> None:
    """Gives cells of a column in another language the forms of characters of that language."""
    _, _, _, head, bodies, _ = table["c"]
    for row in head[1]:
        for column, cell in enumerate(row[1]):
            if code := web.language(tree.text(cell[4])):
                for line in (line for part in bodies for line in part[3]):
                    _in_font(line[1][column], FONTS[code], code)


def _in_font(cell: Any, font: str, code: str) -> None:
    for block in cell[4]:
        if block["t"] in ("Plain", "Para"):
            setting = f'#text(lang: "{code[:2]}", font: ("Libertinus Serif", {_string(font)}))['
            block["c"] = [
                tree.raw("RawInline", "typst", setting),
                *block["c"],
                tree.raw("RawInline", "typst", "];"),
            ]


def _str(text: str) -> Element:
    return {"t": "Str", "c": text}


def _string(text: str) -> str:
    """A string literal of typst."""
    return json.dumps(text, ensure_ascii=False)


def _bool(value: bool) -> str:
    return "true" if value else "false"
