"""Proves that a student's image holds no secret: `docker export` writes all its files, and

    python -m grader.release.image FILES.tar ARCHIVE.tar.gz

asks that those of the course are the archive's, which the gate has passed, byte for byte, and
searches what its build and its users' home folders add. What Debian and PyPI installed is theirs.
"""

import gzip
import io
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from grader import paths
from grader.release import contents, gate
from grader.release.contents import ReleaseError
from grader.release.gate import Known

COURSE = "convlabs/"  # the image's folder of the course
PACKAGES = f"{COURSE}build/venv/"
MADE = f"{COURSE}build/"
SEARCHED = (COURSE, "home/", "root/", "tmp/", "var/tmp/", "opt/", "srv/")


def main() -> int:
    """Returns the exit status: 0 proved, 1 refused."""
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        files = contents.tracked(paths.ROOT)
        secrets = gate.known(paths.ROOT, files, contents.lists())
        with tarfile.open(sys.argv[1], "r|*") as image:
            problems, count = check(image, Path(sys.argv[2]).read_bytes(), secrets)
    except (ReleaseError, OSError, EOFError, tarfile.TarError) as problem:
        print(f"image: {problem}", file=sys.stderr)
        return 1
    for text in problems:
        print(f"image: {text}", file=sys.stderr)
    print(f"{count} files compared or searched, {len(problems)} findings")
    return 1 if problems or not count else 0


def check(image: tarfile.TarFile, archive: bytes, secrets: Known) -> tuple[list[str], int]:
    """What is wrong with the files of an image, and how many were compared or searched."""
    members = _members(archive)
    problems, count = [], 0
    for entry in image:
        path = entry.name.removeprefix("./").lstrip("/")
        if not path.startswith(SEARCHED) or path.startswith(PACKAGES):
            continue
        if not (entry.isreg() or entry.islnk()):
            continue
        file = image.extractfile(entry) if entry.isreg() else None
        data = file.read() if file else None
        count += 1
        problems += [f"{path}: {text}" for text in _wrong(path, data, members, secrets)]
    return problems, count


def _wrong(
    path: str, data: bytes | None, members: dict[str, bytes], secrets: Known
) -> Iterator[str]:
    """What is wrong with a file; its data are None where it is a hard link."""
    own = path.removeprefix(COURSE)
    is_course = path.startswith(COURSE) and not path.startswith(MADE)
    if gate.INSTRUCTORS.search(own):
        yield "this file stays with the instructor"
    elif data is None:
        yield "a hard link; build the image from the archive's files"
    elif is_course and own in members:
        if members[own] != data:
            yield "differs from the archive's"
    elif is_course and "/__pycache__/" not in own:
        yield "is not in the archive"
    else:
        yield from gate.held(data, secrets)


def _members(archive: bytes) -> dict[str, bytes]:
    """The files of the archive by their paths."""
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(archive))) as tar:
        files = {entry.name.partition("/")[2]: tar.extractfile(entry) for entry in tar}
        return {name: file.read() for name, file in files.items() if file is not None}


if __name__ == "__main__":
    sys.exit(main())
