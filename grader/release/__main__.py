"""Makes dist/convlabs-student-VERSION.tar.gz, and first checks that students may have it.

    make release [LABS="lab1 lab2"] [COURSE=course.toml] [DIRTY=1]
                                make the archive, prove it, put it into dist/
    make release-check [...]    the same, but write nothing
    make release VERSION=1.0.0  all files of a release, from its tag, in a folder

The archive holds files that git tracks, as they are on the disk, and the solutions as objects to
time, unless student.toml says no. If there are changes that are not committed, it refuses; with
DIRTY=1 it takes them too, and the archive's name says so. Every file gets the time of the last
commit, so the same commit gives the same bytes with the same compilers.
"""

import argparse
import hashlib
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import get_args

from grader import __version__, files, paths
from grader.model import plain_text
from grader.model.assistants import Assistants
from grader.release import archive, contents, gate, objects, published, trial
from grader.release.contents import ReleaseError

DIST = paths.ROOT / "dist"
MOST_SHOWN = 20  # names of new files


def main() -> int:
    """Returns the exit status: 0 released, 1 refused, 130 interrupted."""
    parser = argparse.ArgumentParser(prog="make release")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--dirty", action="store_true", help="include uncommitted changes, too")
    parser.add_argument("--labs", default="", help="these labs alone: 'lab1 lab2'")
    parser.add_argument("--assistants", choices=get_args(Assistants), default="explain")
    parser.add_argument("--version", default="", help="all files of this version, from its tag")
    options = parser.parse_args()
    started = time.monotonic()
    try:
        if options.version:
            published.check(paths.ROOT, options.version)
        name, data, labs = make(paths.ROOT, options.labs.split(), options.dirty, options.assistants)
        prove(paths.ROOT, data, options.dirty)
        with tempfile.TemporaryDirectory(prefix="convlabs-release-") as work:
            trial.run_trial(data, labs, Path(work), say, timed=contents.lists().objects)
        if options.version and not options.check:
            _publish(DIST / f"convlabs-{options.version}", name, data)
        elif not options.check:
            DIST.mkdir(exist_ok=True)
            files.replace(DIST / name, data)
    except ReleaseError as problem:
        print(f"release: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        file = f"{problem.filename}: " if problem.filename else ""
        print(f"release: this machine does not allow it: {file}{problem.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("release: interrupted; nothing was written", file=sys.stderr)
        return 130
    file = f"dist/{name}" if not options.check else f"{name} (not written)"
    say(f"{hashlib.sha256(data).hexdigest()}  {file}")
    say(f"{len(data)} bytes, proved in {time.monotonic() - started:.0f} s")
    return 0


def _publish(folder: Path, name: str, data: bytes) -> None:
    """Writes all files of a release into a folder, whole or not at all. name, data: the students'
    archive."""
    made = {name: data, **published.files(paths.ROOT, say)}
    made["SHA256SUMS"] = published.checksums(made)
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    for each, content in sorted(made.items()):
        (new / each).write_bytes(content)
        say(f"{len(content):>9}  {folder.name}/{each}")
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)


def make(
    root: Path, names: list[str], dirty: bool, allowed: Assistants = "explain"
) -> tuple[str, bytes, list[str]]:
    """The archive's name, its bytes and its labs. `names`: the labs that are asked for; [] for all.
    allowed: to assistants. Raises ReleaseError."""
    changed = contents.changes(root)
    if changed and not dirty:
        raise ReleaseError(
            "there are changes that are not committed:\n  "
            + "\n  ".join(changed[:10])
            + "\ncommit or stash them, or include them with DIRTY=1"
        )
    labs = contents.chosen_labs(root, names)
    lists = contents.lists()
    members = contents.members(root, _files(root, dirty), lists, labs, allowed)
    members += objects.members(labs, say) if lists.objects else []
    members.append(contents.commit(root))
    members.sort(key=lambda member: member.path)
    folder = f"convlabs-student-{__version__}"
    committed = int(contents.git(root, "log", "-1", "--format=%ct"))
    data = archive.pack(members, folder, committed)
    suffixes = [*(labs if names else []), *(["dirty"] if changed else [])]
    say(f"{len(members)} files, {sum(len(m.content) for m in members)} bytes: {' '.join(labs)}")
    say(f'AGENTS.md and ./grade mcp: assistants = "{allowed}"')
    if dirty:
        _say_new(contents.untracked(root), {member.path for member in members})
    return "-".join([folder, *suffixes]) + ".tar.gz", data, labs


def _files(root: Path, dirty: bool) -> list[str]:
    """The files that a release may take. Where what is not committed counts, also new ones, and no
    deleted ones."""
    tracked = contents.tracked(root)
    if not dirty:
        return tracked
    return sorted({*tracked, *contents.untracked(root)} - {*contents.deleted(root)})


def _say_new(new: list[str], packed: set[str]) -> None:
    """Which files that git does not track are in the archive, and which are not."""
    taken = [path for path in new if path in packed]
    left = [path for path in new if path not in packed]
    if taken:
        say(f"new files in the archive: {plain_text.few(taken, MOST_SHOWN)}")
    if left:
        why = f"not in `inside` of {contents.SHOWN}, or of another lab"
        say(f"new files left out ({why}): {plain_text.few(left, MOST_SHOWN)}")


def prove(root: Path, data: bytes, dirty: bool) -> None:
    """Searches every byte of the archive for secrets. Raises ReleaseError."""
    secrets = gate.known(root, _files(root, dirty), contents.lists())
    problems = gate.findings(data, secrets)
    if problems:
        raise ReleaseError(
            f"the archive contains what students must not get; {len(problems)} findings:\n  "
            + "\n  ".join(problems)
            + "\nremove it; if students may see a line of a solution, add the line to `published` "
            f"of {contents.SHOWN}"
        )
    say(f"it holds none of {len(secrets.texts)} secret lines and {len(secrets.seeds)} seeds")


def say(text: str) -> None:
    print(f"  {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
