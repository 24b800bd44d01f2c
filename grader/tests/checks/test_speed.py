"""The timing program and its judge, on real shared objects, with margins that no noise reaches."""

import subprocess
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from grader import paths
from grader.checks import speed as timing
from grader.compile import make, sources
from grader.compile.make_process import BuildError, Waiting
from grader.execute import instructions
from grader.model import spec
from grader.model import submission as submissions
from grader.model.lab import Speed
from grader.oracle import inputs
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array
from grader.session import timed_objects
from grader.session.timed_objects import TimedObjects
from grader.tests import captured
from grader.tests.lab_operations import named
from grader.timing import row_samples, statistics, timed_inputs
from grader.timing.row_samples import RowSample
from grader.timing.timing_program import Bench, Side, Status, TimedRun

LAB = spec.load("lab1")
SPEED = Speed(
    name="small",
    part="B",
    image="noise",
    mask="random5",
    border="zero",
    points=10,
    hint="h",
    size=(160, 120),
)
GIVEN = inputs.inputs(LAB, SPEED, 1)
SOLUTION = (paths.ROOT / "solutions" / LAB.folder / "cpu_loop.c").read_text()


@pytest.fixture(scope="module")
def course() -> Path:
    """The lab's own timing program, baseline and reference."""
    submission = submissions.find(LAB, "solutions")
    make.build(make.BuildRequest(submission, "cpu", "speed"))
    return sources.course_build(LAB, "cpu")


def bench(course: Path, folder: Path, source: str) -> Bench:
    """A bench of a student's file, which may be as hostile as it likes."""
    file, library = folder / "cpu_loop.c", folder / "student.so"
    file.write_text(source)
    flags = ["-O3", "-march=native", "-fopenmp", "-w", "-fPIC", "-shared", "-Wl,-Bsymbolic,-z,now"]
    places = [f"-I{paths.LABS}/runtime", f"-I{paths.LABS}/{LAB.folder}"]
    subprocess.run(["gcc", *flags, *places, file, "-o", library], check=True)
    return opened(course, library)


def opened(course: Path, student: Path, operation: str = "correlate") -> Bench:
    """The lab's own timing program with that student's library."""
    baseline, reference = course / "baseline.so", course / "reference.so"
    return Bench(named(operation), course / "bench", student, baseline, reference, 1, wall=False)


def contest(tested: Bench, folder: Path) -> timing.Contest:
    return timing.Contest(SPEED, tested, GIVEN, folder)


def wrong(ran: TimedRun) -> list[str]:
    return row_samples.wrong(named("correlate"), SPEED.settings(), GIVEN, ran.samples)


def run(tested: Bench, folder: Path, rounds: int = 3, only: Side | None = None) -> TimedRun:
    return tested.run(SPEED, GIVEN, folder, (rounds, 5.0), 11, only)


def instead(body: str, before: str = "") -> str:
    """The solution with another correlate_rows()."""
    at = SOLUTION.index("void correlate_rows")
    end = SOLUTION.index("}\n}\n", at) + len("}\n}\n")
    head = SOLUTION[at : SOLUTION.index("{", at)]
    rest = SOLUTION[:at] + before + head.replace("correlate_rows", "accepted")
    return (
        rest
        + SOLUTION[SOLUTION.index("{", at) : end]
        + head
        + "{\n"
        + body
        + "\n}\n"
        + (SOLUTION[end:])
    )


CALL = "accepted(image, width, height, mask, radius, border, out);"


def test_the_solution_beside_itself(course: Path, tmp_path: Path) -> None:
    ran = run(bench(course, tmp_path, SOLUTION), tmp_path, rounds=9)
    assert ran.end == "completed" and ran.status
    rounds = ran.rounds()
    assert rounds.shape == (9, 4)
    assert not np.isnan(rounds[:, [0, 2, 3]]).any()
    assert np.isnan(rounds[:, 1]).sum() == 7  # the baseline takes part in one of seven
    assert ran.status.copy_ns > 0 and ran.status.mac_rate > 0
    assert len(ran.samples) == 9
    assert len({sample.key for sample in ran.samples}) == 9  # each round has an input of its own
    assert wrong(ran) == []
    assert 0.2 < np.median(rounds[:, 2] / rounds[:, 0]) < 5


def test_timing_only_the_student_leaves_others_empty(course: Path, tmp_path: Path) -> None:
    ran = run(bench(course, tmp_path, SOLUTION), tmp_path, only="student")
    assert np.isnan(ran.rounds()[:, 1:]).all() and not np.isnan(ran.rounds()[:, 0]).any()


def random_array(*shape: int, kind: str = "f4") -> Array:
    random = np.random.default_rng(2)
    return (random.integers(0, 256, shape) if kind == "u1" else random.random(shape)).astype(kind)


# Operation, settings, what goes in, and the plane of the output that is looked at.
BANDS = {
    "zero": ("correlate", {"border": "zero"}, Inputs(random_array(49, 31), random_array(5, 5)), 0),
    "replicate": (
        "correlate",
        {"border": "replicate"},
        Inputs(random_array(49, 31), random_array(5, 5)),
        0,
    ),
    "grey": ("grey", {"weights": "601"}, Inputs(random_array(49, 31, 3, kind="u1")), 0),
    "depthwise": (
        "depthwise",
        {},
        Inputs(random_array(4, 49, 31, kind="f8"), random_array(3, 3, kind="f8")),
        2,
    ),
    "layers": ("layers", {}, Inputs(random_array(4, 49, 31), random_array(6, 4, 3, 3)), 5),
}


@pytest.mark.parametrize("name", BANDS)
@pytest.mark.parametrize("first", [0, 1, 20, 41])
def test_a_band_is_what_the_whole_oracle_says(name: str, first: int) -> None:
    kind, settings, given, plane = BANDS[name]
    operation = named(kind)
    rows = row_samples.image_rows(operation, given.image)
    lines = timed_inputs.rows(
        timed_inputs.kind_of(given.image), 117, np.arange(rows), given.image.size // rows
    )
    image = lines.reshape(given.image.shape)
    whole = operation.expected({**given.arrays, "image": image}, settings)
    found = row_samples.expected(
        operation, settings, given, RowSample(plane, first, 117, np.zeros((8, 31)))
    )
    band = slice(first, first + 8)
    place = band if whole.value.ndim == 2 else (plane, band)
    # Not to the last bit: in what order a product of matrices sums depends on its width.
    assert np.allclose(found.value, whole.value[place], rtol=1e-14, atol=0)
    assert np.allclose(found.bound, whole.bound[place], rtol=1e-14, atol=0)


def test_bytes_of_colours_are_timed_as_well(tmp_path: Path) -> None:
    """Lab 8: its part in C, without its part in CUDA; the right weights, and then others."""
    lab = spec.load("lab8")
    speed = msgspec.structs.replace(lab.speed[0], size=(64, 100))
    submission, file = submissions.find(lab, "solutions"), lab.file_of(speed)
    request = timed_objects.request_timed(submission, "cpu", file)
    student = timed_objects.shared_object(make.build(request))
    tested = timing.bench_for(lab, speed, "cpu", lambda: student)
    given = inputs.inputs(lab, speed, 1)
    ran = tested.run(speed, given, tmp_path, (9, 5.0), 11)
    assert ran.end == "completed" and len(ran.samples) == 9
    assert not np.isnan(ran.rounds()[:, [0, 2, 3]]).any()
    assert row_samples.wrong(named("grey"), speed.settings(), given, ran.samples) == []
    assert (
        "wrong when it was timed"
        in row_samples.wrong(named("grey"), {"weights": "601"}, given, ran.samples)[0]
    )


def test_result_cached_from_first_call_is_wrong_when_timed(course: Path, tmp_path: Path) -> None:
    kept = "static float kept[1 << 20]; static int calls;\n"
    body = f"""{CALL}
    if (calls++ == 0)
        for (int i = 0; i < width * height; i++) kept[i] = out[i];
    for (int i = 0; i < width * height; i++) out[i] = kept[i];"""
    ran = run(bench(course, tmp_path, instead(body, kept)), tmp_path)
    assert "wrong when it was timed" in wrong(ran)[0]


def test_empty_function_is_detected(course: Path, tmp_path: Path) -> None:
    ran = run(bench(course, tmp_path, instead("")), tmp_path)
    assert "unwritten" in wrong(ran)[0]
    assert row_samples.wrong(named("correlate"), SPEED.settings(), GIVEN, []) != []


OPENMP = """
#include <omp.h>
static int settings(void) {
    omp_sched_t kind; int chunk;
    omp_get_schedule(&kind, &chunk);
    return omp_get_max_threads() == 1 && !omp_get_dynamic() && omp_get_max_active_levels() == 1 &&
           kind == omp_sched_dynamic && chunk == 1;
}
"""


def test_settings_of_openmp_do_not_stay(course: Path, tmp_path: Path) -> None:
    """They would slow down, or speed up, the next function that is timed."""
    left = "omp_set_num_threads(7); omp_set_dynamic(1); omp_set_max_active_levels(4);"
    left += " omp_set_schedule(omp_sched_guided, 9);"
    ran = run(bench(course, tmp_path, instead(f"if (settings()) {CALL} {left}", OPENMP)), tmp_path)
    assert not wrong(ran) and ran.samples


CLOCKS = """
#include <time.h>
#include <stdint.h>
int clock_gettime(clockid_t c, struct timespec *t) { t->tv_sec = t->tv_nsec = 0; return 0; }
uint64_t clock_ns(void) { return 0; }
uint64_t clock_process_ns(void) { return 0; }
int place_time(void) { return 0; }
"""
SLOW = """
void baseline_correlate(const float *image, int width, int height, const float *mask, int radius,
                        enum border border, float *out) {}
"""


def test_student_symbols_do_not_override_others(course: Path, tmp_path: Path) -> None:
    ran = run(bench(course, tmp_path, CLOCKS + SOLUTION + SLOW), tmp_path, rounds=8)
    assert ran.end == "completed"
    assert wrong(ran) == []
    rounds = ran.rounds()
    assert not np.isnan(rounds[:, [0, 2, 3]]).any()
    assert 0.2 < np.median(rounds[:, 2] / rounds[:, 0]) < 5
    assert rounds[0, 1] > 2 * rounds[0, 2]  # and the baseline is still the slow one


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ("exit(0);", "failed"),
        ("*(volatile int *)8 = 0;", "failed"),
        ("for (;;) {}", "failed"),
    ],
)
def test_a_function_that_does_not_come_back(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, end: str
) -> None:
    monkeypatch.setattr("grader.timing.timing_program.STARTING", 1.0)
    tested = bench(course, tmp_path, "#include <stdlib.h>\n" + instead(body))
    ran = tested.run(SPEED, GIVEN, tmp_path, (3, 0.5), 1)
    assert ran.end == end and ran.reason


def test_work_that_is_not_reported_shows_outside(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child process does work that the process's own clock does not see."""
    before = "#include <sys/wait.h>\n#include <unistd.h>\n#include <time.h>\n"
    body = f"""{CALL}
    if (fork() == 0) {{
        const clock_t start = clock();
        while (clock() - start < CLOCKS_PER_SEC / 50) {{}}
        _exit(0);
    }}
    wait(NULL);"""
    monkeypatch.setattr(timing, "OUTSIDE", ((1e-4, 4),))  # each call takes 20 ms
    tested = bench(course, tmp_path, instead(body, before))
    ran = run(tested, tmp_path, rounds=9)
    every = timing.Rounds()
    every.add(ran)
    excess = timing.unreported(contest(tested, tmp_path), every.timings())
    assert excess and excess > 10e6


BORROWED = """
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
static void *of_the_course(void) {
    static char line[16384];
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    for (char *word = line; word < line + length; word += strlen(word) + 1)
        if (strstr(word, "reference.so")) return dlsym(dlopen(word, RTLD_LAZY), "correlate_rows");
    return NULL;
}
"""


@pytest.mark.slow("functions are timed for real")
def test_the_solution_is_not_there_to_be_called_when_timed_from_outside(
    course: Path, tmp_path: Path
) -> None:
    """A student's function may find the course's own, where they take turns in a process."""
    body = f"""
    void (*theirs)(const float *, int, int, const float *, int, enum border, float *) =
        of_the_course();
    if (theirs) theirs(image, width, height, mask, radius, border, out);
    else for (volatile int i = 0; i < 20; i++) {CALL}"""
    tested = bench(course, tmp_path, instead(body, BORROWED))
    ran = run(tested, tmp_path, rounds=20)
    rounds = ran.rounds()
    assert wrong(ran) == [] and 0.5 < np.median(rounds[:, 2] / rounds[:, 0]) < 2
    every = timing.Rounds()
    every.add(ran)
    excess = timing.unreported(contest(tested, tmp_path), every.timings())
    assert excess and excess > 5 * every.timings().typical(0)


ALONE = """
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int alone(void) {
    static char line[16384];
    int file = open("/proc/self/cmdline", O_RDONLY);
    ssize_t length = read(file, line, sizeof line);
    close(file);
    return memmem(line, (size_t)length, "--only", 6) != NULL;
}
"""


@pytest.mark.parametrize("instead_of_work", ["exit(0);", "return;"])
def test_result_is_checked_when_timed_from_outside(
    course: Path, tmp_path: Path, instead_of_work: str
) -> None:
    body = f"if (alone()) {instead_of_work}\n{CALL}"
    source = "#define _GNU_SOURCE\n" + instead(body, ALONE)
    tested = bench(course, tmp_path, source)
    every = timing.Rounds()
    every.add(run(tested, tmp_path, rounds=9))
    with pytest.raises(timing.Ended) as ended:
        timing.unreported(contest(tested, tmp_path), every.timings())
    assert ended.value.ending.verdict == "fail"


TAKES_OVER = """
#include "bench/timed_inputs.h"
#include <sys/socket.h>
static void take_over(int width, int height, const float *mask, int radius, enum border border) {
    static char line[16384];
    const char *judge = NULL, *rounds = NULL;
    FILE *file = fopen("/proc/self/cmdline", "r");
    const size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    for (char *word = line; word < line + length; word += strlen(word) + 1) {
        if (!strcmp(word, "--verifier")) judge = word + strlen(word) + 1;
        if (!strcmp(word, "--rounds")) rounds = word + strlen(word) + 1;
    }
    if (!judge) return;
    const int fd = atoi(judge);
    const size_t row = (size_t)width * sizeof(float);
    float *in = malloc(row * height), *out = malloc(row * height);
    uint32_t *sums = calloc(height, 4);
    for (int i = 0; i < atoi(rounds); i++) {
        uint32_t key;
        int32_t asked[2];
        recv(fd, &key, 4, MSG_WAITALL);
        send(fd, sums, 4 * (size_t)height, 0); /* of an output that there is not yet */
        recv(fd, asked, 8, MSG_WAITALL);
        for (int k = 0; k < width * height; k++) in[k] = noise_float(k, key);
        accepted(in, width, height, mask, radius, border, out);
        send(fd, out + (size_t)asked[1] * width, 8 * row, 0);
    }
    _exit(0); /* it has no key to report times with */
}
"""


def test_hijacked_program_cannot_report_a_time(course: Path, tmp_path: Path) -> None:
    """It computes right what it is asked for, once it has been asked."""
    heads = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
    source = instead(f"take_over(width, height, mask, radius, border);\n{CALL}", "")
    source = source.replace("void correlate_rows", TAKES_OVER + "void correlate_rows", 1)
    ran = run(bench(course, tmp_path, heads + source), tmp_path, only="student")
    assert ran.end == "failed" and "ended with exit status 0" in ran.reason


def test_accepted_program_has_no_unreported_time(course: Path, tmp_path: Path) -> None:
    tested = bench(course, tmp_path, SOLUTION)
    every = timing.Rounds()
    every.add(run(tested, tmp_path, rounds=50))
    excess = timing.unreported(contest(tested, tmp_path), every.timings())
    assert excess is None or excess < 10e6


def test_shared_object_builds_once_and_fails_when_needed() -> None:
    builds = []

    def fails() -> make.Build:
        builds.append(1)
        raise BuildError("no space", "")

    good = make.Build(Path("student.so"))
    bad = make.Build(None, ["cpu_loop.c:1: error"])
    made = TimedObjects(
        {
            ("cpu", "a.c"): Waiting(fails, lambda: False),
            ("cpu", "b.c"): Waiting(lambda: good, lambda: False),
            ("gpu", "a.c"): bad,
        },
    )
    made.finish()
    made.finish()
    assert made.find("cpu", "b.c") == good.binary and builds == [1]
    with pytest.raises(BuildError, match="no space"):
        made.find("cpu", "a.c")
    with pytest.raises(timed_objects.NotTimedError, match="does not build as what is timed"):
        made.find("gpu", "a.c")


@pytest.mark.parametrize(
    ("of_reference", "looks"), [(1.0, [0.15]), (0.3, [0.15]), (0.92, [0.15, 0.3, 0.6])]
)
def test_a_glance_decides_only_what_is_clear(
    of_reference: float, looks: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The times are simulated, and have 1 % of noise."""
    random, seen = np.random.default_rng(1), []

    def run(*_: object, enough: tuple[int, float]) -> TimedRun:
        seen.append(enough[1])
        means = np.array([1 / of_reference, 20.0, 1.0, 1.0]) * 1e6
        times = means * random.lognormal(0, 0.01, (int(80 * enough[1]), 4))
        status = Status(True, 0, "", [tuple(row) for row in times], [], 1.0, 1.0)
        return TimedRun("completed", "", enough[1], enough[1], status)

    monkeypatch.setattr(timing.Contest, "run", run)
    beside = Bench(named("correlate"), tmp_path, tmp_path, None, None, 1, wall=False)
    timings = timing.measure(contest(beside, tmp_path))
    assert seen == looks and len(timings.rounds) >= timing.ENOUGH


@pytest.mark.parametrize(
    ("student", "reference", "processes", "hidden"),
    [
        ([20, 25], [20, 20], 2, None),
        ([28, 28], [20, 20], 4, None),  # too much to be clear, too little to be hidden
        ([60, 21], [20, 60], 4, None),  # what disturbs a process disturbs only that one
        ([41, 41], [60, 20], 20, 1e6),  # nor does a disturbed reference hide what a call does
    ],
)
def test_outside_timing_reveals_hidden_work(
    student: list[int],
    reference: list[int],
    processes: int,
    hidden: float | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Milliseconds of 20 calls, beside calls of 1 ms."""
    sides, ran = {"student": student, "reference": reference}, []

    def cost(_: timing.Contest, _repeats: int, only: str) -> float:
        ran.append(only)
        return sides[only][min(ran.count(only), 2) - 1] / 20e3

    monkeypatch.setattr(timing, "_cost", cost)
    beside = Bench(named("correlate"), tmp_path, tmp_path, None, None, 1, wall=False)
    timings = statistics.Timings(np.full((12, 4), 1e6), 1.0, 1.0)
    found = timing.unreported(contest(beside, tmp_path), timings)
    assert len(ran) == processes
    assert found == hidden if hidden is None else found and found > hidden


def test_a_copy_without_the_solution_is_timed_by_the_baseline(course: Path, tmp_path: Path) -> None:
    tested = bench(course, tmp_path, SOLUTION)
    alone = replace(tested, reference=None)
    rounds = run(alone, tmp_path).rounds()
    assert np.isnan(rounds[:, 2]).all()
    assert not np.isnan(rounds[:, [0, 1, 3]]).any()  # the baseline twice


@pytest.mark.parametrize(("fewest", "verdict"), [(None, "fail"), (9, "pass")])
def test_faster_methods_lower_what_is_impossible_but_not_the_floor(
    fewest: int | None, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """36 taps for each of 9114 results take 1 ms; the student takes half of that, as matrix units
    or Winograd's method may."""
    given = Inputs(random_array(4, 49, 31), random_array(6, 4, 3, 3))
    rate = 6 * 49 * 31 * 36 / 1e-3
    rounds = np.tile([0.5e6, 9e6, 0.5e6, 0.5e6], (40, 1))
    timings = statistics.Timings(rounds, copy_ns=1e3, mac_rate=rate)
    timed = msgspec.structs.replace(SPEED, fewest_taps=fewest)
    monkeypatch.setattr(timing, "unreported", lambda *_: None)
    beside = Bench(named("layers"), tmp_path, tmp_path, None, None, 1, wall=True)
    ending = timing.decide(timing.Contest(timed, beside, given, tmp_path), timings)
    assert ending.verdict == verdict
    assert ending.details["floor_ns"] == 1_000_000
    if fewest:
        assert "for every tap, the fastest possible on this machine is about 1" in ending.lines[1]
    else:
        assert ending.diagnosis == "impossible-time"


@pytest.mark.parametrize(("executed", "passes"), [(0, True), (7, False)])
def test_other_instructions_in_timed_calls(executed: int, passes: bool, tmp_path: Path) -> None:
    """What was counted in one call holds for the calls that are timed."""
    asked = next(t for t in spec.load("lab8").technique if t.counter == "newer_instructions")
    library = tmp_path / "a.so"
    source = '__asm__(".globl at\\nat: pmulld %xmm1,%xmm2");'
    subprocess.run(
        ["gcc", "-shared", "-x", "c", "-", "-o", library], input=source, text=True, check=True
    )
    symbols = captured.run(["nm", library], check=True).stdout
    pc = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" at"))
    tested = Bench(named("correlate"), library, library, None, None, 1, wall=False)
    sites = [instructions.Site(pc, executed)] if executed else []
    record = instructions.Record(500, False, sites)
    judged = timing.Contest(SPEED, tested, GIVEN, tmp_path, (asked,))
    if passes:
        judged.judge_watched(asked, record)
        return
    with pytest.raises(timing.Ended) as ended:
        judged.judge_watched(asked, record)
    assert ended.value.ending.diagnosis == "other-work-when-timed"
    assert f"{executed} of 500 instructions" in ended.value.ending.lines[0]
