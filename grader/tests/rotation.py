"""Chooses the tests of a run: all, a shard, the part of a commit or those of a change.

`make test` runs every cheap test, the programs that guard each commit, and one of 16 parts of the
other tests. The part is the number of commits modulo 16, so 16 commits in a row run them all. Tests
that belong to what the last commit or the working tree changed run as well.

A *unit* is what is never divided: a file of tests, because its fixtures are made once, or a single
test of a file marked `apart`, whose tests share nothing that costs much. A hash of its name gives a
unit its part. costs.tsv has the processor seconds of tests, or of a file's cheaper tests together;
`make test-costs` measures them. A unit without a row is cheap, unless a test of it is `slow`.
"""

import collections
import subprocess
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.tests.known_submissions import entries as known_submissions

FILE = Path(__file__).with_name("costs.tsv")
PARTS = 16
EVEN = 459  # where the hash begins: this number balances the parts best
# Need a browser, and what makes the handouts' site: ./grade setup --pages. They are in part 0.
PAGES = frozenset({
    "grader/tests/classroom/page/test_browser.py",
    "grader/tests/classroom/similarity/test_page.py",
    "grader/tests/handouts/test_built_site.py",
    "grader/tests/handouts/test_calculator.py",
    "grader/tests/handouts/test_figures.py",
    "grader/tests/handouts/test_interactive.py",
    "grader/tests/handouts/test_interactive_numbers.py",
    "grader/tests/handouts/test_site.py",
    "grader/tests/render/test_browser.py",
    "grader/tests/render/test_step_page.py",
})  # fmt: skip
KNOWN_TEST = "grader/tests/known_submissions/test_known.py::test_submission_gets_its_known_verdict"
CHEAP = 0.5  # processor seconds: a unit below this runs each time
COSTLY = 5.0  # processor seconds of a test that need a reason: pytest.mark.slow("why")
MOST_TOUCHED = 100.0  # processor seconds of tests that run only because of a change

Units = Mapping[str, str]  # the unit of each test
Costs = Mapping[str, float]  # processor seconds of a test, or of the others of a file


def file_of(test: str) -> str:
    """The file of a test, given by its name in pytest."""
    return test.partition("::")[0]


def committed() -> dict[str, float]:
    """costs.tsv. Raises ValueError."""
    lines = (line.split("\t") for line in FILE.read_text().splitlines() if line[:1] != "#")
    return {name: float(seconds) for seconds, name in lines}


def of_units(costs: Costs, unit_of: Units) -> dict[str, float]:
    """The seconds of each costly unit; what is gone counts for nothing."""
    units = {*unit_of.values()}
    found: dict[str, float] = collections.defaultdict(float)
    for name, seconds in costs.items():
        unit = unit_of.get(name, name)
        if unit in units:
            found[unit] += seconds
    return {u: s for u, s in found.items() if s >= CHEAP or file_of(u) in PAGES}


def with_unmeasured(costs: Costs, unit_of: Units, slow: Iterable[str]) -> dict[str, float]:
    """With a row for each unit of slow tests that has none yet."""
    measured = {unit_of.get(name, name) for name in costs}
    new = {unit_of[test] for test in slow} - measured
    return {**costs, **dict.fromkeys(new, COSTLY)}


def part_of(unit: str, count: int = PARTS) -> int:
    if count == PARTS and file_of(unit) in PAGES:
        return 0
    return zlib.crc32(unit.encode(), EVEN) % count


# ---- what a commit changed


def git(*arguments: str) -> str:
    """What a git command prints; "" without git or outside a repository."""
    command = ["git", "-C", str(paths.ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def changed_files(base: str) -> set[str]:
    """The files that differ from a commit, those that git does not track yet included."""
    differing = git("diff", "--name-only", base)
    new = git("ls-files", "--others", "--exclude-standard")
    return set((differing + new).splitlines())


def homes(name: str) -> set[Path]:
    """The folder whose tests are about a file: grader/checks/speed.py is tested in
    grader/tests/checks, labs/sim/src/exec/fault.c in labs/tests/sim/exec, and what has no such
    folder in the nearest one above."""
    top, *inner = Path(name).parts[:-1] or ("",)
    if top not in ("grader", "labs") or not inner or inner[0] == "tests":
        return set()
    home = Path(top, "tests", *(folder for folder in inner if folder != "src"))
    return {next(f for f in (home, *home.parents) if (paths.ROOT / f).is_dir())}


def near(tests: Iterable[str], base: str) -> set[str]:
    """The tests that belong to a file that differs from a commit: they are in it, or in the folder
    of tests named as the file's. A known submission belongs to its own text alone."""
    changed = changed_files(base)
    folders = set().union(*(homes(name) for name in changed))
    entries = {f"{KNOWN_TEST}[{name}]" for name in known_submissions.changed_since(base, changed)}
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


def choose_part(unit_of: Units, costs: Costs, part: int) -> Choice:
    """Every cheap unit, the guards, the part's units, and those that belong to the last commit or
    to the working tree, the cheapest first, while they take no more than MOST_TOUCHED."""
    costly = of_units(costs, unit_of)
    guards = {f"{KNOWN_TEST}[{name}]" for name in known_submissions.GUARDS}
    others = {u for u in costly if part_of(u) != part % PARTS} - guards
    wanted = {*unit_of.values()} - others
    touched = near(unit_of, "HEAD~1")
    room = MOST_TOUCHED
    for unit in sorted({unit_of[t] for t in touched} - wanted, key=lambda u: (costly[u], u)):
        room -= costly[unit]
        if room >= 0:
            wanted.add(unit)
    tests = {test for test, unit in unit_of.items() if unit in wanted}
    words = f"{len(unit_of) - len(tests)} of {len(unit_of)} tests; each runs in one of 16 commits"
    if missed := sum(unit_of[test] not in wanted for test in touched):
        words += f"; {missed} of them belong to this change: make test-changed"
    return Choice(tests, words)


def choose_changed(unit_of: Units, base: str) -> Choice:
    """The tests of what differs from a commit. Raises ValueError if there is no such commit."""
    if not git("rev-parse", "--verify", f"{base}^{{commit}}"):
        raise ValueError(f"there is no commit {base}")
    tests = near(unit_of, base)
    return Choice(tests, f"{len(unit_of) - len(tests)} tests of what is as in {base}")


def choose_shard(unit_of: Units, shard: str) -> Choice:
    """The units of a shard such as "3/8". Raises ValueError."""
    number, _, count = shard.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise ValueError(f"a shard is written as 3/8, not {shard!r}")
    tests = {t for t, unit in unit_of.items() if part_of(unit, int(count)) == int(number) - 1}
    return Choice(tests, f"{len(unit_of) - len(tests)} tests are in other shards")


def updated(measured: Costs, unit_of: Units, costs: Costs) -> str:
    """costs.tsv after a run that measured these tests: a row for each costly test, and one for the
    others of its unit. Units of which nothing was measured keep their rows while they exist, and so
    do those of files that this run did not collect."""
    again = {unit_of[test] for test in measured}
    rows = {n: s for n, s in costs.items() if unit_of.get(n, n) not in again}
    for test, cost in measured.items():
        name = test if cost > COSTLY else unit_of[test]
        rows[name] = rows.get(name, 0.0) + cost
    kept = of_units(rows, unit_of)
    collected = {file_of(unit) for unit in unit_of.values()}
    others = {
        n for n in rows if (file := file_of(n)) not in collected and (paths.ROOT / file).exists()
    }
    head = (
        "# processor seconds, test or file; made by `make test-costs`: grader/tests/rotation.py\n"
    )
    lines = (
        f"{rows[n]:.1f}\t{n}\n" for n in sorted(rows) if unit_of.get(n, n) in kept or n in others
    )
    return head + "".join(lines)
