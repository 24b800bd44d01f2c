"""Runs a command to its end, and keeps what it prints as text."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader import paths


def run(argv: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
    """Whatever its exit status is; check=True: raises an error if it is not 0."""
    wanted = {"capture_output": True, "text": True, "check": False} | options
    return subprocess.run(argv, **wanted)


def grade(*words: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """./grade with these words."""
    return run([paths.ROOT / "grade", *words], **options)
