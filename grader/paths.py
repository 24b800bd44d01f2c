"""Where things are. Grading writes below build/ only; `./grade reset` writes to starter/."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LABS = ROOT / "labs"
HIDDEN = ROOT / "grader" / "hidden"
STARTER = ROOT / "starter"
SOLUTIONS = ROOT / "solutions"
BUILD = ROOT / "build"
PROGRESS = BUILD / "progress"  # `make clean` keeps it
