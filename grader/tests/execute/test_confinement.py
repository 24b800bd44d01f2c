"""Host code of a traced program reaches no memory that is the runtime's or a library's."""

from pathlib import Path

import pytest

from grader import paths
from grader.compile import make
from grader.execute.instrumented import Runner
from grader.model import spec
from grader.model import submission as submissions
from grader.tests.execute import switched_program
from grader.tests.execute.switched_program import SwitchedProgram

HEADERS = """
#include <cerrno>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <strings.h>
#include <sys/time.h>
#include <string>
#include <vector>
static thread_local int mine = 1;
struct has_table { virtual ~has_table() {} int n = 1; };
static int table[1000];
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
"""
# `at` is the address of one of the runtime's variables, which CUDA gives a name: of threadIdx.
FOREIGN = {
    "thread-local, above": "volatile char *p = (volatile char *)&mine; p[200] = 0;",
    "a variable of the runtime": "*(int *)at = 7;",
    "reads one": "if (*(const volatile int *)at == 12345) return cudaErrorUnknown;",
    "memcpy()": 'memcpy((void *)at, "12345678", 4);',
    "__builtin_memcpy()": "__builtin_memcpy((void *)at, table, width % 64 + 1);",
    "memset()": "memset((void *)at, 0, 4);",
    "std::copy()": "std::copy(table, table + 3, (int *)at);",
    "std::fill()": "std::fill((int *)at, (int *)at + 3, 1);",
    "snprintf()": 'snprintf((char *)at, 8, "%d", width);',
    "sprintf()": 'sprintf((char *)at, "%d", width);',
    "strcpy()": 'strcpy((char *)at, "abc");',
    "strncat()": 'strncat((char *)at, "abc", 2);',
    "qsort()": "qsort((void *)at, 3, 4, by_value);",
    "frexp()": "std::frexp(3.0, (int *)at);",
    "sincosf()": "float s; sincosf(1.0f, &s, (float *)at);",
    "strtol()": 'strtol("12", (char **)at, 10);',
    "sscanf()": 'sscanf("12 5", "%*d%d", (int *)at);',
    "gettimeofday()": "gettimeofday((timeval *)((uintptr_t)at & ~(uintptr_t)7), nullptr);",
    "strtok()": 'strtok(at, " ");',
    "posix_memalign()": "posix_memalign((void **)((uintptr_t)at & ~(uintptr_t)7), 16, 4);",
    "setvbuf()": "setvbuf(stdout, at, _IOFBF, 64);",
    "bzero()": "bzero(at, 4);",
    "an atomic": "__atomic_fetch_add((int *)at, 1, __ATOMIC_SEQ_CST);",
    "a virtual table": "new ((void *)((uintptr_t)at & ~(uintptr_t)15)) has_table;",
    "a structure": "struct big { int n[9]; } *b = (big *)at; *b = big();",
    "cudaMemcpy()": "cudaMemcpy((void *)at, d_image, 4, cudaMemcpyDeviceToHost);",
    "cudaMemcpyAsync()": "cudaMemcpyAsync((void *)at, d_image, 4, cudaMemcpyDeviceToHost, 0);",
    "cudaMemcpy2D()": "cudaMemcpy2D((void *)at, 4, d_image, 4, 4, 1, cudaMemcpyDeviceToHost);",
    "cudaMemcpy() reads": "cudaMemcpy(d_out, (void *)at, 4, cudaMemcpyHostToDevice);",
    "cudaMalloc()": "cudaMalloc((void **)((uintptr_t)at & ~(uintptr_t)7), 8);",
    "cudaGetDevice()": "cudaGetDevice((int *)at);",
    "cudaGetDeviceProperties()": (
        "auto p = (cudaDeviceProp *)((uintptr_t)at & ~(uintptr_t)7); cudaGetDeviceProperties(p, 0);"
    ),
    "cudaHostRegister()": "cudaHostRegister((void *)at, 4, 0);",
    "the stack of the callers": (
        "volatile char *p = (volatile char *)&p; for (int i = 8; i < 6000; i++) p[i] = 0;"
    ),
    "a library's variables": "*(volatile long *)stdout = 0;",
}
OWN = {
    "a thread-local variable": "mine++; if (mine < 0) return cudaErrorUnknown;",
    "static, heap and stack": """
        std::vector<int> v(100, width);
        std::unique_ptr<int[]> p(new int[50]());
        int local[20] = {1, 2};
        memcpy(table, v.data(), 400); std::copy(local, local + 20, p.get());
        std::sort(v.begin(), v.end()); qsort(table, 100, 4, by_value);""",
    "text": """
        std::string s("abc"); char t[99]; double whole;
        s += std::to_string(width); snprintf(t, sizeof t, "%s", s.c_str()); strcat(t, "d");
        strncpy(t + 10, "xyz", 4); modf(3.5, &whole); std::cout << std::hex << t << std::endl;
        fprintf(stderr, "%g\\n", whole); fflush(stdout);
        int read, kind; char word[40]; timeval now; gettimeofday(&now, nullptr);
        sscanf("12 34 and a text that is longer", "%d%%%d", &read, &kind);
        setvbuf(stdout, nullptr, _IONBF, 0);
        sscanf("12 word", "%d %39s", &read, word); strtok(word, "o");
        kind = (int)strtoll("12", nullptr, 10) + (int)now.tv_sec * 0;""",
    "results of calls": """
        int device; cudaDeviceProp p; cudaEvent_t a, b; float ms; size_t free_bytes, total;
        cudaGetDevice(&device); cudaGetDeviceProperties(&p, device);
        cudaMemGetInfo(&free_bytes, &total); cudaEventCreate(&a); cudaEventCreate(&b);
        cudaEventRecord(a); cudaEventRecord(b); cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b); cudaEventDestroy(a); cudaEventDestroy(b);""",
    "a callback and a virtual function": """
        cudaStream_t s; cudaStreamCreate(&s);
        cudaLaunchHostFunc(s, [](void *p) { ((int *)p)[0] = 5; }, table);
        cudaStreamSynchronize(s); cudaStreamDestroy(s);
        has_table *h = new has_table; h->n++; delete h;""",
    "a reference to errno": 'errno = 0; strtod("x", nullptr); if (errno) return cudaErrorUnknown;',
}
PLACE = "char *volatile place = (char *)&threadIdx, *const at = place;\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> SwitchedProgram:
    folder = tmp_path_factory.mktemp("confined")
    return switched_program.build(folder, HEADERS, {**FOREIGN, **OWN}, PLACE)


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_memory_ends_the_run_at_its_line(built: SwitchedProgram, name: str) -> None:
    outcome = built.run(name).outcome
    assert outcome.end == "no-result", (outcome.reason, outcome.findings)
    (finding,) = (f for f in outcome.findings if f.kind == "foreign-memory")
    assert finding.file.endswith("global_memory.cu") and finding.line
    assert not outcome.evidence.is_complete()


@pytest.mark.parametrize("name", OWN)
def test_own_memory_is_free(built: SwitchedProgram, name: str) -> None:
    run = built.run(name)
    assert run.outcome.end == "completed" and run.right, (run.outcome.reason, run.outcome.findings)
    assert not [f for f in run.outcome.findings if f.severity == "error"]


def test_program_contains_the_confined_ranges(built: SwitchedProgram) -> None:
    """The ranges exist: without the linker's script or the mark nothing above could be found."""
    binary = built.runner.binary.read_bytes()
    assert b"sim_course_zero" in binary and b"confinement_begin" in binary


def test_a_file_in_c_beside_a_cuda_file_is_confined_too(tmp_path: Path) -> None:
    lab = spec.load("lab8")
    for name in lab.submit:
        text = (paths.SOLUTIONS / lab.folder / name).read_text()
        if name.endswith(".c"):
            head, body = text.split("void grey_openmp(", 1)
            opening, rest = body.split("{\n", 1)
            attack = "*(volatile long *)stdout = 0;\n"
            text = f"#include <stdio.h>\n{head}void grey_openmp({opening}{{\n{attack}{rest}"
        (tmp_path / name).write_text(text)
    submission = submissions.find(lab, str(tmp_path))
    made = make.build(make.BuildRequest(submission, "sim", "checked"))
    assert made.binary, made.errors
    check = next(s for s in lab.safe if s.part == "A")
    outcome = Runner(submission, made.binary, "sim", tmp_path).forwards(check).outcome
    assert [f.kind for f in outcome.findings] == ["foreign-memory"]
    assert outcome.findings[0].file.endswith("grayscale.c")
