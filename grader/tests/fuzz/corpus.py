"""The inputs that reach different code, of each target in one archive: corpus/TARGET.zip.

    python -m grader.tests.fuzz.corpus unpack TARGET FOLDER     write each input to a file
    python -m grader.tests.fuzz.corpus add TARGET FILE...       keep these inputs, too

An input is named by its SHA-1, as libFuzzer names it. The same inputs give the same bytes of an
archive: sorted, without dates, and not compressed, which git does.
"""

import argparse
import hashlib
import zipfile
from collections.abc import Iterable
from pathlib import Path

from grader.tests.fuzz import catalogue

FOLDER = catalogue.HERE / "corpus"
MOST_FILES, MOST_BYTES = 200, 300 << 10  # of a target


def named(inputs: Iterable[bytes]) -> dict[str, bytes]:
    """Each input once, by its name and in the order of names."""
    return dict(sorted((hashlib.sha1(data).hexdigest(), data) for data in inputs))


def read(target: str) -> dict[str, bytes]:
    """The inputs by name; none before the first `write`."""
    file = FOLDER / f"{target}.zip"
    if not file.exists():
        return {}
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(target: str, inputs: Iterable[bytes]) -> None:
    with zipfile.ZipFile(FOLDER / f"{target}.zip", "w") as archive:
        for name, data in named(inputs).items():
            archive.writestr(zipfile.ZipInfo(name), data)


def unpack(target: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, data in read(target).items():
        (folder / name).write_bytes(data)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m grader.tests.fuzz.corpus")
    commands = parser.add_subparsers(dest="command", required=True)
    unpacking, adding = commands.add_parser("unpack"), commands.add_parser("add")
    for command in unpacking, adding:
        command.add_argument("target", choices=catalogue.TARGETS)
    unpacking.add_argument("folder", type=Path)
    adding.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "unpack":
        unpack(options.target, options.folder)
    else:
        new = [file.read_bytes() for file in options.files]
        write(options.target, [*read(options.target).values(), *new])


if __name__ == "__main__":
    main()
