"""What the text of a file shows: reversed lists of indices, and parallel regions without `for`."""

import pytest

from grader.diagnose import source_text

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
