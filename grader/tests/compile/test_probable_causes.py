"""Warnings in the words of a student: what is a probable cause, and what is none."""

import subprocess
from pathlib import Path

import pytest

from grader.compile import compiler_messages, probable_causes
from grader.compile.probable_causes import Cause
from grader.model import spec
from grader.model import submission as submissions
from grader.model.submission import Submission

FLAGS = ["-O1", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-S", "-o", "/dev/null"]
MALLOC = "int cudaMalloc(void **d, unsigned long bytes);\n"
SAID = {
    "int f(int n) {\n    for (int y = 0; y < n; y++)\n        y += 2;\n    return n;\n}\n": (
        "line 3: this changes `y`, which the loop of line 2 counts with"
    ),
    "int f(void) {\n#pragma opm parallel\n    return 1;\n}\n": (
        "line 2: `#pragma opm` is unknown, and ignored: write `#pragma omp`"
    ),
    MALLOC + "int f(float *p) { return cudaMalloc((void **)p, 4); }\n": (
        "line 2: cudaMalloc() needs the address of `p`: (void **)&p"
    ),
    "int f(int x) {\n    if (x) return 1;\n}\n": "line 3: f() can reach its end without `return`",
    "int f(int x) {\n    while (x) { x--; }\n}\n": "line 3: f() can reach its end without `return`",
    "int f(int x) {\n    switch (x) {\n    case 1: return 2;\n    }\n}\n": (
        "line 5: f() can reach its end without `return`"
    ),
    "int f(int n) {\n    int s = 0;\n    for (; s < n;);\n        s++;\n    return s;\n}\n": (
        "line 3: the `;` after `for (...)` ends the loop: what follows runs once, after it"
    ),
    "int f(int n) {\n    while (n < 9); {\n        n++;\n    }\n    return n;\n}\n": (
        "line 2: the `;` after `while (...)` ends the loop: what follows runs once, after it"
    ),
    "int f(int n) {\n    if (n < 9);\n        n = 1;\n    return n;\n}\n": (
        "line 2: the `;` after `if (...)` ends the `if`: what follows runs always"
    ),
    "int f(int a, int b) { return a + b << 8; }\n": (
        "line 1: `+` is computed before `<<`: a + b << c is (a + b) << c"
    ),
    "int f(int a, int b) { return 1 << b - a; }\n": (
        "line 1: `-` is computed before `<<`: a - b << c is (a - b) << c"
    ),
    "int f(int a, int b) { return a >> 8 + b; }\n": (
        "line 1: `+` is computed before `>>`: a + b >> c is (a + b) >> c"
    ),
    "int f(int a) { if (a = 2) return 1; return 0; }\n": (
        "line 1: `=` in a condition assigns; `==` compares"
    ),
    "int f(void) { int a; return a + 1; }\n": "line 1: `a` is used before it has a value",
    "int f(unsigned a) { if (a < 0) return 1; return 0; }\n": (
        "line 1: an unsigned number is never negative: this comparison is always false"
    ),
    "int f(void) { return 70000 * 70000; }\n": "line 1: the result does not fit in its type, `int`",
    "int f(int a) { int size = 2 * a + 1; return a; }\n": (
        "line 1: `size` gets a value that nothing uses"
    ),
}
NOT_SAID = [
    "int f(int n, int y) {\n    for (int i = 0; i < n; i += 2) y += i;\n    return y;\n}\n",
    "#pragma once\n#pragma nounroll\n#pragma STDC FP_CONTRACT ON\nint f(void) { return 1; }\n",
    MALLOC + "int f(float *p) { return cudaMalloc((void **)&p, 4); }\n",
    MALLOC + "int f(float **p) { return cudaMalloc((void **)p, 4); }\n",
    "int f(int a, int b) { return a ? b : 2; }\nvoid g(int unused) {}\n",
    "int f(int n) {\n    int s;\n    for (s = 0; s * s < n; s++)\n        ;\n    return s;\n}\n",
    "int f(int n) {\n    do {\n        n++;\n    } while (n < 9);\n    return n;\n}\n",
    "int f(int n) {\n    for (; n < 9; n++);\n    return n;\n}\n",
    "int f(int a, int b, int c) { return a && b || c; }\n",
    "int f(int a, unsigned b) { int left; return a < b; }\n",
    "int f(int a) { int b; if ((b = a)) return b; return (a + 1) << 8; }\n",
    "int f(int a) {\n#if 0\n    for (;;);\n        a++;\n#endif\n    return a; // for (;;);\n}\n",
]


def of(tmp_path: Path, text: str) -> Submission:
    (tmp_path / "cpu_loop.c").write_text(text)
    return submissions.find(spec.load("lab1"), str(tmp_path))


def causes(tmp_path: Path, text: str) -> list[Cause]:
    found = of(tmp_path, text)
    command = ["gcc", *FLAGS, found.path("cpu_loop.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    diagnostics = compiler_messages.diagnostics_in(done.stderr, found.shown)
    return probable_causes.causes(done.stderr, diagnostics, found)


@pytest.mark.parametrize("text", SAID)
def test_a_warning_that_may_be_the_cause_is_a_sentence(tmp_path: Path, text: str) -> None:
    assert [cause.render() for cause in causes(tmp_path, text)] == [SAID[text]]


@pytest.mark.parametrize("text", NOT_SAID)
def test_other_warnings_are_no_cause(tmp_path: Path, text: str) -> None:
    assert causes(tmp_path, text) == []


def test_a_silenced_warning_is_not_said(tmp_path: Path) -> None:
    pragma = '#pragma GCC diagnostic ignored "-Wreturn-type"\n'
    assert causes(tmp_path, pragma + "int f(int x) { if (x) return 1; }\n") == []


def test_the_simulators_names_are_not_said(tmp_path: Path) -> None:
    found = of(tmp_path, "int f;\n")
    log = f"{found.path('cpu_loop.c')}:1:1: warning: ‘sim_a’ is used uninit [-Wuninitialized]\n"
    diagnostics = compiler_messages.diagnostics_in(log, found.shown)
    assert probable_causes.causes(log, diagnostics, found) == []


def test_nvcc_says_only_what_is_new(tmp_path: Path) -> None:
    found = of(tmp_path, "int f(int x) {\n    if (x) return 1;\n}\n")
    path = found.path("cpu_loop.c")
    log = f'{path}(3): warning #940-D: missing return statement of non-void function "f"\n'
    log += f'{path}(2): warning #549-D: variable "y" is used before its value is set\n'
    log += f'{path}(1): warning #177-D: variable "z" was declared but never referenced\n'
    known = causes(tmp_path, found.text("cpu_loop.c"))
    new = [c for c in probable_causes.causes(log, [], found) if not c.is_said_by(known)]
    assert [c.render() for c in new] == ["line 2: `y` is used before it has a value"]


def test_a_crash_of_another_part_has_another_cause() -> None:
    lab = spec.load("lab3")
    of_a = Cause("a.cu", 1, "return-type", "set_mask", "")
    assert of_a.explains_crash(lab, "A") and not of_a.explains_crash(lab, "B")
    helper = Cause("a.cu", 1, "return-type", "helper", "")
    assert helper.explains_crash(lab, "A") and helper.explains_crash(lab, "B")
    assert not Cause("a.cu", 1, "parentheses", "set_mask", "").explains_crash(lab, "A")


def cuda(tmp_path: Path, text: str) -> Submission:
    (tmp_path / "constant_mask.cu").write_text(text)
    return submissions.find(spec.load("lab3"), str(tmp_path))


REGION = """void f(const int *rgb, int n, int *grey) {
    int i;
#pragma omp parallel for PRIVATE
    for (i = 0; i < n; i++) { grey[i] = rgb[i]; }
}
"""


@pytest.mark.parametrize(
    ("clause", "is_said"),
    [
        ("collapse(1) private(i, grey) schedule(static)", True),
        ("firstprivate(grey) private(i)", False),
        ("shared(grey) private(i)", False),
    ],
)
def test_a_parameter_that_is_private_has_no_value(
    tmp_path: Path, clause: str, is_said: bool
) -> None:
    submission = cuda(tmp_path, REGION.replace("PRIVATE", clause))
    found = [c.render() for c in probable_causes.causes("", [], submission)]
    said = ["line 3: `private(grey)` gives each thread a `grey` of its own, without a value"]
    assert found == (said if is_said else [])
