"""Makes the site and the PDFs of the handouts, and checks the site.

    python -m handouts.site [--no-pdf] [--out FOLDER] [--source ADDRESS]

The exit status is 1 where a link, an anchor, a picture or the contents are wrong.
"""

import argparse
import sys
import time
from pathlib import Path

from grader.files import remedy
from handouts.site import build
from handouts.site.pandoc import PandocError
from handouts.site.pdf import PdfError

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Returns the exit status; what is wrong has been printed."""
    parser = argparse.ArgumentParser(prog="make handouts", description=__doc__)
    parser.add_argument("--no-pdf", action="store_true", help="make the site alone")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "handouts" / "site")
    parser.add_argument(
        "--source",
        default="",
        metavar="ADDRESS",
        help="where readers find the repository's files, as https://HOST/PROJECT/blob/main; "
        "without it, their paths are shown",
    )
    options = parser.parse_args(arguments)
    began = time.monotonic()
    try:
        built = build.build(
            ROOT,
            options.out,
            with_pdfs=not options.no_pdf,
            source=options.source,
            say=lambda text: print(f"  {text}", flush=True),
        )
    except (PandocError, PdfError) as problem:
        print(f"make handouts: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        where, advice = problem.filename or options.out, remedy(problem)
        print(
            f"make handouts: cannot write {where}: {problem.strerror}"
            f"{f'; {advice}' if advice else ''}",
            file=sys.stderr,
        )
        return 1
    for text in built.problems:
        print(f"  {text}", file=sys.stderr)
    print(f"  open {shown(options.out / 'index.html')}")
    for file in built.pdfs[:1]:
        print(f"  all pages as PDF: {shown(file)}; each lab's is beside it")
    print(f"  made in {time.monotonic() - began:.0f} s")
    if built.problems:
        many = "s" * (len(built.problems) > 1)
        print(f"make handouts: {len(built.problems)} problem{many}, listed above", file=sys.stderr)
    return 1 if built.problems else 0


def shown(path: Path) -> Path:
    """A path as short as it can be."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
