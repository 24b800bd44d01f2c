"""What a proof of ./grade bulk knows: its folder, the promised figures, and what was measured."""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from grader import paths

GRADE = str(paths.ROOT / "grade")
# The quickest is the usual one: two runs of 300 must end within half an hour.
LAB = os.environ.get("PROVED_LAB") or "lab1"
PROCESSOR = {"lab3": 5.0}  # the most processor seconds of a grade, where they were promised
WHOLE_CLASS = 300
START = time.monotonic()


class Failed(Exception):  # noqa: N818 (it ends the program)
    """A claim does not hold."""


@dataclass
class Bar:
    """A figure that was promised."""

    claim: str
    measured: str
    holds: bool


@dataclass
class Proof:
    """The folder of the proof, the size of the class, and what was found so far."""

    home: Path
    count: int
    kills: int
    seed: int
    page: bool = True  # whether ./grade report is among what is proved
    bars: list[Bar] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)

    def bar(self, claim: str, measured: str, holds: bool) -> None:
        self.bars.append(Bar(claim, measured, holds))
        say(f"{'holds' if holds else 'FALLS SHORT'}: {claim}: {measured}")

    def fact(self, what: str, figure: str) -> None:
        self.facts.append((what, figure))
        say(f"{what}: {figure}")

    def bulk(self, name: str, *options: str) -> list[str]:
        """The command that grades the class into the folder `name`."""
        place = self.home / "class"
        argv = [GRADE, "bulk", str(place / "submissions.zip"), "--out", str(self.home / name)]
        argv += ["--roster", str(place / "canvas.csv"), "--course", str(place / "course.toml")]
        return [*argv, "--labs", LAB, "--seconds", "4", "--no-speed", *options]


def say(text: str) -> None:
    seconds = int(time.monotonic() - START)
    print(f"[{seconds // 60:2}:{seconds % 60:02}] {text}", flush=True)


def require(holds: bool, claim: str) -> None:
    """Raises Failed unless the claim holds."""
    if not holds:
        raise Failed(claim)
    say(f"holds: {claim}")
