"""The names that the simulator's headers declare."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"
PRECOMPILED = re.compile(rb'^#pragma GCC pch_preprocess "([^"]*)"$', re.MULTILINE)


@cache
def functions() -> frozenset[bytes]:
    """The functions of the runtime API that are C functions."""
    files = sorted([*INCLUDE.glob("*.h"), *INCLUDE.glob("sim/*.h")])
    headers = b"\n".join(header.read_bytes() for header in files)
    return frozenset(re.findall(rb"SIM_API\w*\((cuda\w+)", headers))


def names_file(precompiled: Path) -> Path:
    """Where the names in a precompiled header are listed."""
    return precompiled.with_suffix(".names")


class Mentions:
    """The names in a program's headers, which are foreign text of `Expanded`."""

    def __init__(self, foreign: list[tuple[int, bytes]]) -> None:
        self.texts = [text for _, text in foreign]
        self.precompiled: set[bytes] = set()
        for file in PRECOMPILED.findall(self.texts[0] if self.texts else b""):
            self.precompiled.update(names_file(Path(os.fsdecode(file))).read_bytes().split())

    def __contains__(self, name: bytes) -> bool:
        letters = re.escape(name)  # re searches for them fast, and slowly for a \b first
        word = re.compile(rb"%s\b(?<!\w%s)" % (letters, letters))
        return name in self.precompiled or any(
            name in text and word.search(text) for text in self.texts
        )
