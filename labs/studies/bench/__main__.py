"""python -m labs.studies.bench cpu|gpu [--labs lab1,lab8] [--no-curves] [--seconds N]
    [--out FOLDER] [--machine NAME]
python -m labs.studies.bench pages [--check]

cpu and gpu measure; pages writes the pages again.

A run writes FOLDER/cpu.json or gpu.json (default: labs/studies/bench/results), with --machine h100
gpu-h100.json beside the run of another machine; and for the default folder RESULTS.md, the charts
and the table of README.md. `pages` writes these from the committed runs;
with --check it changes nothing, names what is stale, and exits with 1 if anything is.
"""

import argparse
import math
import re
import sys
from pathlib import Path

from labs.studies.bench import results


def _name(text: str) -> str:
    """A part of a file's name."""
    if not re.fullmatch(r"[a-z0-9]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not made of small letters and digits")
    return text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m labs.studies.bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for kind in results.KINDS:
        command = commands.add_parser(kind)
        command.add_argument("--labs", default="", help="such as lab1,lab8; default: all")
        command.add_argument("--no-curves", action="store_true", help="no scaling curves")
        command.add_argument(
            "--seconds", type=float, default=math.inf, help="end after this many seconds"
        )
        command.add_argument("--out", type=Path, default=results.FOLDER)
        command.add_argument("--machine", type=_name, help="a second machine's name, such as h100")
    commands.add_parser("pages").add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.command == "pages":
        from labs.studies.bench import pages

        stale = pages.update(check=options.check)
        for line in stale:
            print(line)
        return 1 if options.check and stale else 0
    from labs.studies.bench import measure

    labs = options.labs.split(",") if options.labs else []
    plan = measure.Plan(labs, not options.no_curves, options.seconds)
    options.out.mkdir(parents=True, exist_ok=True)
    for run in measure.runs(options.command, plan):
        results.write(run, options.out, options.machine or "")
    if options.out == results.FOLDER:
        from labs.studies.bench import pages

        pages.update(check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
