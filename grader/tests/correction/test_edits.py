"""The changes that are tried: which there are, that they compile side by side, and how many."""

import subprocess
import time

import pytest

from grader.correction.candidates import MOST, candidates
from grader.correction.edits import applied
from grader.correction.switched import switched

HEADER = "enum { TILE_WIDTH = 32, TILE_HEIGHT = 8 };\n#define LEAST (1.0 / 64)\n"
FILE = """\
#include <math.h>
#include <stddef.h>
#include <string.h>
enum { TILE_WIDTH = 32, TILE_HEIGHT = 8 };
static int at(int y, int x) { return y * TILE_WIDTH + x; }
float pixel(const float *image, int width, int height, int x, int y) {
    float tile[4][TILE_WIDTH]; /* sizes // stay */
    const size_t bytes = width * height;
    float sum = 0;
    if (x > width || y > height) {
        return 0;
    }
    for (int a = -1; a <= 1; a++) {
        sum = image[at(x, y + a)] + tile[y][x] + (int)(bytes >> 2 + 1);
    }
    for (int first = 0; first < width; first += TILE_WIDTH) {
        memset(tile[0], 0, bytes + TILE_WIDTH);
        sum += fmaxf(image[y / 32 + first], 0) / (x * (3 - y));
    }
    for (int i = 0; i < y + TILE_HEIGHT; i += 2) {
        const int b = i / TILE_WIDTH;
        const int a = i % TILE_WIDTH;
        if (sum < 1.0f) sum += image[a * 32 + b];
    }
    return sum / 2;
}
"""


def texts(source: str, entries: list[str] | None = None) -> list[str]:
    """The lines that the edits of a file change."""
    before, found = source.splitlines(), []
    for edit in candidates(source, HEADER, entries or []):
        after = applied(source.encode(), edit).decode().splitlines()
        changed = [b.strip() for a, b in zip(before, after, strict=True) if a != b]
        found += [*changed, " ".join(changed)]
    return found


@pytest.mark.parametrize(
    "line",
    [
        "const size_t bytes = (width * height) * sizeof(float);",
        "if (x >= width || y >= height) {",
        "if (x > width && y > height) {",
        "if (x > height || y > height) {",
        "sum += image[at(x, y + a)] + tile[y][x] + (int)(bytes >> 2 + 1);",
        "sum = image[at(y + a, x)] + tile[y][x] + (int)(bytes >> 2 + 1);",
        "sum = image[at(x, y + a)] + tile[x][y] + (int)(bytes >> 2 + 1);",
        "sum = image[at(x, y + a)] + tile[y][x] + (int)((bytes >> 2) + 1);",
        "sum = image[at(x, y + a)] + tile[y][x] + (int)(bytes >> 1 + 1);",
        "sum = image[at(x, (y + a) - height)] + tile[y][x] + (int)(bytes >> 2 + 1);",
        "for (int a = -1; a < 1; a++) {",
        "static int at(int y, int x) { return y * TILE_HEIGHT + x; }",
        "static int at(int y, int x) { return x * TILE_WIDTH + y; }",
        "memset(tile[0], 0, bytes + (width - first < TILE_WIDTH ? width - first : TILE_WIDTH));",
        "for (int i = 0; i < y + (TILE_HEIGHT * 2); i += 2) {",
        "const int b = i % TILE_WIDTH; const int a = i / TILE_WIDTH;",
        "const int b = ((i / TILE_WIDTH) + TILE_HEIGHT - 1) / TILE_HEIGHT * TILE_HEIGHT;",
        "sum += fmaxf(image[first / 32 + y], 0) / (x * (3 - first));",
        "if (sum < 1.0f) sum += image[a * 4 + b];",
        "if (fabs(sum) < 1.0f) sum += image[a * 32 + b];",
        "if (fabs(sum) < fabs(1.0f)) sum += image[a * 32 + b];",
        "if (sum < 1.0f * fabs(sum)) sum += image[a * 32 + b];",
    ],
)
def test_a_mistake_of_each_kind_has_its_correction(line: str) -> None:
    assert line in texts(FILE)


KERNEL = """\
__global__ void k(float *p) {}
#ifdef __x86_64__
void f(float *d, int n, int masks) {
    dim3 grid(ceil_div(n, TILE_WIDTH), TILE_HEIGHT);
    k<<<grid, 32>>>(d);
    cudaMemcpy(d, d, n, cudaMemcpyHostToDevice);
    v = _mm256_srli_epi32(v, 4);
    v = _mm_set1_epi8(0);
    cudaMalloc(&d, (n + 1) * 4);
}
#else
void f(float *d, int n, int masks) {}
#endif
"""


@pytest.mark.parametrize(
    "line",
    [
        "dim3 grid(ceil_div(n, TILE_WIDTH), TILE_HEIGHT, masks);",
        "cudaMemcpy(d, d, n * sizeof(float), cudaMemcpyHostToDevice);",
        "cudaMemcpy(d, d, n, cudaMemcpyDeviceToHost);",
        "v = _mm256_srli_si256(v, 4);",
        "v = _mm_set1_epi8(-1);",
        "cudaMalloc(&d, ((n + 1) * (n + 1)) * 4);",
        "cudaMemcpy(d, d, n, cudaMemcpyHostToDevice); k<<<grid, 32>>>(d);",
    ],
)
def test_a_mistake_in_a_call_has_its_correction(line: str) -> None:
    assert line in texts(KERNEL)


def test_no_grid_is_made_larger_and_only_bytes_have_a_sizeof() -> None:
    said = [e.sentence() for e in candidates(KERNEL, HEADER, []) if e.line == 4]
    assert not any("sizeof" in text or "* " in text.split("`")[1] for text in said)
    assert not any("sizeof" in text for text in texts(FILE) if "bytes" not in text)


def test_what_is_said_of_whole_statements_is_short() -> None:
    source = "void f(int x) { if (x > 1) g(x); h(x); g(x); }"
    said = {edit.sentence() for edit in candidates(source, HEADER, [])}
    assert {"`if (x > 1)` is too much", "`g(x);` belongs before `h(x);`"} <= said


def test_a_number_with_a_fraction_is_no_index() -> None:
    found = candidates("float f(float *p, int i) { return p[i] * LEAST; }", HEADER, [])
    said = [edit.what for edit in found]
    assert said and not {"`i` should be `LEAST`", "`% LEAST` is missing"} & {*said}


def test_what_must_be_constant_and_comments_stay() -> None:
    assert not any("float tile" in line for line in texts(FILE))


def test_only_functions_of_the_part_are_changed() -> None:
    assert any(line.startswith("static int at") for line in texts(FILE, ["pixel"]))
    assert not any(line.startswith("for") for line in texts(FILE, ["at"]))


@pytest.mark.parametrize("suffix, compiler", [(".c", ["gcc", "-xc"]), (".cu", ["g++", "-xc++"])])
def test_all_edits_compile_side_by_side(suffix: str, compiler: list[str]) -> None:
    edits = [e for e in candidates(FILE, HEADER, []) if "tile" not in e.what]
    assert len(edits) > 200
    text = switched(FILE.encode(), edits, suffix)
    done = subprocess.run(
        [*compiler, "-fsyntax-only", "-"], input=text, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[:2000]
    assert text.count(b"\n") == FILE.count("\n") + 1


def test_a_hostile_file_is_read_in_time() -> None:
    names = "".join(f"int v{n} = {n};\n" for n in range(1500))
    source = f"int f(int x) {{\n{names}return {' + '.join(f'v{n}' for n in range(1500))};\n}}\n"
    nested = f"int f(int x) {{ return {'(' * 500}x{')' * 500}; }}\n"
    began = time.process_time()
    assert len(candidates(source, HEADER, [])) <= 2 * MOST
    assert candidates(nested, HEADER, []) == []
    assert candidates("int f(", HEADER, []) == []
    assert time.process_time() - began < 20


def test_a_variable_that_nothing_uses_comes_first() -> None:
    found = candidates("int f(const int *p, int x, int n) { return p[x]; }", "", [])
    assert found[0].what == "`x` should be `n`"
    assert "`x` should be at most `n`" in [e.what for e in found if e.rank == 1]


BYTES = """\
enum { COLUMNS_WIDTH = 32, ROWS_WIDTH = 128, APRON = 8, BLOCK_HEIGHT = 8 };
int f(const float *h, float *d, int n, int top, int t, int left) {
    const size_t count = (size_t)n * n;
    cudaMemcpy(d, h, count * sizeof(float), cudaMemcpyHostToDevice);
    const size_t room = sizeof(float) * COLUMNS_WIDTH;
    kernel<<<1, 32, room>>>(d);
    for (int v = t; v < n; v += BLOCK_HEIGHT) {
        d[v] = pixel(h, top + v) + pixel(h, left - APRON + t);
    }
    d += 64;
    return 0;
}
"""


def said(start: str) -> list[str]:
    return [e.sentence() for e in candidates(BYTES, "", []) if e.what.startswith(start)]


def test_what_is_a_number_of_bytes_already_needs_no_sizeof() -> None:
    assert not any("count" in s for s in said("`* sizeof(float)` is missing"))


def test_a_larger_number_that_only_makes_room_names_no_variable() -> None:
    assert {"too little memory in `sizeof(float) * COLUMNS_WIDTH`"} == {*said("too little")}
    assert not any("`ROWS_WIDTH`" in s for s in said("`COLUMNS_WIDTH` should"))


def test_of_two_names_with_one_value_the_one_that_is_added_elsewhere_comes_first() -> None:
    missing = [s for s in said("`- ") if "is missing" in s and "top + v" in s]
    apron, block = (missing.index(f"`- {n}` is missing in `pixel(h, top + v)`") for n in NAMES)
    assert apron < block


def test_no_name_is_missing_beside_a_number_alone() -> None:
    assert not any("`d += 64`" in s for s in said("`+ APRON` is missing"))


NAMES = ("APRON", "BLOCK_HEIGHT")
