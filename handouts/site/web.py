"""A page as HTML: its tree changed for a browser, put into the template."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from grader import __version__
from grader.render import page_templates
from handouts.site import glossary, links, pandoc, pictures, tree
from handouts.site.contents import Contents, Page
from handouts.site.tree import Element

HERE = Path(__file__).resolve().parent
FIGURE = '<div class="interactive"'
# What a heading of a column says of the language of its cells.
LANGUAGES = {
    "korean": "ko",
    "japanese": "ja",
    "chinese": "zh-Hans",
    "한국어": "ko",
    "日本語": "ja",
    "简体中文": "zh-Hans",
}
HIGHLIGHTED = re.compile(r'<code class="sourceCode cpp">.*?</code>', re.S)
# A comment or a string; or a word of CUDA.
CUDA = re.compile(
    r'<span class="(?:co|st)">.*?</span>'
    r"|\b(__(?:global|device|host|shared|constant|restrict)__|dim3"
    r"|threadIdx|blockIdx|blockDim|gridDim|cuda(?:Error|Stream)_t|float[24]|__syncthreads)\b"
)
HIGHLIGHTED_AS = {"cuda": "cpp", "cu": "cpp", "console": "bash", "text": "default"}


@dataclass
class Reading:
    """A page that was read: its title, its tree, and what is wrong with it."""

    page: Page
    title: str
    blocks: list[Any]
    problems: list[str]


def read(page: Page) -> Reading:
    """Reads a page of Markdown. Raises PandocError."""
    shown = f"handouts/{page.source.name}"
    blocks = pandoc.read(page.source.read_text(encoding="utf-8"), shown)
    title, rest = tree.title(blocks)
    if page.name == glossary.NAME:
        glossary.add_anchors(rest)
    problems = [] if title else [f"{shown} has no title: a heading of level 1"]
    return Reading(page, tree.text(title) or page.name, rest, problems)


def body(reading: Reading, contents: Contents, root: Path, source: str) -> tuple[str, list[str]]:
    """A page's HTML and the pictures that it shows, by their paths in handouts/. `source`: the
    address under which readers find the repository's files; "": there is none. Appends to the
    page's problems."""
    shown: list[str] = []

    def change(element: Element) -> list[Element] | None:
        match element["t"]:
            case "Link":
                return _link(element, reading, contents, root, source)
            case "Image":
                attributes, _, (path, _) = element["c"]
                extent = _picture(path, reading, root, shown)
                if extent:
                    attributes[2] += [["width", str(extent[0])], ["height", str(extent[1])]]
            case "Table":
                _languages(element)
                return [_scrolls([element])]
            case "Para" | "Plain" if any(map(_is_formula, element["c"])):
                return _with_formulas(element)
            case "Para" if tree.is_drawing(element):
                return [_scrolls([tree.figure(element)], "drawing")]
            case "CodeBlock":
                classes = element["c"][0][1]
                classes[:1] = [HIGHLIGHTED_AS.get(name, name) for name in classes[:1]]
            case "RawBlock" | "RawInline" if (html := tree.html_of(element)) is not None:
                for tag, values in tree.tags(html):
                    if tag == "img":
                        _picture(values.get("src", ""), reading, root, shown)
                return [] if html.startswith("<!--") else None
        return None

    blocks = tree.walk(reading.blocks, change)
    text = pandoc.html(blocks, f"handouts/{reading.page.source.name}")
    # A cell of the first row without words is no heading, as above a column of names.
    text = re.sub(r"<th\b([^>]*)></th>", r"<td\1></td>", text)
    return HIGHLIGHTED.sub(lambda code: _with_cuda_names(code[0]), text), shown


def _with_cuda_names(code: str) -> str:
    """Highlights the words of CUDA in C++ that pandoc has highlighted."""
    return CUDA.sub(lambda m: f'<span class="kw">{m[1]}</span>' if m[1] else m[0], code)


def _scrolls(blocks: list[Element], what: str = "table") -> Element:
    """Blocks that scroll sideways where the screen is too narrow for them."""
    return {"t": "Div", "c": [tree.attributes(classes=["scroll", what]), blocks]}


def _is_formula(inline: Element) -> bool:
    """Whether it is a formula on a line of its own."""
    return bool(inline["t"] == "Math" and inline["c"][0]["t"] == "DisplayMath")


def _with_formulas(block: Element) -> list[Element]:
    """A paragraph as several: what is between its formulas, and each formula."""
    blocks: list[Element] = []
    for is_formula, run in groupby(block["c"], _is_formula):
        inlines = list(run)
        if is_formula:
            paragraphs = [{"t": "Para", "c": [formula]} for formula in inlines]
            blocks += [_scrolls([paragraph], "formula") for paragraph in paragraphs]
        elif any(inline["t"] not in ("Space", "SoftBreak") for inline in inlines):
            blocks.append({**block, "c": inlines})
    return blocks


def _link(
    element: Element, reading: Reading, contents: Contents, root: Path, source: str
) -> list[Element] | None:
    """A link to a page becomes one to its HTML. A link to a file of the repository becomes one to
    `source`; without it, its words and the file's path."""
    _, words, address = element["c"]
    where = links.target(address[0], reading.page, contents)
    if where.page:
        anchor = f"#{where.anchor}" if where.anchor else ""
        address[0] = anchor if where.page == reading.page and anchor else where.page.html + anchor
        return None
    if not where.file:
        return None
    if links.missing(where, root):
        reading.problems.append(
            f"handouts/{reading.page.source.name}: the link {address[0]} leads to no file"
        )
    if source:
        address[0] = f"{source.rstrip('/')}/{where.file}"
        return None
    file = {"t": "Code", "c": [tree.attributes(classes=["file"]), where.file]}
    if tree.text(words).strip("`") in (where.file, Path(where.file).name):
        return [file]
    return [*words, *_inlines(" ("), file, *_inlines(")")]


def _inlines(text: str) -> list[Element]:
    return [{"t": "Str", "c": text}]


def _picture(path: str, reading: Reading, root: Path, shown: list[str]) -> tuple[int, int] | None:
    """Notes a picture. Returns how large it is, so that text does not jump as it loads."""
    where = links.target(path, reading.page, Contents([]))
    if not where.file.startswith("handouts/") or links.missing(where, root):
        reading.problems.append(
            f"handouts/{reading.page.source.name}: the picture {path} is no file in handouts/"
        )
        return None
    shown.append(where.file.removeprefix("handouts/"))
    return pictures.size(root / where.file)


def _languages(table: Element) -> None:
    """Marks the cells of columns that a heading says are in another language."""
    _, _, _, head, bodies, _ = table["c"]
    for row in head[1]:
        for column, cell in enumerate(row[1]):
            if code := language(tree.text(cell[4])):
                for line in (line for part in bodies for line in part[3]):
                    line[1][column][0][2].append(["lang", code])


def language(heading: str) -> str:
    """The language of a column's cells by its heading; "" for the page's own."""
    named = (code for name, code in LANGUAGES.items() if heading.lower().startswith(name))
    return next(named, "")


def page(
    reading: Reading, text: str, contents: Contents, titles: dict[str, str], pdf: str | None
) -> str:
    """The whole page. `titles`: of all pages by their names. `pdf`: the file to offer, or None."""
    before, after = contents.beside(reading.page)
    return _template().render(
        page=reading.page,
        version=__version__,
        title=reading.title,
        body=Markup(text),  # made by pandoc of our own pages
        groups=contents.groups(),
        titles=titles,
        sections=tree.sections(reading.blocks),
        before=before,
        after=after,
        interactive=FIGURE in text,
        pdf=pdf,
    )


@cache
def _template() -> jinja2.Template:
    return page_templates.environment(HERE / "templates").get_template("page.html")
