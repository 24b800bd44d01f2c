"""Draws handouts/figures/grade.svg: a terminal in which ./grade judges a wrong lab 3, then a right
one. Its lines come one after another and then stay; for readers who prefer less motion all are
there from the start.

python -m handouts.drawing.terminal            write it: this grades both
python -m handouts.drawing.terminal --check    change nothing; exit 1 if the output is another one
"""

import io
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from grader.tests.known_submissions import entries

ROOT = Path(__file__).resolve().parent.parent.parent
FIGURE = ROOT / "handouts" / "figures" / "grade.svg"
SUBMISSION = "lab3/zero-as-replicate"  # a known submission
SOLUTION = Path("solutions", "lab3_constant_mask")
FILE = "constant_mask.cu"
LINES, LINES_OF_RIGHT = 16, 6  # shown of the two grades, without the last three of each
WIDTH = 96
# Seconds: until a grade begins, between its lines, and before the second command.
STARTS, PER_LINE, READING = 1.0, 0.15, 3.0
THEME = TerminalTheme(
    (24, 26, 31),
    (214, 218, 226),
    [  # black, red, green, yellow, blue, magenta, cyan, white
        (70, 74, 84),
        (240, 113, 120),
        (122, 204, 132),
        (229, 192, 123),
        (97, 175, 239),
        (198, 140, 236),
        (86, 194, 208),
        (200, 204, 212),
    ],
)
# rich's own template loads a font from the web; this one uses a font of the reader's machine.
TEMPLATE = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" \
xmlns="http://www.w3.org/2000/svg">
<title>A wrong lab 3, graded in a terminal, then a right one</title>
<desc>The terminal shows which check failed, where the first wrong pixel is, what it should be, \
and that the output is what a replicate border gives. The second grade passes every check.</desc>
<style>
@keyframes come {{ from {{ opacity: 0 }} to {{ opacity: 1 }} }}
@media (prefers-reduced-motion: no-preference) {{
.{unique_id}-matrix text {{ animation: come 0.1s both }} }}
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, \
monospace; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" \
height="{terminal_height}"/></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" \
clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">{matrix}</g></g>
</svg>
"""


def draw() -> str:
    """Grades both. Returns the SVG."""
    console = Console(record=True, width=WIDTH + 14, file=io.StringIO())
    wrong = entries.write(entries.find(SUBMISSION)).relative_to(ROOT)
    came: list[float] = []  # when each line comes, in seconds
    for source, count in ((wrong, LINES), (SOLUTION, LINES_OF_RIGHT)):
        console.print(Text("$ make lab3 && ./grade lab3", style="bold"))
        came.append(came[-1] + READING if came else 0)
        for number, line in enumerate(graded(source, count)):
            indent = len(line) - len(line.lstrip())
            # Some renderers drop leading white space, so indentation is text in another style.
            text = Text(" " * indent, style="on #181a1f") + Text.from_ansi(line[indent:])
            console.print(text, soft_wrap=True)
            came.append(came[-1] + (PER_LINE if number else STARTS))
    svg = console.export_svg(title="./grade lab3", theme=THEME, code_format=TEMPLATE)
    return moving(svg, came)


def graded(source: Path, count: int) -> list[str]:
    """The first `count` lines that ./grade prints of a folder, and the last three."""
    done = subprocess.run(
        [ROOT / "grade", "lab3", "--no-correct", "--src", ROOT / source, "--color", "always"],
        capture_output=True,
        text=True,
        check=False,
        env={"COLUMNS": str(WIDTH), "PATH": "/usr/bin:/bin"},
    )
    printed = done.stdout.replace(f" --src {ROOT / source}", "")
    printed = printed.replace(f"{source}/{FILE}", f"starter/lab3_constant_mask/{FILE}")
    # The simulator's prediction follows the grade.
    lines = re.split(r"\n *(?:\x1b\[[\d;]*m)*pred", printed)[0].splitlines()
    return [*lines[:count], "  ...", *lines[-3:]]


def moving(svg: str, came: list[float]) -> str:
    """The SVG, whose lines come at these seconds."""
    return re.sub(
        r"<text (?=[^>]*-line-(\d+)\))",
        lambda text: f'<text style="animation-delay: {came[int(text[1])]:.1f}s" ',
        svg,
    )


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: python -m handouts.drawing.terminal [--check]", file=sys.stderr)
        return 2
    svg = draw()
    if FIGURE.is_file() and FIGURE.read_text(encoding="utf-8") == svg:
        return 0
    if arguments:
        print("grade.svg is not what ./grade prints; run python -m handouts.drawing.terminal")
        return 1
    FIGURE.write_text(svg, encoding="utf-8")
    print(f"wrote {FIGURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
