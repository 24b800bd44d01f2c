"""What no check of a lab shows is said, and nothing of what is right."""

from pathlib import Path

import pytest

from grader.compile import overlooked
from grader.model import spec
from grader.model.submission import Submission

PRODUCT = "overflows its 32 bits on a large image: begin the product with (size_t)"
GRID = "void f(int n, int width) {{ {} }}"


def said(text: str) -> list[str]:
    lines = overlooked.warnings(
        Submission(spec.load("lab3"), Path("x"), "x", {"constant_mask.cu": text.encode()}, [])
    )
    return [line.partition(": ")[2] for line in lines]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "dim3 grid(width / B + 1, 1);",
            "`width / B + 1` is a block too many where B divides width: "
            "(width + B - 1) / B rounds up",
        ),
        (
            "int blocks = n / 8 + 1; k<<<blocks, 8>>>();",
            "`n / 8 + 1` is a block too many where 8 divides n: (n + 8 - 1) / 8 rounds up",
        ),
        (
            "k<<<(n + B - 1) / B + 1, B>>>();",
            "`(n + B - 1) / B + 1` is a block too many: `(n + B - 1) / B` is rounded up already",
        ),
        ("dim3 grid((width - 1) / B + 1);", ""),
        ("k<<<1, n / 2 + 1>>>();", ""),
        ("int half = n / 2 + 1; k<<<1, 8>>>(half);", ""),
    ],
)
def test_a_grid_with_a_block_too_many_is_told(text: str, words: str) -> None:
    assert said(GRID.format(text)) == ([words] if words else [])


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("blockIdx.z * height * width", f"`blockIdx.z * height * width` {PRODUCT}blockIdx.z"),
        ("(c + 1) * width * height", f"`(c + 1) * width * height` {PRODUCT}(c + 1)"),
        ("(size_t)blockIdx.z * height * width", ""),
        ("plane * height * width", ""),
        ("height * width", ""),
        ("SIDE * width * height", ""),
    ],
)
def test_a_product_of_three_in_32_bits_is_told(index: str, words: str) -> None:
    head = "__global__ void k(const float *p, int height, int width, int c, size_t plane)"
    assert said(f"{head} {{ p[{index}]; }}") == ([words] if words else [])


def test_a_deep_file_is_not_read() -> None:
    product = "width * " * 9000 + "height"
    assert not said(f"int f(int width, int height) {{ return {product}; }}")
