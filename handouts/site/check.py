"""What is wrong with a site: links, anchors, pictures, contents, and what comes from elsewhere."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# The attributes by which an element loads something by itself; a link waits for its reader.
LOADS = {
    ("img", "src"), ("img", "srcset"), ("script", "src"), ("link", "href"), ("iframe", "src"),
    ("source", "src"), ("source", "srcset"), ("video", "src"), ("video", "poster"),
    ("audio", "src"), ("track", "src"), ("embed", "src"), ("object", "data"), ("input", "src"),
    ("form", "action"), ("image", "href"), ("use", "href"), ("body", "background"),
}  # fmt: skip
IN_STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
LETTER = re.compile(r"\w")
VERBATIM = {"code", "pre", "math", "script", "style", "textarea"}


@dataclass
class Content:
    """What a page has: anchors, links, what it loads, and its pictures as (address, alt text)."""

    anchors: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    images: list[tuple[str, str | None]] = field(default_factory=list)
    in_navigation: set[str] = field(default_factory=set)
    formulas: list[str] = field(default_factory=list)  # still as TeX, in dollars


def site(folder: Path) -> list[str]:
    """What is wrong with the pages of a folder, a line each."""
    pages = {file.name: content(file.read_text("utf-8")) for file in sorted(folder.glob("*.html"))}
    problems = []
    for name, page in pages.items():
        problems += [f"{name}: {text}" for text in _links(name, page, pages, folder)]
        problems += [f"{name}: {text}" for text in _images(page)]
        problems += [f"{name}: {text}" for text in _loads(page.loads, folder, folder)]
        problems += [
            f"{name}: the contents do not lead to {other}"
            for other in sorted(set(pages) - page.in_navigation)
        ]
        problems += [f"{name}: this formula is not closed: {text}" for text in page.formulas]
        twice = sorted({a for a in page.anchors if page.anchors.count(a) > 1})
        problems += [f"{name}: the anchor #{anchor} is there twice" for anchor in twice]
    for style in sorted(folder.rglob("*.css")):
        loaded = [a or b for a, b in IN_STYLE.findall(style.read_text("utf-8"))]
        shown = style.relative_to(folder)
        problems += [f"{shown}: {text}" for text in _loads(loaded, style.parent, folder)]
    return problems


def content(html: str) -> Content:
    """What a page of HTML has."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.content


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.content = Content()
        self._contents = False
        self._verbatim: list[str] = []  # the elements around what is read

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.content.anchors.append(values["id"])
        elif tag == "a" and "name" in values:
            self.content.anchors.append(values["name"])
        if tag == "nav" and "contents" in values.get("class", "").split():
            self._contents = True
        if tag in VERBATIM:
            self._verbatim.append(tag)
        if tag == "a" and "href" in values:
            self.content.links.append(values["href"])
            if self._contents:
                self.content.in_navigation.add(values["href"])
        if tag == "img":
            self.content.images.append((values.get("src", ""), values.get("alt")))
        for name, value in values.items():
            if (tag, name) in LOADS:
                addresses = value.split(",") if name == "srcset" else [value]
                self.content.loads += [a.split()[0] if a.split() else "" for a in addresses]
        self.content.loads += [a or b for a, b in IN_STYLE.findall(values.get("style", ""))]

    def handle_endtag(self, tag: str) -> None:
        if tag in self._verbatim:
            self._verbatim.remove(tag)
        if tag == "nav":
            self._contents = False

    def handle_data(self, data: str) -> None:
        if "style" in self._verbatim:
            self.content.loads += [a or b for a, b in IN_STYLE.findall(data)]
        elif not self._verbatim and "$$" in data:
            self.content.formulas.append(" ".join(data.split())[:60])


def _links(name: str, page: Content, pages: dict[str, Content], folder: Path) -> list[str]:
    problems = []
    for link in dict.fromkeys(page.links):
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "mailto"):
            continue
        path, anchor = unquote(parts.path), unquote(parts.fragment)
        if parts.scheme or parts.netloc or path.startswith("/"):
            problems.append(f"the link {link} works on no other machine")
        elif not path and not anchor:
            problems.append("a link leads nowhere")
        elif path and not _inside(folder, folder, path):
            problems.append(f"the link {link} leads to no file of the site")
        elif "=" in anchor:
            continue  # what a figure of the page shows
        elif anchor and (path or name) in pages and anchor not in pages[path or name].anchors:
            problems.append(f"the link {link} leads to no anchor")
    return problems


def _images(page: Content) -> list[str]:
    problems = []
    for address, alt in page.images:
        file = Path(unquote(urlsplit(address).path))
        words = (alt or "").strip()
        if not words or not LETTER.search(words):
            problems.append(f"the picture {address} has no alt text")
        elif words.lower() in (file.name.lower(), file.stem.lower(), address.lower()):
            problems.append(f"the alt text of the picture {address} is its file's name")
    return problems


def _loads(addresses: list[str], base: Path, folder: Path) -> list[str]:
    problems = []
    for address in dict.fromkeys(addresses):
        parts = urlsplit(address)
        if parts.scheme == "data":
            continue
        if parts.scheme or parts.netloc:
            problems.append(f"{address} would be loaded from elsewhere")
        elif not parts.path or not _inside(base, folder, unquote(parts.path)):
            problems.append(f"{address} is no file of the site")
    return problems


def _inside(base: Path, folder: Path, path: str) -> bool:
    """Whether a path, relative to `base`, leads to a file in the site's folder."""
    file = (base / path).resolve()
    return file.is_file() and file.is_relative_to(folder.resolve())
