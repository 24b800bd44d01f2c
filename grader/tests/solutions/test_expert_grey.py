"""Part D of lab 8's expert.c with non-temporal stores, which only huge images use: here all."""

import ctypes
import platform
import subprocess
from pathlib import Path

import numpy as np
import pytest

from grader import paths
from grader.oracle.grayscale import WEIGHTS, grey

SOURCE = paths.SOLUTIONS / "lab8_grayscale" / "expert.c"
HUGE = "STREAM_FROM = 6 << 20"
EXTREMES = [(32767, 1, 0), (1, 32767, 0), (0, 1, 32767), (16384, 16384, 0), (127, 128, 32513)]


class Weights(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in "rgb"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="AVX2 is of x86-64")
def test_tuned_grey_matches_the_rule_of_lab_h(tmp_path: Path) -> None:
    source = SOURCE.read_text()
    assert HUGE in source
    (tmp_path / "expert.c").write_text(source.replace(HUGE, "STREAM_FROM = 0"))
    folders = (paths.LABS / "runtime", paths.LABS / SOURCE.parent.name, SOURCE.parent)
    command = ["gcc", "-std=gnu11", "-O2", "-fopenmp", "-fPIC", "-shared", "-Wall", "-Werror"]
    built = tmp_path / "expert.so"
    include = [f"-I{folder}" for folder in folders]
    subprocess.run([*command, *include, tmp_path / "expert.c", "-o", built], check=True)
    convert = ctypes.CDLL(str(built)).grey_avx2
    random = np.random.default_rng(1)
    for pixels in (*range(1, 300), 70_001):
        image = random.choice(np.array([0, 255, *range(256)], np.uint8), (1, pixels, 3))
        weights = [*WEIGHTS.values(), *EXTREMES][pixels % 7]
        room = np.full(pixels + 2, 0xA5, np.uint8)
        out = room[pixels % 3 :]  # at any address
        convert(ctypes.c_void_p(image.ctypes.data), pixels, 1, Weights(*weights),
                ctypes.c_void_p(out.ctypes.data))  # fmt: skip
        assert (out[:pixels] == grey(image, weights)[0]).all(), (pixels, weights)
        assert (out[pixels:] == 0xA5).all()
