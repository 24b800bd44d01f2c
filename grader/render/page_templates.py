"""How templates of pages are read: text is escaped, and a name that nothing sets is an error."""

from pathlib import Path

import jinja2
from markupsafe import Markup

from grader.model import quoted

SHARED = Path(__file__).resolve().parent / "templates"  # head.html, and the style of a report


def environment(folder: Path = SHARED) -> jinja2.Environment:
    """For the templates of a folder, and those that all pages share."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, SHARED]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["marks"] = quoted.marks  # fence.html
    return made


def style(*files: Path) -> Markup:
    """The style sheets, one after another, as the text of a style element."""
    return Markup("".join(file.read_text(encoding="utf-8") for file in files))
