"""Writes the report: one page that loads nothing from the network.

python -m labs.studies.reproduce.report HERE.json [--reference FILE.json]
    [--pictures FOLDER] --out FOLDER
"""

import argparse
import base64
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from PIL import Image

from labs.studies.bench import svg
from labs.studies.reproduce import plots, published, tables

HERE = Path(__file__).resolve().parent
REFERENCE = HERE / "reference.json"
MARKS = {"unsteady": "unsteady", "within": "✓ below 1e-5", "beyond": "✗ above 1e-5"}
WIDTH = 640  # of a picture in the page, in pixels


@dataclass(frozen=True)
class Picture:
    size: str  # of the mask
    data: str  # a smaller copy of the picture, as a data URL


def picture(path: Path, size: str) -> Picture:
    with Image.open(path) as original:
        height = round(original.height * WIDTH / original.width)
        small = original.resize((WIDTH, height))
    buffer = io.BytesIO()
    small.save(buffer, "PNG", optimize=True)
    data = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    return Picture(size, data)


def machines(
    here: Mapping[str, Any], reference: Mapping[str, Any] | None
) -> list[tuple[str, str, str]]:
    """The table of machines: name, value of this machine, value of the committed run."""

    def column(document: Mapping[str, Any] | None) -> list[str]:
        if document is None:
            return [tables.NOT_YET] + [""] * 4
        gpu, this = document["gpu"], document["machine"]
        device = f"{gpu['name']}, driver {gpu['driver']}, nvcc {gpu['nvcc']}" if gpu else "not used"
        processor = f"{this['cpu']}, {this['cores']} cores"
        return [document["date"], processor, device, this["compiler"], document["command"]]

    names = ("date", "processor", "GPU", "C compiler", "command")
    return list(zip(names, column(here), column(reference), strict=True))


def reference_name(reference: Mapping[str, Any] | None) -> str:
    """The heading of the committed run's column."""
    if reference is None:
        return "committed run"
    gpu = reference["gpu"]
    return f"{gpu['name']}, driver {gpu['driver']}, {reference['date'][:10]}"


def write(
    here: Mapping[str, Any],
    reference: Mapping[str, Any] | None,
    pictures: Sequence[Path],
    out: Path,
) -> None:
    """Writes report.html to the folder `out`."""
    chapters = tables.chapters(published.load(), here, reference)
    sections = [s for chapter in chapters for s in chapter.sections if s.chart]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    content: dict[str, Any] = {
        "chapters": chapters,
        "machines": machines(here, reference),
        "marks": MARKS,
        "reference_name": reference_name(reference),
        "pictures": [picture(path, path.stem.removeprefix("result-")) for path in pictures],
        "charts": {s.chart: Markup(plots.svg(s, svg.VARIABLES)) for s in sections},
    }
    out.mkdir(parents=True, exist_ok=True)
    page = environment.get_template("report.html").render(**content)
    (out / "report.html").write_text(page, encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("here", type=Path, help="this machine's measurement")
    parser.add_argument(
        "--reference", type=Path, help=f"the committed measurement ({REFERENCE.name})"
    )
    parser.add_argument("--pictures", type=Path, help="the folder with result-3x3.png and others")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the report")
    chosen = parser.parse_args(arguments)
    reference = chosen.reference or REFERENCE
    pictures = sorted(chosen.pictures.glob("result-*.png")) if chosen.pictures else []
    write(read(chosen.here), read(reference) if reference.exists() else None, pictures, chosen.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
