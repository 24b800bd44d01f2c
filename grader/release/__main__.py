"""Makes dist/convlabs-student-VERSION.tar.gz and proves it fit to be given away.

    make release [LABS="lab1 lab2"] [DIRTY=1]     make the archive, prove it, then put it into dist/
    make release-check [...]                      the same, and nothing is written

It is made of the files that git tracks, as they are on the disk. With changes that are not
committed it refuses; DIRTY=1 takes them, and the archive's name says so. The time of its files is
the last commit's: the same commit gives the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from pathlib import Path

from grader import __version__, paths
from grader.release import archive, contents, gate, trial
from grader.release.contents import ReleaseError

DIST = paths.ROOT / "dist"


def main() -> int:
    """The exit status: 0 released, 1 refused, 130 interrupted."""
    parser = argparse.ArgumentParser(prog="make release")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--dirty", action="store_true", help="what is not committed as well")
    parser.add_argument("--labs", default="", help="these alone: 'lab1 lab2'")
    asked = parser.parse_args()
    started = time.monotonic()
    try:
        name, data, labs = make(paths.ROOT, asked.labs.split(), asked.dirty)
        prove(paths.ROOT, data)
        with tempfile.TemporaryDirectory(prefix="convlabs-release-") as place:
            trial.run(data, labs, Path(place), say)
        if not asked.check:
            archive.write(DIST / name, data)
    except ReleaseError as problem:
        print(f"release: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        print(f"release: this machine stops it: {where}{problem.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("release: interrupted; nothing is left behind", file=sys.stderr)
        return 130
    where = f"dist/{name}" if not asked.check else f"{name} (not written)"
    say(f"{hashlib.sha256(data).hexdigest()}  {where}")
    say(f"{len(data)} bytes, proved in {time.monotonic() - started:.0f} s")
    return 0


def make(root: Path, wanted: list[str], dirty: bool) -> tuple[str, bytes, list[str]]:
    """The archive's name, its bytes and the labs in it. Raises ReleaseError."""
    changed = contents.changes(root)
    if changed and not dirty:
        raise ReleaseError(
            "there are changes that are not committed:\n  "
            + "\n  ".join(changed[:10])
            + "\ncommit them or put them away, or take them along with DIRTY=1"
        )
    labs = contents.chosen_labs(root, wanted)
    members = contents.members(root, contents.tracked(root), contents.lists(), labs)
    folder = f"convlabs-student-{__version__}"
    committed = int(contents.git(root, "log", "-1", "--format=%ct"))
    data = archive.pack(members, folder, committed)
    suffixes = [*(labs if wanted else []), *(["dirty"] if changed else [])]
    say(f"{len(members)} files, {sum(len(m.content) for m in members)} bytes: {' '.join(labs)}")
    return "-".join([folder, *suffixes]) + ".tar.gz", data, labs


def prove(root: Path, data: bytes) -> None:
    """Looks at every byte of the archive. Raises ReleaseError."""
    sought = gate.known(root, contents.tracked(root), contents.lists())
    found = gate.findings(data, sought)
    if found:
        raise ReleaseError(
            f"the archive holds what it must not; {len(found)} findings:\n  "
            + "\n  ".join(found)
            + f"\ntake it out; a line of a solution that students may see goes into `published` "
            f"of {contents.SHOWN}"
        )
    say(f"none of {len(sought.texts)} secret lines and {len(sought.seeds)} seeds is inside")


def say(text: str) -> None:
    print(f"  {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
