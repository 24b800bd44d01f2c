"""A course with a few small pages, for tests of the site."""

from pathlib import Path

from handouts.site import build
from handouts.site.build import Built

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="40" height="20">'
    "<style>:root { --ink: #111111 } rect { fill: var(--ink) }"
    "@media (prefers-color-scheme: dark) { :root { --ink: #eeeeee } }</style>"
    '<rect width="40" height="20"/></svg>'
)
README = "# Handouts\n\nRead [lab 1](lab1.md), [its picture](lab1.md#the-picture).\n"
LAB = """# Lab 1: CPU loop

*You write `loop.c`.*

## The picture

![A black box, twice as wide as high](figures/box.svg)

<div class="interactive" data-figure="convolution"></div>

| | a |
|---|---|
| b | c |

Two formulas:
$$x = 1$$
$$h(x) = \\sum_{a} f(x + a)\\;g(a)$$

| Term | Korean | Japanese |
|---|---|---|
| <a id="mistake-shifted"></a>bank conflict | 뱅크 충돌 | バンク競合 |

<img src="figures/mistakes/shifted.svg" alt="A box that is shifted" width="20">

See [the contract](../labs/lab.h), [the index](README.md) and
[the mistake](#mistake-shifted).

<!-- limits A: begin -->
<!-- limits A: end -->
"""


def course(root: Path) -> Path:
    """Writes the pages into a folder and returns it."""
    for path, text in {
        "handouts/README.md": README,
        "handouts/lab1.md": LAB,
        "handouts/figures/box.svg": SVG,
        "handouts/interactive/main.js": "window.figures = 'ready';\n",
        "handouts/figures/mistakes/shifted.svg": SVG,
        "labs/lab.h": "",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def made(root: Path, *, with_pdfs: bool = False, source: str = "") -> tuple[Built, Path]:
    """The site of a course, and what is wrong with it."""
    site = root / "build" / "site"
    built = build.build(root, site, with_pdfs=with_pdfs, source=source, say=lambda _: None)
    return built, site
