"""`./grade new-lab`: the folders of a new lab, a copy of the smallest one to begin with."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from grader import paths
from grader.commands.errors import CommandError, UsageError
from grader.model import outline

FROM = "lab1"  # plain C, one file
LEFT_OUT = ("expert.c",)  # of its solution
PAGES = Path("handouts", "site", "contents.toml")
PAGE = """# Lab {number}: {title}

What this lab teaches, in one paragraph: write it. Until then it is a copy
of [lab {of}]({from_lab}.md).

## What you write

Fill in the TODOs of `starter/{folder}/`; `labs/{folder}/lab.h` says what each function must do.

    make {lab} && ./grade {lab}

## The checks

<!-- checks all: begin -->
<!-- checks all: end -->
"""
NEXT = """next:
  make {lab} && ./grade {lab}               the starter: 0 points
  ./grade {lab} --src solutions             the solution: full marks
  labs/{folder}/lab.toml        the parts, the checks, their points
  solutions/{folder}/           write the solution here; make starters makes starter/ from it
  handouts/{lab}.md                        write the page; build/venv/bin/python -m handouts.facts
CONTRIBUTING.md, "Add a lab", has the rest"""


def new_lab(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help='Such as "histogram", or "lab12_histogram".')
    ],
) -> None:
    """Make the folders of a new lab, which works from the start."""
    lab, folder = _named(name)
    stem = folder.partition("_")[2]
    title, source = stem.replace("_", " "), outline.load(FROM)
    words = {source.folder: folder, FROM: lab, FROM.upper(): lab.upper()}
    words |= {Path(source.submit[0]).stem: stem}  # one name in two labs would be handed in for both
    words |= {f"ab {FROM[3:]}": f"ab {lab[3:]}", f'"{source.title}"': f'"{title}"'}
    for place in (paths.LABS, paths.SOLUTIONS):
        _copy(place / source.folder, place / folder, words)
    page = PAGE.format(
        lab=lab, number=lab[3:], title=title, folder=folder, from_lab=FROM, of=FROM[3:]
    )
    (paths.ROOT / "handouts" / f"{lab}.md").write_text(page, encoding="utf-8")
    _list_page(lab)
    made = subprocess.run([sys.executable, paths.SOLUTIONS / "starters.py"], check=False)
    if made.returncode:
        raise CommandError("starter/ could not be made: see above", 3)
    print(f"made labs/{folder}/, solutions/{folder}/, starter/{folder}/ and handouts/{lab}.md")
    print(NEXT.format(lab=lab, folder=folder))


def _named(name: str) -> tuple[str, str]:
    """The id and the folder of the new lab. Raises UsageError."""
    match = re.fullmatch(r"(?:lab([1-9]\d*)_)?((?!lab\d)[a-z][a-z0-9]*(?:_[a-z0-9]+)*)", name)
    if match is None:
        raise UsageError(f"{name!r} names no folder: use small letters, such as shared_histogram")
    there = outline.available()
    number = match[1] or str(1 + max(int(lab[3:]) for lab in there))
    if f"lab{number}" in there:
        raise UsageError(f"there is a lab{number}: {there[f'lab{number}'].parent.name}")
    return f"lab{number}", f"lab{number}_{match[2]}"


def _copy(source: Path, target: Path, words: dict[str, str]) -> None:
    """Copies the files of a folder, with other words in their names and texts."""
    pattern = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))
    target.mkdir()
    for file in sorted(source.iterdir()):
        if file.is_file() and file.name not in LEFT_OUT:
            name, text = (
                pattern.sub(lambda found: words[found[0]], each)
                for each in (file.name, file.read_text(encoding="utf-8"))
            )
            (target / name).write_text(text, encoding="utf-8")


def _list_page(lab: str) -> None:
    """Adds the lab's page to those of the site."""
    file = paths.ROOT / PAGES
    last = list(outline.available())[-2:][0]
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(f'"{last}"]', f'"{last}", "{lab}"]'), encoding="utf-8")
