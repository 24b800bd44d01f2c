"""`./grade setup`: installs what is missing. The standard library alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from grader.commands.parser import Parser
from grader.setup import install, stamp


def run(arguments: Sequence[str]) -> int:
    """Installs what is missing, and nothing else. Returns the exit status."""
    parser = Parser("setup")
    parser.add_argument("--check", action="store_true", help="also what unit tests in C need")
    parser.add_argument(
        "--handouts", action="store_true", help="also what makes the handouts' site and PDFs"
    )
    if Path(stamp.LOCKS["dev"]).exists():
        parser.add_argument("--dev", action="store_true", help="also what make test needs")
        parser.add_argument(
            "--pages", action="store_true", help="also what the tests of pages need, a browser too"
        )
    if Path(stamp.LOCKS["slurm"]).exists():
        parser.add_argument(
            "--slurm", action="store_true", help="also submitit, which grades a class on Slurm"
        )
    if Path(stamp.LOCKS["bench"]).exists():
        parser.add_argument(
            "--bench", action="store_true", help="also the libraries that make bench compares with"
        )
    parser.add_argument(
        "--system", action="store_true", help="only the system packages of what is asked for"
    )
    options = vars(parser.parse_args(arguments))
    asked = [
        name
        for name in ("pages", "dev", "slurm", "bench", "handouts", "check")
        if options.get(name)
    ]
    flavour = asked[0] if asked else "run"
    if install.missing(flavour, options["system"]):
        return install.set_up(flavour, options["system"])
    if "MAKELEVEL" not in os.environ:  # make calls this before every unit test
        print("convlabs: everything is installed; ./grade doctor lists it", file=sys.stderr)
    return 0
