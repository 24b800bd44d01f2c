"""The times of this course's own files on a GPU, from labs/studies/gpu/RESULTS.md."""

import re
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "labs" / "studies" / "gpu" / "RESULTS.md"
_ROW = re.compile(r"^\| (lab\d+) (\w) \| ([^|]+) \| ([\d.]+) \| ([\d.]+|-) \|", re.MULTILINE)


@dataclass(frozen=True)
class Speed:
    """One speed check: µs per call, and of the baseline where it was timed, too."""

    lab: str
    part: str
    check: str
    time: float
    baseline: float | None


def gpu(text: str) -> str:
    """The GPU that RESULTS.md names. Raises ValueError where it names none."""
    found = re.search(r"^- gpu: ([^,\n]+)", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{FILE.name} has no line '- gpu: NAME'")
    return found[1]


def speeds(text: str) -> list[Speed]:
    """The rows of the table of speeds. Raises ValueError where there is none."""
    _, _, table = text.partition("## Speed of the solutions\n")
    rows = _ROW.findall(table.partition("\n## ")[0])
    if not rows:
        raise ValueError(f"{FILE.name} has no rows below 'Speed of the solutions'")
    return [
        Speed(lab, part, check, float(time), None if baseline == "-" else float(baseline))
        for lab, part, check, time, baseline in rows
    ]
