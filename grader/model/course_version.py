"""Which version of the course this is: its number, and the commit that it was made from."""

import subprocess
from functools import cache
from pathlib import Path

from grader import __version__, paths

COMMIT = Path(__file__).with_name("commit.txt")  # of an archive for students; else git knows it
DIGITS = 12  # of a commit


@cache
def shown() -> str:
    """ "0.1.0 (dbc16c79abcd)"; the number alone where nothing says the commit."""
    commit = COMMIT.read_text().strip() if COMMIT.exists() else _of_git(paths.ROOT)
    return f"{__version__} ({commit})" if commit else __version__


def _of_git(root: Path) -> str:
    """The commit of a clone; "" of a copy that lies in a clone of something else."""
    if not (root / ".git").exists():
        return ""
    safe = f"safe.directory={root}"  # root may read another user's clone in a container
    argv = ["git", "-c", safe, "-C", str(root), "rev-parse", f"--short={DIGITS}", "HEAD"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
