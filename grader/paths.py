"""Where things are. Everything the grader writes is below build/."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LABS = ROOT / "labs"
HIDDEN = ROOT / "grader" / "hidden"
BUILD = ROOT / "build"
