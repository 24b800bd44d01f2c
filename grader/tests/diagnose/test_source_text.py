"""What the text of a file shows: reversed lists of indices, and parallel regions without `for`."""

import pytest
from msgspec.structs import replace

from grader.diagnose import source_text
from grader.findings.record import MemoryObject
from grader.model.finding import Finding

SET = "const __m128i pick = _mm_set_epi8({});\n"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (SET.format("0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1"), "set-not-setr"),
        (
            SET.format("2, 5, 8, 11, -1, -1, -1, -1,\n -1, -1, -1, -1, -1, -1, -1, -1"),
            "set-not-setr",
        ),
        (SET.format("0, 1, 2, 3").replace("_mm_set_epi8", "_mm256_set_epi32"), "set-not-setr"),
        # highest first, as the instruction asks for; setr; a comment; nothing but one value
        (SET.format("-1, 10, -1, 9, -1, 7, -1, 6, -1, 4, -1, 3, -1, 1, -1, 0"), None),
        (SET.format("0, -1, 1, -1, 3, -1, 4, -1").replace("_set_", "_setr_"), None),
        ("// " + SET.format("0, 1, 2, 3"), None),
        (SET.format("w, w, w, w"), None),
        ("_mm_set1_epi32(16384);", None),
    ],
)
def test_a_list_of_indices_that_begins_with_the_lowest(line: str, name: str | None) -> None:
    diagnosis = source_text.reversed_indices("/* a\n b */\n" + line)
    assert (diagnosis and diagnosis.name) == name
    assert diagnosis is None or diagnosis.text.startswith("line 3: ")


LOOP = "for (int y = 0; y < n; y++) {\n  out[y] = in[y];\n}\n"
WRONG = {
    "one loop": "void f(void) {\n#pragma omp parallel\n" + LOOP + "}\n",
    "clauses": "void f(void) {\n#pragma omp parallel shared(out) num_threads(3)\n" + LOOP + "}\n",
    "braces": "void f(void) {\n#pragma omp parallel\n{\n" + LOOP + "}\n}\n",
}
RIGHT = {
    "for": WRONG["one loop"].replace("parallel", "parallel for"),
    "for inside": WRONG["braces"].replace("{\nfor", "{\n#pragma omp for\nfor"),
    "by number": WRONG["one loop"].replace("int y = 0", "int y = omp_get_thread_num()"),
    "a comment": "void f(void) {\n// #pragma omp parallel\n" + LOOP + "}\n",
    "elsewhere": WRONG["one loop"].replace("f(void)", "g(void)")
    + "void f(void) {\n"
    + LOOP
    + "}\n",
}


def line_of_the_write(source: str) -> int:
    return source[: source.rindex("out[y] =")].count("\n") + 1


@pytest.mark.parametrize("name", WRONG)
def test_a_parallel_region_that_divides_nothing(name: str) -> None:
    source = WRONG[name]
    diagnosis = source_text.undivided_loop(source, line_of_the_write(source))
    assert diagnosis is not None and diagnosis.name == "parallel-without-for"
    assert diagnosis.text.startswith("line 2: ")


@pytest.mark.parametrize("name", RIGHT)
def test_a_region_that_divides_its_loop_is_not_blamed(name: str) -> None:
    source = RIGHT[name]
    assert source_text.undivided_loop(source, line_of_the_write(source)) is None


def test_the_line_may_be_in_a_function_that_the_loop_calls() -> None:
    row = "static void row(float *out, int y) {\n  out[y] = 1;\n}\n"
    source = row + WRONG["one loop"].replace("out[y] = in[y];", "row(out, y);")
    diagnosis = source_text.undivided_loop(source, 2)
    assert diagnosis is not None and diagnosis.name == "parallel-without-for"


KERNEL = """float sum(const float *window) {
    return window[0] + window[1];
}
__global__ void __launch_bounds__(256) k(const float *in,
                                         float *out) {
    __shared__ float s_tile[33];
    for (int i = 0; i < 9; i++) {
        s_tile[threadIdx.x] = in[i];
        FIRST
        out[i] += s_tile[threadIdx.x + 1];
        SECOND
        out[i] += sum(s_tile);
    }
}
"""


@pytest.mark.parametrize(
    ("first", "second", "lines", "verbs", "says"),
    [
        ("", "", (10, 8), "read write", "add __syncthreads() between lines 8 and 10"),
        ("", "", (8, 2), "write read", "add __syncthreads() between lines 8 and 12"),
        ("__syncthreads();", "", (8, 10), "write read", "still at line 10: add"),
        ("block.sync();", "", (8, 2), "write read", "still at line 12: add"),
        ("// __syncthreads()", "", (8, 10), "write read", "between lines 8 and 10"),
        ("", "", (8, 0), "write write", "two threads write one element at line 8:"),
        ("", "", (8, 10), "write write", "two threads write one element at lines 8 and 10"),
        ("", "", (8, 8), "read write", "line 8 reads what another thread writes there"),
        ("", "", (0, 0), "read write", ""),
    ],
)
def test_shared_memory_race_names_the_missing_barrier(
    first: str, second: str, lines: tuple[int, int], verbs: str, says: str
) -> None:
    source = KERNEL.replace("FIRST", first).replace("SECOND", second)
    verb, other_verb = verbs.split()
    tile = MemoryObject("shared", "s_tile", 132, "a.cu", 6, element=4)
    race = Finding(
        "shared-race", file="a.cu", line=lines[0], other_line=lines[1], other_thread=[16, 0, 0],
        verb=verb, other_verb=other_verb, bytes=4, object=tile, offset=64,
    )  # fmt: skip
    said = source_text.missing_barrier(source, race)
    assert (says in said) if says else not said
    of_blocks = replace(race, kind="global-race", line=8, other_line=10)
    assert not source_text.missing_barrier(source, of_blocks)


LOADED_IN_A_LOOP = """void load(float *s_tile) {
    s_tile[threadIdx.x] = 1;
}
__global__ void k(float *out) {
    for (int i = 0; i < 9; i++) {
        load(s_tile);
        __syncthreads();
        out[i] += s_tile[threadIdx.x + 1];
    }
}
"""


@pytest.mark.parametrize(
    ("verb", "columns", "line", "says"),
    [
        ("read", 0, 8, "begins while other threads are still at line 8: add"),
        ("write", 16, 2, "line 2: look at the index that each writes to"),
    ],
)
def test_a_race_with_the_next_round_or_of_one_line(
    verb: str, columns: int, line: int, says: str
) -> None:
    tile = MemoryObject("shared", "s_tile", 132, element=4, columns=columns)
    race = Finding(
        "shared-race", file="a.cu", line=line, other_line=2, other_thread=[0, 0, 0],
        verb=verb, other_verb="write", bytes=4, object=tile, offset=64,
    )  # fmt: skip
    said = source_text.missing_barrier(LOADED_IN_A_LOOP, race)
    assert says in said and ("__sync" in said) == (verb == "read")


COPIES = """
cudaError_t correlate_host(const float *h_image, float *h_out, size_t bytes) {{
    cudaMemcpy(d_image, h_image, bytes, cudaMemcpyHostToDevice);
    /* cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost); */
    return {};
}}
"""


@pytest.mark.parametrize(
    ("last", "named"),
    [
        ("cudaMemcpy(d_out, h_out, bytes, cudaMemcpyHostToDevice)", True),
        ("cudaMemcpyAsync(d_out, h_out + 3, bytes, cudaMemcpyHostToDevice, s)", True),
        ("cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost)", False),
        ("cudaMemcpy(d_out, h_out, bytes, cudaMemcpyDeviceToHost)", False),
        ("cudaMemcpy(d_in, h_out, bytes, cudaMemcpyHostToDevice), "
         "cudaMemcpy(&h_out[0], d_out, bytes, cudaMemcpyDeviceToHost)", False),
        ("cudaSuccess", False),
    ],
)  # fmt: skip
def test_a_copy_of_the_output_to_the_device(last: str, named: bool) -> None:
    said = source_text.copied_the_wrong_way(COPIES.format(last))
    assert ("line 5 copies h_out to the device" in said) == named, said
