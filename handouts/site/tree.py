"""pandoc's document tree: nested lists and {"t": type, "c": content} objects."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

Element = dict[str, Any]
# What replaces an element: any number of others; None leaves it as it is.
Change = Callable[[Element], list[Element] | None]


def walk(node: Any, change: Change) -> Any:
    """A copy of a tree, changed from its leaves up."""
    if isinstance(node, list):
        changed: list[Any] = []
        for item in node:
            inner = walk(item, change)
            new = change(inner) if isinstance(inner, dict) and "t" in inner else None
            changed += [inner] if new is None else new
        return changed
    if isinstance(node, dict):
        return {key: walk(value, change) for key, value in node.items()}
    return node


def text(node: Any) -> str:
    """The words of a tree, without formulas, HTML and what only formats."""
    return re.sub(r"\s+", " ", "".join(_words(node))).strip()


def _words(node: Any) -> list[str]:
    if isinstance(node, list):
        return [word for item in node for word in _words(item)]
    if not isinstance(node, dict):
        return []
    kind: str = node.get("t", "")
    content: Any = node.get("c")
    if kind == "Str":
        return [str(content)]
    if kind in ("Code", "CodeBlock"):
        return [str(content[1]), " " if kind == "CodeBlock" else ""]
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return [" "]
    if kind in ("Math", "RawInline", "RawBlock"):
        return [" "]
    after = [" "] if kind in ("Para", "Plain", "Header") else []
    return _words(content) + after


def title(blocks: list[Any]) -> tuple[list[Any], list[Any]]:
    """The inlines of the page's title, its one heading of level 1, and the other blocks."""
    for index, block in enumerate(blocks):
        if block["t"] == "Header" and block["c"][0] == 1:
            return block["c"][2], blocks[:index] + blocks[index + 1 :]
    return [], blocks


def sections(blocks: list[Any]) -> list[tuple[str, str]]:
    """The anchors and the words of the headings of level 2 and of the parts of a lab, in order."""
    headings = [block["c"] for block in blocks if block["t"] == "Header"]
    found = [(level, label[0], text(words)) for level, label, words in headings]
    return [(a, words) for level, a, words in found if level == 2 or words.startswith("Part ")]


def is_drawing(block: Element) -> bool:
    """Whether it is a paragraph of a drawing alone."""
    inlines = block["c"]
    return (
        len(inlines) == 1 and inlines[0]["t"] == "Image" and inlines[0]["c"][2][0].endswith(".svg")
    )


def figure(block: Element) -> Element:
    """A drawing with its words below it, too. A style sheet numbers the figures of a page."""
    words = [{"t": "Plain", "c": block["c"][0]["c"][1]}]
    return {"t": "Figure", "c": [attributes(), [None, words], [{**block, "t": "Plain"}]]}


def attributes(
    name: str = "", classes: list[str] | None = None, **pairs: str
) -> tuple[str, list[str], list[list[str]]]:
    """Attributes as pandoc has them: id, classes, others."""
    return (name, classes or [], [[key, value] for key, value in pairs.items()])


def raw(kind: str, form: str, content: str) -> Element:
    """A RawBlock or RawInline of a format, "html" or "typst"."""
    return {"t": kind, "c": [form, content]}


def html_of(element: Element) -> str | None:
    """The HTML that an author wrote into the page; None where the element is none."""
    if element["t"] in ("RawBlock", "RawInline") and element["c"][0] == "html":
        return str(element["c"][1])
    return None


def tags(html: str) -> list[tuple[str, dict[str, str]]]:
    """The opening tags in a piece of HTML, each with its attributes."""
    parser = _Tags()
    parser.feed(html)
    parser.close()
    return parser.found


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
