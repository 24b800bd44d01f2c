"""A folder for the files that a reader needs to have on disk."""

import atexit
import shutil
import tempfile
from pathlib import Path

from grader import paths


def folder() -> Path:
    """An empty folder in build/fuzz/ that this process keeps to its end."""
    home = paths.BUILD / "fuzz"
    home.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="files-", dir=home))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
