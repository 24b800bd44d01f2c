"""solutions/lab1_cpu_loop/expert.c, with its own blocks and on a processor without AVX-512."""

import ctypes
import subprocess
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import ndimage

from grader import paths

SOURCE = paths.SOLUTIONS / "lab1_cpu_loop" / "expert.c"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
QUESTION = '__builtin_cpu_supports("avx512f")'
ANSWERS = {"as it is": QUESTION, "no AVX-512": "0"}
SIZES = [(1, 1), (1, 9), (9, 1), (5, 7), (63, 13), (64, 6), (97, 31), (200, 12), (1300, 7)]
RADII = [0, 1, 2, 3, 8, 40]
BORDERS = {0: "constant", 1: "nearest"}  # BORDER_ZERO and BORDER_REPLICATE, as SciPy calls them

Array = npt.NDArray[np.float32]


@pytest.fixture(params=ANSWERS, scope="module")
def library(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ctypes.CDLL:
    source = SOURCE.read_text()
    assert QUESTION in source
    source = source.replace(QUESTION, ANSWERS[request.param])
    folder = tmp_path_factory.mktemp("expert")
    (folder / "expert.c").write_text(source)
    folders = (paths.LABS / "runtime", paths.LABS / "lab1_cpu_loop", SOURCE.parent)
    include = [f"-I{folder}" for folder in folders]
    command = ["gcc", "-std=gnu11", "-O3", "-fopenmp", "-fPIC", "-shared", *STRICT, *include]
    subprocess.run([*command, folder / "expert.c", "-o", folder / "expert.so"], check=True)
    return ctypes.CDLL(str(folder / "expert.so"))


def cases() -> Iterator[tuple[int, int, int, int]]:
    for (width, height), radius, border in product(SIZES, RADII, BORDERS):
        yield width, height, radius, border


def random(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def pointer(array: Array) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


def expected(image: Array, mask: npt.NDArray[Any], border: int) -> npt.NDArray[np.float64]:
    result: npt.NDArray[np.float64] = ndimage.correlate(
        image.astype(np.float64), mask.astype(np.float64), mode=BORDERS[border]
    )
    return result


def is_close(out: Array, image: Array, mask: npt.NDArray[Any], border: int) -> bool:
    """Within what rounding each product and each sum to float32 can change."""
    bound = mask.size * 2.0**-23 * expected(abs(image), abs(mask), border)
    return bool(np.all(abs(out - expected(image, mask, border)) <= bound + 1e-30))


@pytest.mark.slow("any size, radius and number of threads")
def test_correlates_any_size_and_radius_with_any_number_of_threads(library: ctypes.CDLL) -> None:
    openmp = ctypes.CDLL("libgomp.so.1")
    for width, height, radius, border in cases():
        image, mask = random(1, height, width), random(2, 2 * radius + 1, 2 * radius + 1)
        outs = [np.full_like(image, np.nan) for _ in range(3)]
        for out, name, threads in zip(
            outs, ("correlate_rows", "correlate_openmp", "correlate_openmp"), (1, 2, 7), strict=True
        ):
            openmp.omp_set_num_threads(threads)
            library[name](
                pointer(image), width, height, pointer(mask), radius, border, pointer(out)
            )
        case = f"{width}x{height}, radius {radius}, border {border}"
        assert is_close(outs[0], image, mask, border), case
        assert all(out.tobytes() == outs[0].tobytes() for out in outs), case


def test_large_images_stored_past_the_cache_are_the_same(library: ctypes.CDLL) -> None:
    """The same pixels in an image of 17 MB, and in one of a seventh, which is not streamed."""
    height, width, part = 2170, 2064, 310
    room = np.empty(height * width + 16, np.float32)
    start = -room.ctypes.data % 64 // 4
    image, mask = random(1, height, width), random(2, 5, 5)
    out = room[start : start + height * width].reshape(height, width)
    small = np.empty((part, width), np.float32)
    top = np.ascontiguousarray(image[:part])
    for rows, source, result in ((height, image, out), (part, top, small)):
        arguments = (width, rows, pointer(mask), 2, 0, pointer(result))
        library.correlate_rows(pointer(source), *arguments)
    assert out[: part - 2].tobytes() == small[: part - 2].tobytes()
