"""Which tests a run has: all of them, a shard, the part of a commit, or those of a change.

`make test` runs every cheap test and one of 16 parts of the others. The part is the number of
commits modulo 16, so 16 commits in a row run them all. Tests that belong to what the last commit or
the working tree changed run as well.

A *unit* is what is never divided: a file of tests, because its fixtures are made once, or a single
test of a file marked `apart`, whose tests share nothing that costs much. costs.tsv has the units
that take half a processor second or more: a row with the unit's part, its seconds and its name.
Of a file, each test above COSTLY has a row of its own. A unit without a row is cheap.
`make test-costs` measures all tests and writes the file: a unit keeps its part where that keeps the
parts equal.
"""

import collections
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.tests.zoo import entries as zoo

FILE = Path(__file__).with_name("costs.tsv")
PARTS = 16
# Need a browser, and what makes the handouts' site: ./grade setup --pages. They are in part 0.
PAGES = frozenset({
    "grader/tests/classroom/page/test_browser.py",
    "grader/tests/classroom/similarity/test_page.py",
    "grader/tests/handouts/test_built_site.py",
    "grader/tests/handouts/test_figures.py",
    "grader/tests/handouts/test_interactive.py",
    "grader/tests/handouts/test_interactive_numbers.py",
    "grader/tests/handouts/test_site.py",
    "grader/tests/render/test_browser.py",
    "grader/tests/render/test_step_page.py",
})  # fmt: skip
ZOO_TEST = "grader/tests/zoo/test_zoo.py::test_zoo"
CHEAP = 0.5  # processor seconds: a unit below this runs each time
COSTLY = 5.0  # processor seconds of a test that need a reason: pytest.mark.slow("why")
MOST_TOUCHED = 100.0  # processor seconds of tests that run only because of a change


@dataclass(frozen=True)
class UnitCost:
    """A row of costs.tsv. name: of a test, or of a file; a file's seconds are those of its tests
    that have no row."""

    part: int
    seconds: float
    name: str


def file_of(test: str) -> str:
    """The file of a test, given by its name in pytest."""
    return test.partition("::")[0]


def rows(text: str) -> list[UnitCost]:
    """The rows of costs.tsv. Raises ValueError."""
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            part, seconds, name = line.split("\t")
            found.append(UnitCost(int(part), float(seconds), name))
    return found


def committed() -> list[UnitCost]:
    return rows(FILE.read_text())


def by_unit(known: Iterable[UnitCost], unit_of: Mapping[str, str]) -> dict[str, tuple[int, float]]:
    """The part and the seconds of each unit. unit_of: the unit of each test of this run; what is
    gone counts for nothing."""
    found: dict[str, tuple[int, float]] = {}
    units = {*unit_of.values()}
    for row in known:
        unit = row.name if row.name in units else unit_of.get(row.name)
        if unit is not None:
            part, seconds = found.get(unit, (row.part, 0.0))
            found[unit] = (part, seconds + row.seconds)
    return found


def assigned(seconds: Mapping[str, float], before: Mapping[str, int]) -> dict[str, int]:
    """A part for each unit: its part so far while there is room, or the one that takes the least.
    The most expensive units come first, so that the parts get equal."""
    room = sum(seconds.values()) / PARTS
    load = dict.fromkeys(range(PARTS), 0.0)
    parts = {}
    for unit in sorted(seconds, key=lambda u: (-seconds[u], u)):
        part = before.get(unit)
        if part is None or (load[part] and load[part] + seconds[unit] > room):
            part = min(load, key=lambda p: (load[p], p))
        if file_of(unit) in PAGES:
            part = 0
        parts[unit] = part
        load[part] += seconds[unit]
    return parts


def shards(seconds: Mapping[str, float], count: int) -> dict[str, int]:
    """The shard of each unit, from 0: shards of equal cost."""
    load = [0.0] * count
    found = {}
    for unit in sorted(seconds, key=lambda u: (-seconds[u], u)):
        found[unit] = min(range(count), key=lambda n: (load[n], n))
        load[found[unit]] += max(seconds[unit], 0.1)
    return found


# ---- what a commit changed


def git(*arguments: str) -> str:
    """What a git command prints; "" without git or outside a repository."""
    command = ["git", "-C", str(paths.ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def part_of_commit() -> int:
    """The part whose turn it is. Without git: the first."""
    return int(git("rev-list", "--count", "HEAD") or 0) % PARTS


def changed_files(base: str) -> set[str]:
    """The files that differ from a commit, those that git does not track yet included."""
    differing = git("diff", "--name-only", base)
    new = git("ls-files", "--others", "--exclude-standard")
    return set((differing + new).splitlines())


def homes(name: str) -> set[Path]:
    """The folders whose tests are about a file: grader/checks/speed.py is tested in
    grader/tests/checks, labs/sim/src/exec/fault.c in labs/tests/sim/exec, and what is in
    labs/sim/translate/reader, which has no such folder, in the one above."""
    top, *inner = Path(name).parts[:-1] or ("",)
    if top not in ("grader", "labs") or not inner or inner[0] == "tests":
        return set()
    home = Path(top, "tests", *(folder for folder in inner if folder != "src"))
    while not (paths.ROOT / home).is_dir():
        home = home.parent
    return {home}


def near(tests: Iterable[str], base: str) -> set[str]:
    """The tests that belong to a file that differs from a commit: they are in it, or in the folder
    of tests named as the file's. An entry of the zoo belongs to its own text alone."""
    changed = changed_files(base)
    folders = set().union(*(homes(name) for name in changed))
    entries = {f"{ZOO_TEST}[{name}]" for name in zoo.changed_since(base, changed)}
    return {
        test
        for test in tests
        if (file := file_of(test)) in changed or Path(file).parent in folders or test in entries
    }


# ---- the choice


@dataclass(frozen=True)
class Choice:
    """What a run has, and in words what it leaves out."""

    tests: set[str]
    left_out: str


def choose_part(unit_of: Mapping[str, str], known: list[UnitCost], part: int) -> Choice:
    """Every cheap unit, the part's, and those that belong to the last commit or to the working
    tree, the cheapest first, while they take no more than MOST_TOUCHED."""
    costly = by_unit(known, unit_of)
    turn = {unit for unit in unit_of.values() if unit in costly and costly[unit][0] == part % PARTS}
    wanted = turn | (set(unit_of.values()) - set(costly))
    touched = near(unit_of, "HEAD~1")
    room = MOST_TOUCHED
    for unit in sorted({unit_of[t] for t in touched} - wanted, key=lambda u: (costly[u][1], u)):
        room -= costly[unit][1]
        if room >= 0:
            wanted.add(unit)
    tests = {test for test, unit in unit_of.items() if unit in wanted}
    words = f"{len(unit_of) - len(tests)} of {len(unit_of)} tests; each runs in one of 16 commits"
    if missed := sum(unit_of[test] not in wanted for test in touched):
        words += f"; {missed} of them belong to this change: make test-changed"
    return Choice(tests, words)


def choose_changed(unit_of: Mapping[str, str], base: str) -> Choice:
    """The tests of what differs from a commit. Raises ValueError if there is no such commit."""
    if not git("rev-parse", "--verify", f"{base}^{{commit}}"):
        raise ValueError(f"there is no commit {base}")
    tests = near(unit_of, base)
    return Choice(tests, f"{len(unit_of) - len(tests)} tests of what is as in {base}")


def choose_shard(unit_of: Mapping[str, str], known: list[UnitCost], shard: str) -> Choice:
    """The units of a shard such as "3/8". Raises ValueError."""
    number, _, count = shard.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise ValueError(f"a shard is written as 3/8, not {shard!r}")
    costly = by_unit(known, unit_of)
    seconds = {unit: costly.get(unit, (0, 0.0))[1] for unit in unit_of.values()}
    of = shards(seconds, int(count))
    tests = {test for test, unit in unit_of.items() if of[unit] == int(number) - 1}
    return Choice(tests, f"{len(unit_of) - len(tests)} tests are in other shards")


# ---- the table


def updated(
    measured: Mapping[str, float], unit_of: Mapping[str, str], known: list[UnitCost]
) -> str:
    """costs.tsv after a run that measured these tests. Rows of files of which nothing was measured,
    and of tests apart that still exist, stay."""
    again = {unit_of[test] for test in measured}
    seconds: dict[str, float] = collections.defaultdict(float)  # of each row
    for row in known:
        if (unit_of.get(row.name) or row.name) not in again:
            seconds[row.name] = row.seconds
    for test, cost in measured.items():
        seconds[test if cost > COSTLY else unit_of[test]] += cost
    unit = {name: unit_of.get(name, name) for name in seconds}
    totals: dict[str, float] = collections.defaultdict(float)
    for name, cost in seconds.items():
        totals[unit[name]] += cost
    units = {*unit_of.values()}
    totals = {
        name: cost
        for name, cost in totals.items()
        if name in units and (cost >= CHEAP or file_of(name) in PAGES)
    }
    before = {name: part for name, (part, _) in by_unit(known, unit_of).items()}
    parts = assigned(totals, before)
    head = "# part, processor seconds, unit; made by `make test-costs`: grader/tests/rotation.py\n"
    return head + "".join(
        f"{parts[unit[name]]}\t{cost:.1f}\t{name}\n"
        for name, cost in sorted(seconds.items())
        if unit[name] in parts
    )
