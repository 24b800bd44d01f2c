"""Technique checks: what a spec may ask, how counters become a verdict, what a student reads."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader import paths
from grader.checks import technique
from grader.execute.case import Outcome, Status
from grader.execute.instrumented import InstrumentedRun
from grader.execute.profile import Kernel, LineCounters, Profile, told
from grader.model import counters, outline, spec
from grader.model.counters import Counters
from grader.model.finding import Finding
from grader.model.lab import Lab, Technique
from grader.model.result import Check
from grader.model.submission import Submission
from grader.session.plan import plan_for
from grader.session.programs import Programs
from grader.session.session import Session
from grader.tests import captured
from grader.tests.known_submissions import entries
from grader.tests.known_submissions.test_known import grade

INPUT: dict[str, Any] = {
    "part": "A",
    "image": "noise",
    "mask": "random5",
    "border": "zero",
    "points": 5,
}


def asks(**changes: Any) -> Technique:
    given = INPUT | {"name": "t", "counter": "global_store_lanes", "at_most": 1} | changes
    return msgspec.convert(given, Technique)


def lab_file(
    tmp_path: Path, safe: int = 5, points: str = "safe = 5\ntechnique = 5", **more: Any
) -> Path:
    """A lab.toml with one check of each kind; `more` goes into the technique check."""
    table = {"counter": '"global_store_lanes"', "at_most": "1"} | more
    extra = "\n".join(f"{key} = {value}" for key, value in table.items() if value is not None)
    common = 'part = "A"\nimage = "noise"\nsize = [8, 8]\nmask = "random5"\nborder = "zero"\n'
    folder = tmp_path / "lab9_test"
    folder.mkdir()
    (folder / "lab.toml").write_text(
        'id = "lab9"\ntitle = "t"\nsummary = "s"\nsubmit = ["a.cu"]\nbackends = ["sim"]\nseed = 1\n'
        f"[points]\ncorrect = 90\n{points}\n"
        '[[part]]\nid = "A"\ntitle = "t"\nhints = ["h"]\n'
        f'[[case]]\nname = "c"\npoints = 90\n{common}'
        f'[[safe]]\nname = "s"\npoints = {safe}\n{common}'
        f'[[technique]]\nname = "t"\npoints = 5\n{common}{extra}\n'
    )
    return tmp_path


def loaded(monkeypatch: pytest.MonkeyPatch, labs: Path) -> Lab:
    monkeypatch.setattr(paths, "ROOT", labs)
    monkeypatch.setattr(paths, "LABS", labs)
    monkeypatch.setattr(paths, "SOLUTIONS", labs)
    return spec.load("lab9")


def test_spec_with_all_kinds_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = loaded(monkeypatch, lab_file(tmp_path))
    assert [type(c).__name__ for c in lab.checks()] == ["Case", "Safe", "Technique"]
    assert lab.safe[0].seed == lab.technique[0].seed != lab.case[0].seed  # the same input, run once


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"safe": 4}, "the [[safe]] sum to 4 points, points.safe is 5"),
        ({"points": "safe = 5\ntechnique = 4\nspeed = 1"}, "the [[technique]] sum to 5 points"),
        ({"counter": '"global_stores"'}, "there is no counter 'global_stores'"),
        ({"counter": '"constant_words / nothing"'}, "there is no counter 'nothing'"),
        ({"counter": '"dram_bytes / dram_bytes / dram_bytes"'}, "there is no counter"),
        ({"at_least": "1"}, "exactly one of at_most and at_least"),
        ({"at_most": None}, "exactly one of at_most and at_least"),
        ({"per": '"thread"'}, "per"),
        ({"counter": '"constant_serialisation"', "per": '"pixel"'}, "a quotient has no"),
        ({"limit": "1"}, "unknown field `limit`"),
        ({"also": '[{counter = "none", at_most = 1, why = "w"}]'}, "there is no counter 'none'"),
        (
            {"also": '[{counter = "idle_blocks / blocks", why = "w"}]'},
            "exactly one of at_most and at",
        ),
    ],
)
def test_spec_that_cannot_be_is_refused(
    changes: dict[str, Any], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(outline.SpecError) as refused:
        loaded(monkeypatch, lab_file(tmp_path, **changes))
    assert says in str(refused.value)


def kernel(name: str, *lines: tuple[int, dict[str, int]]) -> Kernel:
    """A launch whose lines count this."""
    rows = [
        LineCounters("f.cu", number, msgspec.convert(counted, Counters))
        for number, counted in lines
    ]
    total = Counters()
    for row in rows:
        counters.accumulate(total, row.counters)
    known = {"launch": 0, "grid": (1, 1, 1), "block": (32, 1, 1), "occupancy_bound": 1.0}
    more = {"complete": True, "blocks": 1, "counted_blocks": 1}
    return Kernel(name=name, counters=total, lines=rows, **known, **more)  # type: ignore[arg-type]


STORES = Profile(
    [
        kernel("first", (3, {"global_store_lanes": 10}), (4, {"global_store_lanes": 90})),
        kernel("second", (9, {"global_store_lanes": 50})),
    ]
)


@pytest.mark.parametrize(
    ("changes", "value", "line"),
    [
        ({}, 150, 4),
        ({"per": "pixel"}, 1.5, 4),
        ({"per": "launch"}, 100, 4),  # the launch with most
        ({"per": "launch", "at_most": None, "at_least": 60}, 50, None),  # with least
        ({"kernel": "sec*"}, 50, 9),
        ({"kernel": "second", "per": "launch"}, 50, 9),
    ],
)
def test_launches_that_match_are_added_up(
    changes: dict[str, Any], value: float, line: int | None
) -> None:
    seen = technique.measure(asks(**changes), STORES, pixels=100)
    assert seen.value == value
    assert (seen.worst.line if seen.worst else None) == line


def test_atomic_functions_are_loads_and_stores() -> None:
    counted = {"global_store_lanes": 10, "atomic_lanes": 30}
    seen = technique.measure(asks(), Profile([kernel("k", (3, counted))]), pixels=100)
    assert seen.value == 40


def launch_of(name: str, stored: int, remains: int, **counted: int) -> Kernel:
    """A launch that stores so many bytes of the results, of which so many remain in the end."""
    found = kernel(name, (3, {"global_store_bytes": 400} | counted))
    found.counters.storing_threads = 100
    return msgspec.structs.replace(found, result_bytes=stored, result_remains=remains)


PAD = launch_of("pad", 0, 0)
CLEAR = launch_of("clear", 400, 0)
SUMS = launch_of("sums", 400, 400, constant_bytes=67_600)
UPPER = launch_of("upper", 400, 0, constant_bytes=40_000)
LOWER = launch_of("lower", 400, 400, constant_bytes=27_600)
SCRATCH = launch_of("scratch", 0, 0, constant_bytes=67_600)
COPY = launch_of("copy", 400, 400)


@pytest.mark.parametrize(
    ("launches", "stored", "read_by_each"),
    [
        ([SUMS], 4, 676),
        ([PAD, SUMS], 4, 676),
        ([CLEAR, SUMS], 8, 676),
        ([UPPER, LOWER], 8, 676),
        ([PAD, CLEAR, UPPER, LOWER], 12, 676),
        ([SCRATCH, COPY], 4, 0),
        ([SCRATCH], 4, 676),  # no launch stores what is known as a result
    ],
)
def test_a_helper_is_not_among_the_launches_that_store_results(
    launches: list[Kernel], stored: float, read_by_each: float
) -> None:
    store = asks(counter="global_store_bytes", per="pixel", over="results")
    assert technique.measure(store, Profile(launches), pixels=100).value == stored
    everywhere = asks(counter="global_store_bytes", per="pixel")
    assert technique.measure(everywhere, Profile(launches), pixels=100).value == 4 * len(launches)
    reads = asks(counter="constant_bytes / storing_threads", over="results")
    assert technique.measure(reads, Profile(launches), pixels=100).value == read_by_each


def test_whole_launch_counter_has_no_line() -> None:
    launch = kernel("k", (3, {"global_store_lanes": 10}))
    launch.counters.storing_threads = 10
    seen = technique.measure(asks(counter="storing_threads"), Profile([launch]), pixels=100)
    assert seen.value == 10 and seen.worst is None


def test_a_quotient_blames_the_line_above_its_limit() -> None:
    """The line with most words is not at fault when each of its reads takes one."""
    many = {"constant_requests": 1000, "constant_words": 1000}
    few = {"constant_requests": 10, "constant_words": 40}
    check = asks(counter="constant_serialisation")
    seen = technique.measure(check, Profile([kernel("k", (5, many), (6, few))]), pixels=100)
    assert seen.value == 1040 / 1010
    assert seen.worst is not None and (seen.worst.line, seen.share) == (6, 4)


def test_zero_denominator_gives_no_value() -> None:
    check = asks(counter="constant_serialisation")
    seen = technique.measure(check, Profile([kernel("k", (5, {"global_load_lanes": 1}))]), 100)
    assert seen.value is None


OUT = 1000  # bytes of the output


@pytest.mark.parametrize(
    ("stored", "seen_by_host", "says"),
    [
        ([OUT], 0, None),
        ([0], 0, None),  # atomics are no stores that are counted
        ([OUT], 200, None),  # a few numbers, such as an error flag
        ([OUT], OUT, "lets the host see 1000 bytes of device memory"),
        ([OUT], None, None),  # image and output are the host's
        ([500, 400], None, None),
        ([0], None, "your kernels store 0 bytes to global memory, but the output has 1000"),
        ([890], None, "store 890 bytes"),
        ([], None, None),  # that no kernel was launched is said elsewhere
    ],
)
def test_points_for_kernels_are_for_kernels_that_do_the_work(
    stored: list[int], seen_by_host: int | None, says: str | None, tmp_path: Path
) -> None:
    rows = [{"global_store_bytes": count} for count in stored]
    profile = Profile([kernel(f"k{i}", (1, row)) for i, row in enumerate(rows)])
    status = Status(completed=True, returned=0, seen_by_host=seen_by_host)
    outcome = Outcome("completed", "", 0.1, status=status)
    run = InstrumentedRun(outcome, OUT // 4, True, OUT)
    lab = spec.load("lab2")
    submission = Submission(lab, tmp_path, "f", {}, [])
    session = Session(plan_for(lab, "sim"), submission, Programs([]), tmp_path)
    check = technique.judge_run(session, asks(at_most=1e6), run, profile)
    if says is None:
        assert check.verdict == ("pass" if stored else "fail")
        assert "these points are for kernels" not in str(check.message)
    else:
        assert check.verdict == "fail" and says in check.message[0]


def judged(check: Technique, profile: Profile, other: Profile | None, home: Path) -> Any:
    """The line of a check on a right run. other: what is counted with another image."""
    status = Status(completed=True, returned=0, seen_by_host=0)
    run = InstrumentedRun(Outcome("completed", "", 0.1, status=status), OUT // 4, True, OUT)
    lab = spec.load("lab2")
    submission = Submission(lab, home, "f", {}, [])
    session = Session(plan_for(lab, "sim"), submission, Programs([]), home)
    return technique.judge_run(session, check, run, profile, lambda: other)


def test_a_counted_run_that_does_not_end_says_why(tmp_path: Path) -> None:
    lab = spec.load("lab2")
    session = Session(
        plan_for(lab, "sim"), Submission(lab, tmp_path, "f", {}, []), Programs([]), tmp_path
    )
    run = InstrumentedRun(Outcome("timeout", "used 10 s", 10.0), OUT // 4, False, OUT)
    line = technique.judge_run(session, asks(), run, None)
    assert line.verdict == "fail" and "your program used 10 s" in line.message[0]
    session.so_far.append(Check("lab2/A/c", "c", "correct", "fail", part="A"))
    line = technique.judge_run(session, asks(), run, None)
    assert line.verdict == "skip" and line.needs == "c"


@pytest.mark.parametrize(("missing", "passes"), [(0, True), (OUT // 4, True), (OUT, False)])
def test_an_image_that_never_got_to_the_device_earns_nothing(
    missing: int, passes: bool, tmp_path: Path
) -> None:
    status = Status(completed=True, returned=0, not_copied=missing)
    run = InstrumentedRun(Outcome("completed", "", 0.1, status=status), OUT // 4, True, OUT)
    lab = spec.load("lab2")
    session = Session(
        plan_for(lab, "sim"), Submission(lab, tmp_path, "f", {}, []), Programs([]), tmp_path
    )
    stores = Profile([kernel("k", (1, {"global_store_bytes": OUT}))])
    line = technique.judge_run(session, asks(at_most=1e6), run, stores)
    assert (line.verdict == "pass") == passes
    assert ("1000 bytes of the image were not copied" in "".join(line.message)) != passes


def test_launches_that_are_not_counted_earn_nothing(tmp_path: Path) -> None:
    beyond = Finding("not-counted", severity="note")
    few = Profile([kernel("k", (5, {"global_store_lanes": 1}))], [told(beyond)])
    line = judged(asks(at_most=1e6), few, None, tmp_path)
    assert line.verdict == "fail" and "not counted" in line.message[0]
    assert technique.UNCOUNTED in line.message


ENOUGH = {"counter": "constant_bytes / storing_threads", "at_least": 500, "why": "from there"}


@pytest.mark.parametrize(
    ("constant_bytes", "says"),
    [(64 * 676, ""), (64 * 500, ""), (64 * 4, "4 bytes that threads read"), (0, "0 bytes that")],
)
def test_a_quotient_needs_enough_to_divide_by(
    constant_bytes: int, says: str, tmp_path: Path
) -> None:
    reads = {"constant_requests": 1, "constant_words": 1, "constant_bytes": constant_bytes}
    launch = kernel("k", (5, reads))
    launch.counters.storing_threads = 64
    check = asks(counter="constant_serialisation", also=[ENOUGH])
    line = judged(check, Profile([launch]), None, tmp_path)
    assert line.verdict == ("fail" if says else "pass")
    assert says in "".join(line.message)


def grid(blocks: int, idle: int, name: str = "k") -> Profile:
    launch = kernel(name, (5, {"global_store_lanes": 1}))
    launch.counters.blocks, launch.counters.idle_blocks = blocks, idle
    size, covers = (2, blocks // 2, 1), (2, (blocks - idle) // 2, 1)
    return Profile([msgspec.structs.replace(launch, grid=size, blocks=blocks, covers=covers)])


@pytest.mark.parametrize(
    ("here", "elsewhere", "is_idle"),
    [
        (grid(16, 12), grid(8, 6), True),
        (grid(16, 8), grid(12, 6), True),
        (grid(16, 12), None, True),
        (grid(16, 12), grid(16, 14, "other"), True),
        (grid(16, 0), None, False),
        (grid(16, 4), grid(12, 4), False),  # room for a tail
        (grid(96, 72), grid(96, 90), False),  # as many blocks for every image
    ],
)
def test_a_grid_that_is_too_large_is_named(
    here: Profile, elsewhere: Profile | None, is_idle: bool, tmp_path: Path
) -> None:
    bound = {"counter": counters.IDLE, "at_most": 0.25, "why": "w"}
    line = judged(asks(at_most=1e6, also=[bound]), here, elsewhere, tmp_path)
    assert line.verdict == ("fail" if is_idle else "pass")
    blamed = judged(asks(at_most=0), here, elsewhere, tmp_path)
    assert blamed.verdict == "fail" and len(blamed.message) > 1
    for message in (line.message, blamed.message):
        assert ("blocks wrote nothing: the grid is 2x8 blocks, 2x" in "".join(message)) == is_idle


def working(idle: int, wide: int = 32, first: int = 32) -> Profile:
    launch = kernel("k", (5, {"global_store_lanes": 1}))
    block = (wide, 4, 1)
    return Profile(
        [msgspec.structs.replace(launch, block=block, idle_threads=idle, first_idle=first)]
    )


@pytest.mark.parametrize(
    ("here", "elsewhere", "is_idle"),
    [
        (working(64), working(64), True),
        (working(33), working(33), True),
        (working(127, first=1), working(127, first=1), True),
        (working(32), working(32), False),  # room for a tail
        (working(64), working(96), False),  # the image is narrower than a block
        (working(64), working(64, wide=64), False),  # the block depends on the image
    ],
)
def test_threads_that_do_nothing_are_named(
    here: Profile, elsewhere: Profile, is_idle: bool, tmp_path: Path
) -> None:
    bound = {"counter": counters.IDLE, "at_most": 0.25, "why": "w"}
    line = judged(asks(at_most=1e6, also=[bound]), here, elsewhere, tmp_path)
    blamed = judged(asks(at_most=0), here, elsewhere, tmp_path)
    assert (line.verdict, blamed.verdict) == ("pass", "fail"), "they cost nothing alone"
    said = "".join(blamed.message)
    assert ("threads of each block never read or write anything" in said) == is_idle


def test_a_grader_with_hidden_cases_counts_at_another_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labs = lab_file(tmp_path)
    assert loaded(monkeypatch, labs).technique[0].size == (8, 8)
    sizes = set()
    for seed in range(40):
        (labs / "lab9_test" / "hidden.toml").write_text(f"seed = {seed}\ncase = []\n")
        found = spec.load("lab9").technique[0].size
        assert found is not None
        sizes.add(found)
    assert sizes == {(w, h) for w in (8, 16) for h in (8, 16, 24, 32)} - {(8, 8)}


def test_every_counter_has_words() -> None:
    assert set(counters.WORDS) == counters.NAMES | counters.OF_CODE


def check_of(entry: str, name: str) -> dict[str, Any]:
    found = entries.find(entry)
    _, document = grade(found.lab, "--src", str(entries.write(found)), "-k", name)
    return next(c for c in document["checks"] if c["name"] == name)


def test_a_failure_names_line_figure_limit_and_reason() -> None:
    check = check_of("lab2/poor-sum-in-memory", "few stores per pixel")
    file = entries.SHOWN / "lab2/poor-sum-in-memory/global_memory.cu"
    line = next(n for n, t in enumerate(file.read_text().splitlines(), 1) if "*sum +=" in t)
    assert check["verdict"] == "fail" and check["points"] == 0
    assert check["details"]["line"] == line
    assert check["details"]["file"] == str(file.relative_to(paths.ROOT))
    assert (check["details"]["limit"], check["details"]["limit_is"]) == (2.4, "at_most")
    # 13x13 taps of each pixel, but those outside of the image; the 0 at first; no sum
    asked = next(t for t in spec.load("lab2").technique if t.name == "few stores per pixel")
    size = asked.at_public_size().size  # what it shows is of the size that students know
    assert size is not None
    width, height = size
    taps = sum(
        (min(x + 6, width - 1) - max(x - 6, 0) + 1) * (min(y + 6, height - 1) - max(y - 6, 0) + 1)
        for x in range(width)
        for y in range(height)
    )
    assert check["details"]["value"] == pytest.approx(1 + taps / (width * height))
    text = "\n".join(check["message"])
    assert f"global_memory.cu:{line} accounts for" in text and "*sum +=" in text and "why: " in text


def test_missing_measurement_fails() -> None:
    check = check_of(
        "lab3/poor-bank-in-global-memory", "a warp reads one word of the bank at a time"
    )
    assert check["verdict"] == "fail" and check["details"]["value"] is None


@pytest.mark.slow("a kernel is built, run and counted")
def test_a_wrong_kernel_is_not_counted() -> None:
    home = entries.write(entries.find("lab3/mask-flipped"))
    _, document = grade("lab3", "--src", str(home), "-k", "A ")
    counted = [c for c in document["checks"] if c["kind"] == "technique"]
    names = [c["name"] for c in document["checks"] if c["verdict"] == "fail"]
    assert counted and all(c["verdict"] == "skip" and c["needs"] in names for c in counted)


def test_profile_shows_the_lines_of_the_technique_cases() -> None:
    done = captured.grade("lab3", "--src", "solutions", "--profile", "-k", "one word", timeout=120)
    assert done.returncode == 0, done.stderr
    assert "launch 0: constant_kernel" in done.stdout
    assert "launch 0: polyphase_kernel" in done.stdout
    rows = [
        r.split() for r in done.stdout.splitlines() if r.strip().startswith("constant_mask.cu:")
    ]
    assert rows and all(len(row) == len(rows[0]) for row in rows)
    none = captured.grade("lab1", "--profile")
    assert none.returncode == 2 and "no technique checks" in none.stderr
