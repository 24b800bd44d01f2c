"""Where the course's files are. Grading writes only to build/; `./grade reset` to starter/."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LABS = ROOT / "labs"
STARTER = ROOT / "starter"
SOLUTIONS = ROOT / "solutions"
BUILD = ROOT / "build"
PROGRESS = BUILD / "progress"  # `make clean` keeps it


def hidden_cases(folder: str) -> Path:
    """The hidden cases of the lab in labs/FOLDER; a student's copy has none."""
    return SOLUTIONS / folder / "hidden.toml"
