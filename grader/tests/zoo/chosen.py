"""Which entries of the zoo a run of the tests grades.

The first of each kind (lab apart: a mistake by its name, a technique check, a right program, ...)
and a quarter of the rest: another quarter for another commit, the same one for the same commit, so
that a failure can be repeated. What was left out comes with one of the next commits; the whole zoo
is graded by

    ZOO=all make zoo        what must hold before a release
    make zoo-table          the same, and writes the table
"""

from __future__ import annotations

import os
import subprocess
import zlib
from collections.abc import Iterable

from grader import paths
from grader.tests.zoo.entries import Entry, everything

PARTS = 4


def entries() -> list[Entry]:
    """Those to be graded now: ZOO=all, ZOO=0 to ZOO=3 for a certain quarter, else the commit's."""
    part = wanted_part()
    return list(everything()) if part is None else choose(everything(), part)


def wanted_part() -> int | None:
    """The part to be graded now, or None for all of them."""
    wanted = os.environ.get("ZOO", "")
    if wanted == "all":
        return None
    return int(wanted) % PARTS if wanted else part_of_commit()


def choose(all_entries: Iterable[Entry], part: int) -> list[Entry]:
    """The first of each kind, and the rest's part."""
    kinds: set[tuple[str, str]] = set()
    chosen = []
    for entry in all_entries:
        kind = (entry.verdict, entry.detail)
        if kind not in kinds or part_of(entry) == part % PARTS:
            chosen.append(entry)
        kinds.add(kind)
    return chosen


def part_of(entry: Entry) -> int:
    """The part that an entry belongs to, which depends on its name alone."""
    return zlib.crc32(str(entry).encode()) % PARTS


def part_of_commit() -> int:
    """By the commit's hash. Without git (an archive): the first part."""
    command = ["git", "-C", str(paths.ROOT), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return 0
    return int(done.stdout[:8], 16) % PARTS if done.returncode == 0 else 0
