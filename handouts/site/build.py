"""Makes the site and the PDFs in a folder."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from grader.execute.steps import Recording
from grader.render import step_page
from handouts.site import check, contents, pdf, search_index, web
from handouts.site.web import HERE, Reading

JOBS = 2  # pandoc and typst at a time
PDFS = "pdf"  # the folder of the site that has them


@dataclass
class Built:
    """What was made, and what is wrong with it; no problems: all is well."""

    pages: int = 0
    pdfs: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def build(
    root: Path,
    out: Path,
    *,
    with_pdfs: bool = True,
    source: str = "",
    say: Callable[[str], None] = print,
) -> Built:
    """Makes the site of root/handouts in the folder `out`, which it replaces when all is made.
    `source`: the address under which readers find the repository's files, "" if there is none.
    Raises PandocError, PdfError, OSError."""
    handouts = root / "handouts"
    listed = contents.read(handouts)
    new = out.with_name(out.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    with ThreadPoolExecutor(JOBS) as pool:
        readings = list(pool.map(web.read, listed.pages))
        titles = {r.page.name: "Contents" if r.page.name == "index" else r.title for r in readings}
        files = pdf.files(listed) if with_pdfs else {}

        def write(reading: Reading) -> list[str]:
            text, pictures = web.body(reading, listed, root, source)
            name = reading.page.name
            offered = f"{PDFS}/{files[name]}" if name in files else None
            page = web.page(reading, text, listed, titles, offered)
            (new / reading.page.html).write_text(page, encoding="utf-8")
            return pictures

        pictures = {path for shown in pool.map(write, readings) for path in shown}
        _copy(handouts, new, pictures)
        (new / "search-index.js").write_text(search_index.script(readings), encoding="utf-8")
        say(f"{len(readings)} pages with {len(pictures)} pictures")
        made = pdf.write(readings, listed, root, new / PDFS, pool, say) if with_pdfs else []
    problems = [*listed.problems, *(p for r in readings for p in r.problems), *check.site(new)]
    if out.exists():
        shutil.rmtree(out)  # its error names what cannot be removed
    new.rename(out)
    return Built(len(readings), [out / PDFS / name for name in made], problems)


def _copy(handouts: Path, site: Path, pictures: set[str]) -> None:
    """Copies the pictures, styles and scripts that the pages load, and makes the pages of the
    recorded steps."""
    for path in sorted(pictures):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(handouts / path, site / path)
    shutil.copytree(HERE / "assets", site / "assets")
    if (handouts / "interactive").is_dir():
        shutil.copytree(
            handouts / "interactive",
            site / "interactive",
            ignore=shutil.ignore_patterns("steps"),
        )
        shutil.copy(step_page.RULES, site / "interactive")
    for file in sorted(handouts.glob("interactive/steps/*.json")):
        made = site / "interactive" / "steps" / f"{file.stem}.html"
        made.parent.mkdir(exist_ok=True)
        recording = msgspec.json.decode(file.read_bytes(), type=Recording)
        made.write_text(step_page.page(recording, small=True), encoding="utf-8")
