"""Textures and surfaces give what an H200 gave: texture_truth.cu and surface_truth.cu."""

import gzip
import re
from pathlib import Path

import pytest

from grader.tests.execute.test_program import run

HERE = Path(__file__).parents[3] / "studies" / "truth"

# Lines of texture_truth.out, by their beginning, with values that are not equal bit for bit.
INEXACT = (
    "sRGB linear",  # filtered with fewer bits
    "cubemap .*linear normalised seamless",  # one or two places beside a corner
    "format .* linear 3D",  # a few sums of numbers of very different size
)


def values(text: str) -> dict[str, list[str]]:
    """The values of each line, by its name; `value*3` stands for three of them."""
    lines: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, _, rest = line.partition(": ")
        lines[name] = []
        for word in rest.split():
            value, _, count = word.partition("*")
            lines[name] += [value] * int(count or 1)
    return lines


@pytest.mark.slow("millions of values against those of a GPU")
def test_textures_return_gpu_values() -> None:
    ours = values(run(HERE / "texture_truth.cu").stdout)
    theirs = values(gzip.decompress((HERE / "texture_truth.out.gz").read_bytes()).decode())
    assert list(ours) == list(theirs)
    differ = {name for name in theirs if ours[name] != theirs[name]}
    assert {name for name in differ if not re.match("|".join(INEXACT), name)} == set()
    total = sum(map(len, theirs.values()))
    equal = sum(a == b for name in theirs for a, b in zip(ours[name], theirs[name], strict=True))
    assert equal >= 0.988 * total


def test_surfaces_and_api_match_the_gpu() -> None:
    theirs = gzip.decompress((HERE / "surface_truth.out.gz").read_bytes()).decode()
    assert run(HERE / "surface_truth.cu").stdout.splitlines() == theirs.splitlines()
