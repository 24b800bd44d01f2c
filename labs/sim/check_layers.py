"""Do the arrows of the simulator's runtime run down only?

    check_layers.py [--sources labs/sim/src] [--objects build/lib/plain/sim] [--layers FOLDER...]
                    [--skip FOLDER...]

A file may include a header, and call a function, of its own folder and of the folders before it in
LAYERS; no two files may need each other, directly or through others; and no symbol may be weak but
the bounds of the sections of variables, and what only a sanitizer has. Prints each breach as
FILE:LINE: MESSAGE, and exits with status 1 if there is one. The objects are those that
`make runtime` has built. --layers are the folders of other sources, without those to --skip.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

LAYERS = (
    *("evidence", "calls", "base", "memory", "exec", "texture", "profile", "check", "trace"),
    *("queue", "api", "graph"),
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
MAY_BE_WEAK = re.compile(r"__(start|stop)_sim_|__[al]san_")


def module(file: Path) -> str:
    """exec/fiber: the name that a header, its source and its object share."""
    return f"{file.parent.name}/{file.stem}"


def line_of(source: Path, word: str) -> str:
    """FILE:LINE of the first line that holds the word."""
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line):
            return f"{source}:{number}"
    return f"{source}:1"


def included(source: Path, sources: Path) -> dict[str, str]:
    """The modules whose headers the file includes, each with the text of its include."""
    found = {}
    for name in INCLUDE.findall(source.read_text()):
        for folder in (sources, source.parent):
            header = folder / name
            if (
                header.is_file() and header.parent != sources
            ):  # what is beside the folders needs none
                found[module(header)] = name
    return found


def symbols(
    built: dict[str, Path],
) -> tuple[dict[str, str], dict[str, set[str]], list[tuple[str, str]]]:
    """Where each global symbol is defined, which ones each module uses, and the weak ones."""
    defined: dict[str, str] = {}
    used: dict[str, set[str]] = {name: set() for name in built}
    weak: list[tuple[str, str]] = []
    for name, file in built.items():
        listing = subprocess.run(["nm", "-g", file], capture_output=True, text=True, check=True)
        for line in listing.stdout.splitlines():
            kind, symbol = line.split()[-2:]
            if kind in "wWvV" and not MAY_BE_WEAK.match(symbol):
                weak.append((name, symbol))
            elif kind == "U":
                used[name].add(symbol)
            elif kind not in "wWvV":
                defined[symbol] = name
    return defined, used, weak


def breaches(
    sources: Path,
    objects: Path,
    layers: Sequence[str] = LAYERS,
    skipped: Sequence[str] = (),
) -> list[str]:
    """What breaks the rules, as lines to print. skipped: folders that are not looked at."""
    files = sorted(f for f in sources.glob("*/*") if f.suffix in (".c", ".h", ".S"))
    files = [f for f in files if f.parent.name not in skipped]
    of_module = {module(f): f for f in files if f.suffix != ".h"}
    built = {name: objects / f"{name}.o" for name in of_module}
    empty = sorted(set(layers) ^ {f.parent.name for f in files})
    missing = [str(file) for file in built.values() if not file.is_file()]
    if empty or missing:
        return [f"{sources}:1: layers with no file, or no layers: {empty}; not built: {missing}"]
    defined, used, weak = symbols(built)
    found = [f"{line_of(of_module[m], s)}: the weak symbol {s}" for m, s in weak]
    needs: dict[str, set[str]] = {module(f): set() for f in files}

    def need(user: str, other: str, where: str, what: str) -> None:
        ours, theirs = user.split("/")[0], other.split("/")[0]
        if layers.index(theirs) > layers.index(ours):
            found.append(f"{where}: {ours}/ {what} of {theirs}/, a lower layer")
        elif other != user:
            needs[user].add(other)

    for file in files:
        for other, name in included(file, sources).items():
            need(module(file), other, line_of(file, name), "includes a header")
    for user, names in used.items():
        for symbol in sorted(names & set(defined)):
            need(user, defined[symbol], line_of(of_module[user], symbol), f"uses {symbol}")
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as circle:
        path = circle.args[1]
        where = of_module.get(path[0], sources / f"{path[0]}.h")
        found.append(f"{where}:1: a circle: {' <- '.join(path)}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="The layers of labs/sim/src.")
    parser.add_argument("--sources", type=Path, default=Path("labs/sim/src"))
    parser.add_argument("--objects", type=Path, default=Path("build/lib/plain/sim"))
    parser.add_argument("--layers", metavar="FOLDER", nargs="+", default=LAYERS)
    parser.add_argument("--skip", metavar="FOLDER", nargs="+", default=())
    options = parser.parse_args()
    found = breaches(options.sources, options.objects, options.layers, options.skip)
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
