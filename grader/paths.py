"""Where the course's files are. Grading writes only to build/; `./grade reset` to starter/."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LABS = ROOT / "labs"
HIDDEN = ROOT / "grader" / "hidden"
STARTER = ROOT / "starter"
SOLUTIONS = ROOT / "solutions"
BUILD = ROOT / "build"
PROGRESS = BUILD / "progress"  # `make clean` keeps it
