"""The pictures of pages: how large they are, and drawings in their light theme for PDFs."""

import re
from pathlib import Path

from PIL import Image

FONT = "Noto Sans CJK JP"  # the one without serifs that PDFs have
# handouts/drawing puts its only rules here: the attributes hold the light colours.
DARK = re.compile(r"<style>@media screen and \(prefers-color-scheme:dark\).*?</style>", re.S)


def size(path: Path) -> tuple[int, int] | None:
    """Width and height in CSS pixels; None where the file does not say."""
    if path.suffix != ".svg":
        with Image.open(path) as image:
            return image.size
    svg = path.read_text(encoding="utf-8")
    box = re.search(r'<svg\b[^>]* viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    return (round(float(box[1])), round(float(box[2]))) if box else None


def light(svg: str) -> str:
    """A drawing without its dark theme, of which typst would take the colours, in a font it has."""
    return re.sub(r'font-family="[^"]*"', f'font-family="{FONT}"', DARK.sub("", svg))
