"""The inputs of timed calls: the same in C and in Python, and no two alike."""

import subprocess

import numpy as np
import pytest

from grader import paths
from grader.oracle.operations import Array
from grader.timing import timed_inputs

COUNT, WIDTH = 96, 8  # elements of an input, and of one of its rows
KEYS = (0, 1, 117, 0xFFFFFFF0)
PROGRAM = """
#include "bench/timed_inputs.h"
#include <stdio.h>
static union { unsigned char bytes[96]; float floats[96]; double doubles[96]; } a;
int main(void) {
    static const uint32_t keys[] = {0, 1, 117, 0xfffffff0};
    static const size_t sizes[] = {1, sizeof(float), sizeof(double)};
    for (int kind = NOISE_BYTES; kind <= NOISE_DOUBLES; kind++)
        for (int i = 0; i < 4; i++) {
            uint32_t sums[12];
            noise_fill((enum noise_kind)kind, keys[i], 96, &a);
            noise_row_sums(&a, 12, 8 * sizes[kind] / 4, sums);
            fwrite(&a, sizes[kind], 96, stdout);
            fwrite(sums, sizeof sums, 1, stdout);
        }
    return 0;
}
"""


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the program above writes."""
    folder = tmp_path_factory.mktemp("fresh")
    (folder / "main.c").write_text(PROGRAM)
    sources = [str(folder / "main.c"), str(paths.LABS / "runtime" / "bench" / "timed_inputs.c")]
    flags = ["-std=gnu11", "-O3", "-march=native", f"-I{paths.LABS}/runtime"]
    subprocess.run(["gcc", *flags, *sources, "-o", folder / "main"], check=True)
    return subprocess.run([folder / "main"], capture_output=True, check=True).stdout


def image(kind: str, key: int) -> Array:
    return timed_inputs.rows(kind, key, np.arange(COUNT // WIDTH), WIDTH)


@pytest.mark.parametrize("kind", timed_inputs.KINDS)
def test_c_makes_the_same(kind: str, output: bytes) -> None:
    sizes = [len(KEYS) * (COUNT * np.dtype(k).itemsize + 48) for k in timed_inputs.KINDS]
    at = sum(sizes[: timed_inputs.KINDS.index(kind)])
    for key in KEYS:
        rows = image(kind, key)
        assert output[at : at + rows.nbytes] == rows.tobytes()
        at += rows.nbytes
        assert output[at : at + 48] == timed_inputs.sums(rows).tobytes()
        at += 48


@pytest.mark.parametrize("kind", timed_inputs.KINDS)
def test_noise_rows_are_unique_across_inputs(kind: str) -> None:
    """So a function that keeps results by their input never finds one again."""
    rows = [row.tobytes() for key in range(200) for row in image(kind, key)]
    assert len(set(rows)) == len(rows)


@pytest.mark.parametrize("kind", timed_inputs.KINDS)
def test_noise_is_uniform_and_uncorrelated(kind: str) -> None:
    values = timed_inputs.rows(kind, 5, np.arange(1000), 64).astype(np.float64)
    values /= 256 if kind == "u1" else 1
    assert 0 <= values.min() < 0.01 and 0.99 < values.max() < 1
    assert abs(values.mean() - 0.5) < 0.01 and abs(values.std() - 12**-0.5) < 0.01
    beside = np.corrcoef(values[:, 1:].ravel(), values[:, :-1].ravel())[0, 1]
    below = np.corrcoef(values[1:].ravel(), values[:-1].ravel())[0, 1]
    assert abs(beside) < 0.02 and abs(below) < 0.02


def test_rows_can_be_made_by_their_numbers_alone() -> None:
    whole = timed_inputs.rows("f4", 9, np.arange(30), 7)
    some = np.array([[3, 4], [13, 14]])
    assert (timed_inputs.rows("f4", 9, some, 7) == whole[some]).all()


def test_a_changed_bit_changes_the_sum() -> None:
    rows = image("f4", 3)
    before = timed_inputs.sums(rows)
    for index in np.ndindex(rows.shape):
        changed = rows.copy()
        changed.view(np.uint32)[index] ^= 1
        assert (timed_inputs.sums(changed) != before).nonzero()[0].tolist() == [index[0]]
    assert (timed_inputs.sums(rows[:, ::-1]) != before).all()
