"""`./grade setup`: installs what is missing. The standard library alone."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from grader.commands.parser import Parser
from grader.setup import install, nvcc, stamp

# What may be asked for, the larger first where one has all of another.
FLAVOURS = {
    "pages": "what the tests of pages need, a browser too",
    "dev": "what make test needs",
    "slurm": "submitit, which grades a class on Slurm",
    "bench": "the libraries that make bench compares with",
    "charts": "matplotlib, for the charts of reports",
    "handouts": "what makes the handouts' site and PDFs",
    "check": "what unit tests in C need",
    "nvcc": f"NVIDIA's compiler, which needs no GPU: {nvcc.DOWNLOAD} MB",
}


def is_left_out(flavour: str) -> bool:
    """Whether this copy, a student's, has no lock for a flavour."""
    return flavour in stamp.LOCKS and not Path(stamp.LOCKS[flavour]).exists()


def run(arguments: Sequence[str]) -> int:
    """Installs what is missing, and nothing else. Returns the exit status."""
    parser = Parser("setup")
    offered = [name for name in FLAVOURS if not is_left_out(name)]
    for name in offered:
        parser.add_argument(f"--{name}", action="store_true", help=f"also {FLAVOURS[name]}")
    parser.add_argument(
        "--system", action="store_true", help="only the system packages of what is asked for"
    )
    options = vars(parser.parse_args(arguments))
    asked = [name for name in offered if options[name]] or ["run"]
    wanted = dict.fromkeys([asked[0], *(["nvcc"] if "nvcc" in asked else [])])
    lacking = [name for name in wanted if install.missing(name, options["system"])]
    for name in lacking:
        if status := install.set_up(name, options["system"]):
            return status
    if not lacking and "MAKELEVEL" not in os.environ:  # make calls this before every unit test
        print("convlabs: everything is installed; ./grade doctor lists it", file=sys.stderr)
    return 0
