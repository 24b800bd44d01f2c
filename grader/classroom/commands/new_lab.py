"""`./grade new-lab`: the folders of a new lab, which works from the start."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from grader import outside_labs, paths
from grader.commands.errors import CommandError, UsageError
from grader.model import outline

TEMPLATES = Path(__file__).parent.parent / "template"  # PLATFORM_OPERATION
SUFFIX = ".in"
IN_SOLUTIONS = ("solution.c", "solution.cu", "hidden.toml", "notes.md")
LEFT_OUT = ("expert.c", "expert.cu")  # of a lab that is copied
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
handouts/new-lab.md leads through a lab from here to its release"""


def new_lab(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help='Such as "histogram", or "lab12_histogram".')
    ],
    source: Annotated[
        str,
        typer.Option("--from", metavar="cuda|cpu|LAB", help="A template, or a lab to copy."),
    ] = "cuda",
    operation: Annotated[
        str, typer.Option("--operation", metavar="NAME", help="What a template computes.")
    ] = "sum",
    place: Annotated[
        Path | None,
        typer.Option("--in", metavar="FOLDER", help="Outside of this tree, as course.toml lists."),
    ] = None,
) -> None:
    """Make the folders of a new lab, which works from the start."""
    lab, folder = _named(name)
    files = _of_lab(source, lab, folder) if source in outline.available() else None
    files = files or _of_template(source, operation, lab, folder)
    root = _root(place)
    for kind in ("labs", "solutions", "starter"):
        if (root / kind / folder).exists():
            raise UsageError(f"{root / kind / folder} is there: delete it, or choose another name")
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (root / "starter" / folder).mkdir(parents=True, exist_ok=True)
    if root != paths.ROOT:
        outside_labs.link()
    else:
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


def _root(place: Path | None) -> Path:
    """Where the lab goes: this tree, or a folder that course.toml lists. Raises UsageError."""
    if place is None:
        return paths.ROOT
    root = place.resolve()
    if root.is_relative_to(paths.ROOT):
        raise UsageError(f"{place} is in this tree: leave out --in")
    (root / "labs").mkdir(parents=True, exist_ok=True)
    if root not in outside_labs.folders():
        raise UsageError(f'add "{place}" to the list `labs` of {outside_labs.COURSE} first')
    return root


def _of_template(source: str, operation: str, lab: str, folder: str) -> dict[Path, str]:
    """The files of a new lab from a template, by their paths. Raises UsageError."""
    template = TEMPLATES / f"{source}_{operation}"
    if not re.fullmatch(r"\w+", template.name) or not template.is_dir():
        there = sorted(each.name.replace("_", " --operation ") for each in TEMPLATES.iterdir())
        labs = ", ".join(outline.available())
        known = ", ".join(f"--from {each}" for each in there)
        raise UsageError(f"there is no such template; there are {known}, and the labs {labs}")
    stem = folder.partition("_")[2]
    words = {"@LAB@": lab, "@FOLDER@": folder, "@STEM@": stem, "@NUMBER@": lab[3:]}
    words["@TITLE@"] = stem.replace("_", " ")
    files = {}
    for file in sorted(template.iterdir()):
        name = file.name.removesuffix(SUFFIX)
        kind = "solutions" if name in IN_SOLUTIONS else "labs"
        path = Path(kind, folder, name.replace("solution.", f"{stem}."))
        path = Path("handouts", f"{lab}.md") if name == "page.md" else path
        files[path] = _with(words, file.read_text(encoding="utf-8"))
    return files


def _of_lab(source: str, lab: str, folder: str) -> dict[Path, str]:
    """The files of a copy of a lab, with other names in them, by their paths."""
    stem, of = folder.partition("_")[2], outline.load(source)
    title = stem.replace("_", " ")
    words = {of.folder: folder, source: lab, source.upper(): lab.upper()}
    first = Path(of.submit[0]).stem  # one name in two labs would be handed in for both
    words |= {name: name.replace(first, stem) for name in of.submit} | {first: stem}
    words |= {f"ab {source[3:]}": f"ab {lab[3:]}", f'"{of.title}"': f'"{title}"'}
    files = {}
    for kind in ("labs", "solutions"):
        for file in sorted((paths.ROOT / kind / of.folder).iterdir()):
            if file.is_file() and file.name not in LEFT_OUT:
                path = Path(kind, folder, _with(words, file.name))
                files[path] = _with(words, file.read_text(encoding="utf-8"))
    page = PAGE.format(
        lab=lab, number=lab[3:], title=title, folder=folder, from_lab=source, of=source[3:]
    )
    return {**files, Path("handouts", f"{lab}.md"): page}


def _with(words: dict[str, str], text: str) -> str:
    pattern = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.sub(pattern, lambda found: words[found[0]], text)


def _list_page(lab: str) -> None:
    """Adds the lab's page to those of the site."""
    file = paths.ROOT / PAGES
    last = list(outline.available())[-2:][0]
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(f'"{last}"]', f'"{last}", "{lab}"]'), encoding="utf-8")
