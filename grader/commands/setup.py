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
    if Path(stamp.LOCKS["dev"]).exists():
        parser.add_argument(
            "--dev", action="store_true", help="also what the tests of the project need"
        )
    options = vars(parser.parse_args(arguments))
    flavour = "dev" if options.get("dev") else "check" if options["check"] else "run"
    if install.missing(flavour):
        return install.set_up(flavour)
    if "MAKELEVEL" not in os.environ:  # make calls this before every unit test
        print("convlabs: everything is installed; ./grade doctor lists it", file=sys.stderr)
    return 0
