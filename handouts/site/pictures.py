"""The pictures of pages: how large they are, and SVG in its light theme alone, as PDFs need it."""

import re
from pathlib import Path

from PIL import Image

FONT = "Noto Sans CJK JP"  # the one without serifs that PDFs have
DARK = re.compile(r"@media[^{]*prefers-color-scheme\s*:\s*dark[^{]*\{")
ANY_MEDIA = re.compile(r"@media[^{]*\{")
VARIABLE = re.compile(r"(--[\w-]+)\s*:\s*([^;}\"]+)")
USE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,\s*([^()]*))?\)")


def size(path: Path) -> tuple[int, int] | None:
    """Width and height in CSS pixels; None where the file does not say."""
    if path.suffix != ".svg":
        with Image.open(path) as image:
            return image.size
    root = re.search(r"<svg\b[^>]*>", path.read_text(encoding="utf-8"))
    if not root:
        return None
    numbers = [re.search(rf'\s{name}="([\d.]+)(?:px)?"', root[0]) for name in ("width", "height")]
    if all(numbers):
        return tuple(round(float(n[1])) for n in numbers if n)  # type: ignore[return-value]
    box = re.search(r'viewBox="[-\d.]+[ ,]+[-\d.]+[ ,]+([\d.]+)[ ,]+([\d.]+)"', root[0])
    return (round(float(box[1])), round(float(box[2]))) if box else None


def light(svg: str) -> str:
    """An SVG without its dark theme and without CSS variables: typst knows neither `@media` nor
    `var()`."""
    while match := DARK.search(svg):
        svg = svg[: match.start()] + svg[_end(svg, match.end()) :]
    while match := ANY_MEDIA.search(svg):  # print, or a light theme: its rules hold
        end = _end(svg, match.end())
        inside = svg[match.end() : end - 1] if "dark" not in match[0] else ""
        keep = inside if "light" in match[0] else ""
        svg = svg[: match.start()] + keep + svg[end:]
    values = {name: value.strip() for name, value in VARIABLE.findall(svg)}
    for _ in range(5):  # a variable's value may name another one
        svg = USE.sub(lambda use: values.get(use[1], (use[2] or "").strip() or "black"), svg)
    svg = re.sub(r'font-family="[^"]*"', f'font-family="{FONT}"', svg)
    return re.sub(r"font-family\s*:[^;}\"]*", f"font-family: {FONT}", svg)


def _end(text: str, start: int) -> int:
    """The index behind the brace that closes the one before `start`."""
    depth = 1
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    return len(text)
