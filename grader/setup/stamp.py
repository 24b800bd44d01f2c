"""Whether build/venv was set up completely. Python 3.6 can read this file, and it imports little.

The last step of a set-up writes a stamp into build/venv. The stamp says what build/venv was made
from, so that a changed lock, another interpreter or another machine makes it invalid.
"""

import hashlib
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VENV = os.path.join(ROOT, "build", "venv")
PYTHON = os.path.join(VENV, "bin", "python")
LOCKS = {
    "run": os.path.join(ROOT, "grader", "setup", "requirements.lock"),
    # what `make handouts` needs
    "handouts": os.path.join(ROOT, "grader", "setup", "requirements-handouts.lock"),
    # of the project, not of a student's copy: what make test, the tests in a browser with those
    # of the handouts, and ./grade bulk --executor slurm need
    "dev": os.path.join(ROOT, "grader", "setup", "requirements-dev.lock"),
    "pages": os.path.join(ROOT, "grader", "setup", "requirements-pages.lock"),
    "slurm": os.path.join(ROOT, "grader", "setup", "requirements-slurm.lock"),
    # what make bench compares with
    "bench": os.path.join(ROOT, "grader", "setup", "requirements-bench.lock"),
    # also absent there: what ./grade report draws with
    "charts": os.path.join(ROOT, "grader", "setup", "requirements-reproduce.lock"),
}


def path(flavour):  # type: (str) -> str
    """The stamp of a flavour: "run" (what a student needs), "handouts", "dev" (make test),
    "pages" (all tests), "slurm", "bench" or "charts"."""
    return os.path.join(VENV, flavour + ".stamp")


def key(flavour):  # type: (str) -> str
    """What a stamp contains where build/venv fits the lock, the interpreter and the machine."""
    with open(LOCKS[flavour], "rb") as lock:
        digest = hashlib.sha256(lock.read()).hexdigest()
    # PYTHON is a link to /usr/bin; an upgrade of the system's Python may break or change it.
    interpreter = os.path.realpath(PYTHON)
    if not os.access(interpreter, os.X_OK):
        interpreter = "none"
    return "\n".join([digest, interpreter, os.uname().machine, ""])


def valid(flavour):  # type: (str) -> bool
    """Whether the set-up of that flavour was completed and still fits."""
    try:
        with open(path(flavour), encoding="utf-8", errors="surrogateescape") as stamp:
            return stamp.read() == key(flavour)
    except OSError:
        return False
