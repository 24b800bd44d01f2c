"""Races between OpenMP's threads: right programs in unlike styles, and wrong ones by their lines.

Each runs under the check with 3 threads. A line with `RACE` is one that must be named; a program
without one must be found right, and give 5050, the sum of 1 to 100. What the threads of a team did
is the same in every run.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.compile import make
from grader.execute import addr2line, evidence, openmp_team, records
from grader.model import spec
from grader.model import submission as submissions
from grader.tests import captured

HEAD = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void evidence_end(void);
static int a[100], total;
"""
MAIN = """
int main(void) {
    omp_set_num_threads(3);
    run();
    for (int i = 0; i < 100; i++) total += a[i];
    printf("%d\\n", total);
    evidence_end();
    return 0;
}
"""
RIGHT = {
    "static": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "dynamic, of size_t": """
#pragma omp parallel for schedule(dynamic, 3)
    for (size_t i = 0; i < 100; i++) a[i] = (int)i + 1;""",
    "guided, downwards": """
#pragma omp parallel for schedule(guided)
    for (int i = 99; i >= 0; i--) a[i] = i + 1;""",
    "runtime": """
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "collapse": """
#pragma omp parallel for collapse(2)
    for (int y = 0; y < 10; y++) for (int x = 0; x < 10; x++) a[10 * y + x] = 10 * y + x + 1;""",
    "private": """
    int t;
#pragma omp parallel for private(t)
    for (int i = 0; i < 100; i++) { t = i; a[i] = t + 1; }""",
    "firstprivate, lastprivate": """
    int one = 1, last = 0;
#pragma omp parallel for firstprivate(one) lastprivate(last)
    for (int i = 0; i < 100; i++) { a[i] = i + one; last = i; }
    total += last - 99;""",
    "reduction": """
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= 100; i++) sum += i;
    a[0] = sum;""",
    "critical": """
#pragma omp parallel for
    for (int i = 1; i <= 100; i++)
#pragma omp critical
        total += i;""",
    "atomic": """
#pragma omp parallel for
    for (int i = 1; i <= 100; i++)
#pragma omp atomic
        total += i;""",
    "atomic float": """
    float sum = 0;
#pragma omp parallel for
    for (int i = 1; i <= 100; i++)
#pragma omp atomic
        sum += i;
    a[0] = (int)sum;""",
    "lock": """
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel for
    for (int i = 1; i <= 100; i++) { omp_set_lock(&lock); total += i; omp_unset_lock(&lock); }
    omp_destroy_lock(&lock);""",
    "barrier of a loop": """
    int half[100];
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < 100; i++) half[i] = i;
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = half[99 - i] + 1;
    }""",
    "barrier by hand": """
    int first[64];
#pragma omp parallel
    {
        const int me = omp_get_thread_num(), all = omp_get_num_threads();
        first[me] = 100 * me / all;
#pragma omp barrier
        const int end = me + 1 < all ? first[me + 1] : 100;
        for (int i = first[me]; i < end; i++) a[i] = i + 1;
    }""",
    "single": """
    int one = 0;
#pragma omp parallel
    {
#pragma omp single
        one = 1;
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = i + one;
    }""",
    "master and a barrier": """
    int one = 0;
#pragma omp parallel
    {
#pragma omp master
        one = 1;
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = i + one;
    }""",
    "sections": """
#pragma omp parallel sections
    {
        for (int i = 0; i < 50; i++) a[i] = i + 1;
#pragma omp section
        for (int i = 50; i < 100; i++) a[i] = i + 1;
    }""",
    "a buffer of each thread's own": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        int *own = malloc(64 * sizeof *own);
        memset(own, 0, 64 * sizeof *own);
        own[i % 64] = i;
        a[i] = own[i % 64] + 1;
        free(own);
    }""",
    "threadprivate": """
    static int mine;
#pragma omp threadprivate(mine)
#pragma omp parallel for
    for (int i = 0; i < 100; i++) { mine = i; a[i] = mine + 1; }""",
    "a function's array": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) { int row[i + 1]; row[i] = i; a[i] = row[i] + 1; }""",
    "two regions": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) a[i] = i;
#pragma omp parallel for schedule(dynamic)
    for (int i = 99; i >= 0; i--) a[i]++;""",
    "a region within a region": """
#pragma omp parallel for
    for (int y = 0; y < 10; y++)
#pragma omp parallel for schedule(dynamic)
        for (int x = 0; x < 10; x++) a[10 * y + x] = 10 * y + x + 1;""",
    "nowait between strangers": """
    int b[100];
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < 100; i++) a[i] = i + 1;
#pragma omp for
        for (int i = 0; i < 100; i++) b[i] = 1;
    }
    total += b[7] - 1;""",
    "as many as are asked for": """
#pragma omp parallel for num_threads(7)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "a loop outside of any region": """
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "neighbouring bytes": """
    static char byte[100];
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 100; i++) byte[i] = (char)(i + 1);
    for (int i = 0; i < 100; i++) a[i] = byte[i];""",
}
WRONG = {
    "a sum": """
#pragma omp parallel for
    for (int i = 1; i <= 100; i++)
        total += i;  // RACE""",
    "a variable outside": """
    int t;
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        t = i;  // RACE
        a[i] = t + 1;
    }""",
    "the inner loop's index": """
    int x;
#pragma omp parallel for
    for (int y = 0; y < 10; y++)
        for (x = 0; x < 10; x++)  // RACE
            a[10 * y + x] = 10 * y + x + 1;""",
    "a static variable": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        static int t;
        t = i;  // RACE
        a[i] = t + 1;
    }""",
    "a buffer of everybody's": """
    int *row = malloc(100 * sizeof *row);
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        memset(row, 0, sizeof *row);  // RACE
        a[i] = i + 1;
    }
    free(row);""",
    "a neighbour's value": """
    a[0] = 1;
#pragma omp parallel for
    for (int i = 1; i < 100; i++)
        a[i] = a[i - 1] + 1;  // RACE""",
    "at chunks' edges alone": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        a[i] = i + 1;  // RACE
        if (i > 0) a[i - 1] = i;
    }""",
    "nowait": """
    int half[100];
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < 100; i++)
            half[i] = i;  // RACE
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = half[99 - i] + 1;
    }""",
    "a forgotten critical": """
#pragma omp parallel for
    for (int i = 1; i <= 100; i++) {
        if (i % 2)
#pragma omp critical
            total += i;
        else
            total += i;  // RACE
    }""",
    "master without a barrier": """
    int one = 0;
#pragma omp parallel
    {
#pragma omp master
        one = 1;  // RACE
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = i + one;
    }""",
    "all do the same": """
#pragma omp parallel
    {
        for (int i = 0; i < 100; i++)
            a[i] = i + 1;  // RACE
    }""",
    "dynamic": """
    int count = 0;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 100; i++)
        a[count++] = i + 1;  // RACE""",
    "sections": """
#pragma omp parallel sections
    {
        total += 2000;
#pragma omp section
        total += 3050;  // RACE
    }""",
    "a float behind an atomic": """
    float sum = 0;
#pragma omp parallel for
    for (int i = 1; i <= 100; i++) {
#pragma omp atomic
        sum += i;
        a[0] = (int)sum;  // RACE
    }""",
}
# Programs, the largest team of each, and how many threads worked.
QUEUE = """
    int next = 0;
#pragma omp parallel shared(next)
    for (;;) {
        int i;
#pragma omp atomic capture
        i = next++;
        if (i >= 100) break;
        a[i] = i + 1;
    }"""
LOCKED = """
    int next = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    for (int i = 0; i < 100;) {
        omp_set_lock(&lock);
        i = next++;
        omp_unset_lock(&lock);
        if (i < 100) a[i] = i + 1;
    }
    omp_destroy_lock(&lock);"""
NAMED = """
    int next = 0;
#pragma omp parallel
    for (int i = 0; i < 100;) {
#pragma omp critical(queue)
        i = next++;
        if (i < 100) a[i] = i + 1;
    }"""
FLAG = """
    int ready = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        for (int i = 0; i < 50; i++) a[i] = i + 1;
#pragma omp atomic write
        ready = 1;
    } else {
        for (int seen = 0; !seen;) {
#pragma omp atomic read
            seen = ready;
        }
        for (int i = 50; i < 100; i++) a[i] = i + 1;
    }"""
MANY = """
    int count = 0;
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < 3000; j++) {
#pragma omp atomic
            count++;
        }
        a[i] = i + 1;
    }"""
TEAMS = {
    "a counter of the work, atomic": (QUEUE, 3, 3),
    "a counter of the work, locked": (LOCKED, 3, 3),
    "a counter of the work, in a critical section": (NAMED, 3, 3),
    "a thread that waits for another one's flag": (FLAG, 2, 2),
    "very many atomic accesses": (MANY, 3, 3),
    "loop": (RIGHT["static"], 3, 3),
    "chunks for two of three threads": (
        """
#pragma omp parallel for schedule(dynamic, 60)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
        3,
        2,
    ),
    "by the thread's number": (RIGHT["barrier by hand"], 3, 3),
    "two sections": (RIGHT["sections"], 3, 2),
    "a region within a region": (RIGHT["a region within a region"], 3, 3),
    "a region within a region of one": (
        """
#pragma omp parallel num_threads(1)
#pragma omp parallel for
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
        3,
        3,
    ),
    "an if() that is true": (
        """
#pragma omp parallel for if (sizeof a > 64)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
        3,
        3,
    ),
    "a table by one, a loop by all": (
        """
    int table[1000];
#pragma omp parallel
    {
#pragma omp single
        for (int i = 0; i < 1000; i++) table[i] = i;
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = table[i] + 1;
    }""",
        3,
        3,
    ),
    "through memory of each thread's own": (
        """
#pragma omp parallel
    {
        int *own = malloc(sizeof a), count = 0, first = 0;
#pragma omp for schedule(static)
        for (int i = 0; i < 100; i++) { if (!count) first = i; own[count++] = i + 1; }
#pragma omp critical
        memcpy(a + first, own, count * sizeof *own);
        free(own);
    }""",
        3,
        3,
    ),
    "serial": ("    for (int i = 0; i < 100; i++) a[i] = i + 1;", 1, 0),
    "an if() that is false": (
        """
#pragma omp parallel for if (sizeof a > 640)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
        1,
        0,
    ),
    "a team of one": (
        """
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
        1,
        0,
    ),
    "single": (
        """
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
        3,
        1,
    ),
    "the others only work on their own stack": (
        """
#pragma omp parallel
    {
        int idle[100], *p = idle;
        for (int i = 0; i < 100; i++) p[i] = i + 1;
        if (omp_get_thread_num() == 2) memcpy(a, p, sizeof a);
    }""",
        3,
        1,
    ),
    "the others only say that they are there": (
        """
    char here[8];
#pragma omp parallel
    {
        here[omp_get_thread_num()] = 1;
#pragma omp master
        for (int i = 0; i < 100; i++) a[i] = i + 1;
    }""",
        3,
        1,
    ),
}


@pytest.fixture(scope="module")
def compiler() -> tuple[list[str], list[str]]:
    """The flags of the Makefile, for compiling and for linking."""
    shown = "shown: ; @echo '$(RACE_CFLAGS)'; echo '$(RACE_WRAPPED:%=-Wl,--wrap=%)'"
    argv = ["make", "-s", "--eval", shown, "shown"]
    done = captured.run(argv, cwd=paths.ROOT, check=True)
    compiling, linking = done.stdout.splitlines()
    libraries = [
        str(paths.BUILD / "lib/plain" / f"lib{name}.a") for name in ("openmp_race", "runtime")
    ]
    return compiling.split(), [*linking.split(), *libraries, "-lm", "-pthread"]


def checked(
    source: str, folder: Path, compiler: tuple[list[str], list[str]]
) -> tuple[str, list[Any], set[int]]:
    """What the program prints, the findings, and the lines that they name."""
    file, program = folder / "a.c", folder / "a"
    file.write_text(source)
    compiling, linking = compiler
    subprocess.run(["gcc", *compiling, "-c", file, "-o", folder / "a.o"], check=True)
    subprocess.run(["gcc", folder / "a.o", *linking, "-o", program], check=True)
    with evidence.recorder() as recorder:
        done = captured.run(
            [program],
            check=True,
            env=recorder.environment(),
            pass_fds=(recorder.descriptor,),
            timeout=60,
        )
        reported = recorder.read()
    (folder / "team.json").write_bytes(reported.last(evidence.TEAM))
    findings = [json.loads(line) for line in reported.of(evidence.FINDING)]
    counters = [f[key] for f in findings for key in ("pc", "other_pc")]
    places = addr2line.locations(program, counters)
    return done.stdout.strip(), findings, {line for _, line in places.values()}


@pytest.mark.parametrize("lab", ["lab1", "lab8"])
def test_the_solutions_are_really_checked(lab: str) -> None:
    """What does not link with the check's OpenMP is passed over."""
    loaded = spec.load(lab)
    submission = submissions.find(loaded, "solutions")
    made = make.build(make.BuildRequest(submission, loaded.backends[0], "checked"))
    assert made.binary and made.binary.with_name("raced").stat().st_size > 0
    assert any("threads" in safe.settings() for safe in loaded.safe)


def program(body: str) -> str:
    return f"{HEAD}static void run(void) {{{body}\n}}\n{MAIN}"


@pytest.mark.parametrize("name", RIGHT)
def test_right_ones(name: str, tmp_path: Path, compiler: tuple[list[str], list[str]]) -> None:
    said, findings, _ = checked(program(RIGHT[name]), tmp_path, compiler)
    assert (said, findings) == ("5050", [])


@pytest.mark.parametrize("name", WRONG)
def test_wrong_ones(name: str, tmp_path: Path, compiler: tuple[list[str], list[str]]) -> None:
    source = program(WRONG[name])
    _, findings, named = checked(source, tmp_path, compiler)
    assert findings and all(f["kind"] == "thread-race" for f in findings)
    wanted = {n for n, line in enumerate(source.splitlines(), 1) if re.search(r"// RACE", line)}
    assert wanted <= named
    again = checked(source, tmp_path, compiler)
    assert len(again[1]) == len(findings)  # the same, whoever is scheduled how


@pytest.mark.parametrize("name", TEAMS)
def test_what_a_team_did(name: str, tmp_path: Path, compiler: tuple[list[str], list[str]]) -> None:
    body, largest, working = TEAMS[name]
    said, findings, _ = checked(program(body), tmp_path, compiler)
    assert (said, findings) == ("5050", [])
    team = records.readable((tmp_path / "team.json").read_bytes(), openmp_team.Team)
    assert team is not None and (team.largest, team.working()) == (largest, working), team
