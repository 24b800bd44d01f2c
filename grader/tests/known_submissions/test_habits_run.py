"""Ordinary code also runs where its accesses and calls are judged: it costs no points."""

import tempfile
from pathlib import Path

import pytest

from grader.grading import pipeline
from grader.sandbox.workspace import workspace
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.tests.attacks import material
from grader.tests.attacks.attack import Attack

CHECKS = "no data race, no invalid access: 17x17 on 41x29"
COUNTED = "the mask is not read from global memory"
HOST = r"""
#include <algorithm>
#include <cassert>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

struct stage { char name[24]; double seconds; int calls; };
struct five { double value[5]; };
struct shape { virtual ~shape() {} virtual int sides() const { return 3; } };
struct square : shape { int sides() const override { return 4; } };

static int by_seconds(const void *a, const void *b) {
    const double x = ((const stage *)a)->seconds, y = ((const stage *)b)->seconds;
    return (x > y) - (x < y);
}
static __attribute__((noinline)) five powers(double x) { return {{1, x, x * x, x * x * x, 0}}; }
static __attribute__((noinline)) double total(five f) { return f.value[0] + f.value[3]; }
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static const int table[] = {3, 1, 4, 1, 5, 9, 2, 6};

static int work(int width) {
    static std::vector<float> weights(16, 1.0f);
    static std::mutex lock;
    std::lock_guard<std::mutex> held(lock);
    std::map<std::string, int> count;
    std::list<int> queue;
    int histogram[8] = {0}, shifted[8];
    for (int i = 0; i < width; i++) {
        histogram[(i * 7 + width) % 8]++;
        count["row " + std::to_string(i % 3)]++;
        queue.push_front(i);
    }
    memcpy(shifted, histogram + 1, sizeof(int) * (size_t)(width % 4 + 3));
    stage stages[3] = {{"load", 2.5, 1}, {"filter", 0.5, 4}, {"store", 1.5, 1}};
    qsort(stages, 3, sizeof *stages, by_seconds);
    stage copy = stages[width % 3];
    five *many = (five *)calloc(4, sizeof *many);
    many[width % 4] = powers(width);
    const double sum = total(many[width % 4]);
    free(many);
    char line[64];
    int written = 0;
    snprintf(line, sizeof line, "%-8s %6.2f%n %d", copy.name, copy.seconds, &written,
             table[width % 8]);
    fprintf(stderr, "%s %ld of %zu%%\n", line, (long)queue.size(), weights.size());
    std::ostringstream text;
    text << written << ' ' << sum << ' ' << fibonacci(9);
    const int parsed = std::stoi(text.str());
    int first = 0;
    assert(sscanf("7 8", "%d %d", &first, &written) == 2);
    std::function<int(int)> twice = [&](int x) { return 2 * x + histogram[x % 8]; };
    std::sort(weights.begin(), weights.end(), [](float a, float b) { return a > b; });
    const square corner;
    const shape *volatile any = &corner;
    try {
        if (width > 0) throw std::runtime_error("no problem");
    } catch (const std::exception &e) {
        std::cerr << e.what() << " " << any->sides() << std::endl;
    }
    errno = 0;
    return (parsed == 15 || parsed == 0) + (twice(2) > 0) + (fabs(sum) > 0) > 0 ? 1 : 0;
}
"""
KERNEL = [
    ["float sum = 0.0f;", "float part[4] = {0.0f, 0.0f, 0.0f, 0.0f}, sum = 0.0f;", "first"],
    ["    d_out[(size_t)y * width + x] = sum;", """
    for (int i = 0; i < 4; i++) {
        part[(i + x) % 4] += (float)(i % 2);
    }
    const struct pair both = {sum, part[0] + part[1] + part[2] + part[3]};
    const struct pair turned = other_way_round(both);
    d_out[(size_t)y * width + x] = turned.b + (turned.a - 2.0f);""", "first"],
]  # fmt: skip
DEVICE = """
struct pair { float a, b; };
static __device__ __noinline__ struct pair other_way_round(struct pair p) {
    struct pair turned = {p.b, p.a};
    return turned;
}"""


@pytest.mark.slow("each is a whole grade")
@pytest.mark.parametrize("checks", [CHECKS, COUNTED])
def test_accepted_code_earns_its_points(checks: str) -> None:
    attack = Attack(
        name="accepted",
        group="accepted",
        lab="lab3",
        checks=checks,
        limit=10,
        code=HOST + DEVICE,
        attack="return work(width);",
        edits=KERNEL,
    )
    with (
        material.target() as place,
        workspace() as home,
        tempfile.TemporaryDirectory(dir=home) as f,
    ):
        Path(f).chmod(0o755)
        lab = material.lab_of(attack)
        plan = plan_for(lab, "sim", checks, timed=False)
        result = pipeline.grade(plan, material.submission(attack, lab, place, Path(f)), Observer())
    said = [line for check in result.checks for line in check.message]
    assert result.score.measured > 0
    assert result.score.earned == result.score.measured, "\n".join(said)
