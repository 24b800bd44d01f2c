"""A program whose text differs in the build for counters and checks is refused there."""

import sys
from pathlib import Path

import pytest

from grader.paths import ROOT
from grader.tests import captured

INCLUDE = ROOT / "labs" / "sim" / "include"
DIFFERENT = {  # each with the line that is named
    "joined name": ("#define J(a, b) a##b\n#if J(__SANITIZE_, THREAD__)\nint i;\n#endif\n", 3),
    "less at the end": ("int first;\n#ifndef __SANITIZE_THREAD__\nint plain;\n#endif\n", 1),
    "macro of the simulator": (
        "#include <cstring>\n#ifdef memcpy\n#define COPY 2\n#else\n"
        "#define COPY 1\n#endif\nint copy = COPY;\n",
        7,
    ),
    "macro's text": (
        "#define S(x) #x\n#define T(x) S(x)\nconst char *t = T(memcpy(1, 2, 3));\n",
        3,
    ),
    "header": ("#ifdef _GLIBCXX_TSAN\n#include <regex>\n#endif\nint f();\n", 3),
    "device": (
        "__global__ void kernel(int *x) {\n"
        "#if defined(__CUDA_ARCH__) && defined(__SANITIZE_THREAD__)\n"
        "    *x = 1;\n#endif\n}\n",
        3,
    ),
}
SAME = """#include <cstring>
#include <new>
#include <vector>
#define SHOW(x) #x
static const char *built = __DATE__ " " __TIME__ SHOW(memcpy(a, b, 1)) __FILE__;
int f(char *to) {
    memcpy(to, built, 4), std::memset(to, 0, 1), __builtin_memmove(to, built, 2);
    return (int)strlen(strncpy(to, built, 2));
}
#ifdef __CUDA_ARCH__
__device__ int only;
#endif
"""


def said(folder: Path, source: str, *flags: str) -> str:
    (folder / "given.cu").write_text(source)
    command: list[str | Path] = [sys.executable, "-m", "labs.sim.translate"]
    command += ["--shown", "student.cu", "--own", folder / "own.i"]
    command += [folder / "given.cu", "-o", folder / "made.ii", "--", "g++", "-I", INCLUDE, *flags]
    return captured.run(command, cwd=ROOT).stderr


@pytest.mark.parametrize("name", DIFFERENT)
def test_another_text_is_refused_where_it_is_checked(tmp_path: Path, name: str) -> None:
    source, line = DIFFERENT[name]
    assert said(tmp_path, source) == ""
    wrong = said(tmp_path, source, "-fsanitize=thread")
    assert wrong.startswith(f"student.cu:{line}:") and "another one in the build" in wrong


def test_differences_outside_the_program_are_ignored(tmp_path: Path) -> None:
    assert said(tmp_path, SAME, "-fsanitize=thread") == ""
