"""half and bfloat16 bit by bit: conversions of every value, and arithmetic on sampled pairs.

numpy's float16 is the oracle of half where it has the operation; exact rational numbers, rounded by
the few lines below, are the oracle of everything else.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from grader.execute import program
from grader.tests import captured

HERE = Path(__file__).parent
SEED = 20240607
NAN = 0x7FFF
OPERANDS = np.dtype(
    [("x", "<u2"), ("y", "<u2"), ("z", "<u2"), ("unused", "<u2"), ("number", "<f8"),
     ("integer", "<i8")]
)  # fmt: skip
Bits = npt.NDArray[Any]


class Format(NamedTuple):
    name: str  # in the names of CUDA's functions
    digits: int  # of the stored fraction
    least: int  # the exponent of the smallest normal number

    @property
    def infinity(self) -> int:
        return NAN & ~((1 << self.digits) - 1)


HALF = Format("half", 10, -14)
BFLOAT = Format("bfloat16", 7, -126)


def value(bits: int, f: Format) -> Fraction | float:
    """The number; a float if it is infinite or none."""
    size, sign = bits & NAN, -1 if bits >> 15 else 1
    if size >= f.infinity:
        return math.nan if size > f.infinity else sign * math.inf
    exponent, fraction = size >> f.digits, size & ((1 << f.digits) - 1)
    if exponent:
        fraction |= 1 << f.digits
    return sign * fraction * Fraction(2) ** (max(exponent, 1) - 1 + f.least - f.digits)


def values(bits: Bits, f: Format) -> npt.NDArray[np.float64]:
    """The numbers of all these bits: a double holds each."""
    if f is HALF:
        return as_half(bits).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def to_integral(x: Fraction, mode: str) -> int:
    down = x.numerator // x.denominator
    if mode == "rn":
        return round(x)
    if mode == "rz":
        return down if x > 0 else -(-x.numerator // x.denominator)
    return down if mode == "rd" else -(-x.numerator // x.denominator)


def rounded(x: Fraction | float, f: Format, mode: str = "rn", negative_zero: bool = False) -> int:
    """The bits of x in the format. negative_zero: x is -0, if it is 0."""
    if isinstance(x, float) and not math.isfinite(x):
        return NAN if math.isnan(x) else f.infinity | (0x8000 if x < 0 else 0)
    x = Fraction(x)
    if x == 0:
        return 0x8000 if negative_zero else 0
    guess = abs(x.numerator).bit_length() - x.denominator.bit_length()
    exponent = max(guess - (abs(x) < Fraction(2) ** guess), f.least)
    steps = abs(to_integral(x / Fraction(2) ** (exponent - f.digits), mode))
    bits = steps + ((exponent - f.least) << f.digits)
    if bits >= f.infinity:
        stays = mode == "rz" or (mode == "rd" and x > 0) or (mode == "ru" and x < 0)
        bits = f.infinity - 1 if stays else f.infinity
    return bits | (0x8000 if x < 0 else 0)


def evaluate(tmp_path: Path, f: Format, operands: Bits) -> dict[str, Bits]:
    """The results of each function that float16.cu names, as integers of 64 bits."""
    built = program.build([str(HERE / "float16.cu")], False)
    (tmp_path / "operands").write_bytes(operands.tobytes())
    done = captured.run(
        [built.binary, f.name, tmp_path / "operands", tmp_path / "results"], check=True, timeout=100
    )
    names = done.stdout.split()
    results = np.fromfile(tmp_path / "results", dtype="<i8").reshape(len(names), len(operands))
    return dict(zip(names, results, strict=True))


def samples(count: int) -> Bits:
    """Random operands; one in three has few bits set, so that results are exact or halfway."""
    random = np.random.default_rng(SEED)
    operands = np.zeros(count, OPERANDS)
    for name in "xyz":
        operands[name] = random.integers(0, 1 << 16, count)
        few = random.random(count) < 0.3
        operands[name][few] &= 0xFFC0
    close = random.random(count) < 0.5  # or most sums would be the larger operand
    operands["y"][close] = (operands["x"][close] ^ random.integers(0, 1 << 10, close.sum())) ^ (
        random.integers(0, 2, close.sum()) << 15
    )
    operands["number"] = np.ldexp(random.uniform(-2, 2, count), random.integers(-30, 20, count))
    operands["integer"] = random.integers(-(1 << 62), 1 << 62, count) >> random.integers(
        0, 63, count
    )
    return operands


def as_half(bits: Bits) -> npt.NDArray[np.float16]:
    return bits.astype(np.uint16).view(np.float16)


def bits_of(x: Bits) -> Bits:
    bits = x.astype(np.float16).view(np.uint16).astype(np.int64)
    return np.where(np.isnan(x), NAN, bits)


def differences(ours: Bits, expected: Bits, operands: Bits) -> str:
    wrong = np.flatnonzero(ours != expected)
    return "; ".join(
        f"{operands[i]}: {int(ours[i]):#x}, not {int(expected[i]):#x}" for i in wrong[:5]
    )


@pytest.mark.slow("all values of 16 bits, to and from each type")
@pytest.mark.parametrize("f", [HALF, BFLOAT], ids=lambda f: f.name)
def test_every_value_converts(f: Format, tmp_path: Path) -> None:
    """All 65536 values to float and to integers, and each rounding function."""
    operands = np.zeros(1 << 16, OPERANDS)
    operands["x"] = np.arange(1 << 16)
    results = evaluate(tmp_path, f, operands)
    sizes = {"char": 7, "uchar": 8, "short": 15, "ushort": 16, "int": 31, "uint": 32, "ll": 63,
             "ull": 64}  # fmt: skip
    bits = np.arange(1 << 16)
    exact = values(bits, f)
    none = np.isnan(exact)
    to_integral = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
    for name, ours in results.items():
        if name.startswith(f.name + "2") and name != f.name + "2float":
            kind, mode = name.removeprefix(f.name + "2").split("_")
            high = 2.0 ** sizes[kind]
            low = 0.0 if kind.startswith("u") else -high
            whole = to_integral[mode](np.nan_to_num(exact, nan=0.0, posinf=high, neginf=low))
            inside = (whole < high) & (whole >= low)
            expected = np.where(inside, whole, 0).astype(np.uint64 if low == 0 else np.int64)
            expected[whole >= high] = 2 ** sizes[kind] - 1
            expected[whole < low] = int(low)
            expected = expected.astype(np.int64)
            expected[none] = -(1 << 63) if kind in ("ll", "ull") else 0
            if kind == "uint":  # an unsigned result of 32 bits
                ours = ours & 0xFFFFFFFF
            assert (ours == expected).all(), name + ": " + differences(ours, expected, operands)
    with np.errstate(invalid="ignore"):
        widened = exact.astype(np.float32).view(np.uint32).astype(np.int64)
    widened[none] = 0x7FFFFFFF if f is HALF else bits[none] << 16
    assert (results[f.name + "2float"] == widened).all()
    for name, function in (("htrunc", np.trunc), ("hceil", np.ceil), ("hfloor", np.floor),
                           ("hrint", np.rint)):  # fmt: skip
        whole = function(np.where(none, 0, exact))
        expected = bits_of(whole) if f is HALF else (
            whole.astype(np.float32).view(np.uint32) >> 16).astype(np.int64)  # fmt: skip
        expected[none] = NAN
        assert (results[name] == expected).all(), name
    infinite = (bits == f.infinity) * 1 - (bits == f.infinity | 0x8000) * 1
    assert (results["hisinf"] == infinite).all()


def functions(x: npt.NDArray[np.float64]) -> dict[str, npt.NDArray[np.float64]]:
    return {
        "hsqrt": np.sqrt(x), "hrsqrt": 1 / np.sqrt(x), "hrcp": 1 / x, "hlog": np.log(x),
        "hlog2": np.log2(x), "hlog10": np.log10(x), "hexp": np.exp(x), "hexp2": np.exp2(x),
        "hexp10": np.power(10.0, x), "hcos": np.cos(x), "hsin": np.sin(x), "htanh": np.tanh(x),
    }  # fmt: skip


def test_half_functions_are_the_nearest(tmp_path: Path) -> None:
    operands = np.zeros(1 << 16, OPERANDS)
    operands["x"] = np.arange(1 << 16)
    results = evaluate(tmp_path, HALF, operands)
    with np.errstate(all="ignore"):
        for name, expected in functions(as_half(operands["x"]).astype(np.float64)).items():
            wanted = bits_of(expected)
            assert (results[name] == wanted).all(), (
                name + ": " + differences(results[name], wanted, operands)
            )


def test_half_arithmetic_is_numpys(tmp_path: Path) -> None:
    operands = samples(200_000)
    results = evaluate(tmp_path, HALF, operands)
    x, y, z = (as_half(operands[name]) for name in "xyz")
    with np.errstate(all="ignore"):
        exact = x.astype(np.longdouble) * y.astype(np.longdouble) + z.astype(np.longdouble)
        none = np.isnan(x) | np.isnan(y)
        expected = {
            "hadd": bits_of(x + y), "hsub": bits_of(x - y), "hmul": bits_of(x * y),
            "hdiv": bits_of(x / y), "hfma": bits_of(exact.astype(np.float64)),
            "heq": x == y, "hne": (x != y) & ~none, "hlt": x < y, "hge": x >= y,
            "hgtu": (x > y) | none, "hleu": (x <= y) | none, "hneu": x != y,
            "double2half": bits_of(operands["number"]),
            "float2half_rn": bits_of(operands["number"].astype(np.float32)),
        }  # fmt: skip
        saturated = np.clip(np.nan_to_num((x + y).astype(np.float64), nan=0.0), 0.0, 1.0)
        expected["hadd_sat"] = bits_of(saturated + 0.0)
    for name, wanted in expected.items():
        assert (results[name] == wanted).all(), (
            name + ": " + differences(results[name], np.asarray(wanted, np.int64), operands)
        )


def exact_results(f: Format, x: int, y: int, z: int) -> dict[str, int]:
    """What IEEE 754 says of the operations on these bits; where a sum is zero, its sign."""
    a, b, c = (value(bits, f) for bits in (x, y, z))
    result: dict[str, int] = {}
    if not any(isinstance(v, float) for v in (a, b, c)):
        both = (x >> 15) & (y >> 15)
        result["hadd"] = rounded(a + b, f, "rn", bool(both))
        product_sign = (x ^ y) >> 15
        result["hmul"] = rounded(a * b, f, "rn", bool(product_sign))
        if b != 0:
            result["hdiv"] = rounded(a / b, f, "rn", bool(product_sign))
        exact_zero = a * b == 0 and c == 0
        negative = product_sign == 1 and z >> 15 == 1 if exact_zero else False
        result["hfma"] = rounded(a * b + c, f, "rn", negative)
    return result


@pytest.mark.slow("large headers are compiled, and all values tried")
@pytest.mark.parametrize("f", [HALF, BFLOAT], ids=lambda f: f.name)
def test_arithmetic_rounds_once(f: Format, tmp_path: Path) -> None:
    operands = samples(4_000)
    results = evaluate(tmp_path, f, operands)
    for i, operand in enumerate(operands):
        x, y, z = (int(operand[name]) for name in "xyz")
        for name, wanted in exact_results(f, x, y, z).items():
            assert results[name][i] == wanted, (name, hex(x), hex(y), hex(z))
        number, integer = float(operand["number"]), int(operand["integer"])
        single = float(np.float32(number))
        conversions: dict[str, tuple[Fraction, str]] = {
            f"double2{f.name}": (Fraction(number), "rn"),
            f"int2{f.name}_rn": (Fraction((integer + (1 << 31)) % (1 << 32) - (1 << 31)), "rn"),
            f"uint2{f.name}_rd": (Fraction(integer % (1 << 32)), "rd"),
            f"short2{f.name}_rz": (Fraction((integer + (1 << 15)) % (1 << 16) - (1 << 15)), "rz"),
            f"ushort2{f.name}_ru": (Fraction(integer % (1 << 16)), "ru"),
            f"ull2{f.name}_rn": (Fraction(integer % (1 << 64)), "rn"),
            f"ull2{f.name}_ru": (Fraction(integer % (1 << 64)), "ru"),
        }
        for mode in ("rn", "rz", "rd", "ru"):
            conversions[f"float2{f.name}_{mode}"] = (Fraction(single), mode)
            conversions[f"ll2{f.name}_{mode}"] = (Fraction(integer), mode)
        for name, (exact, mode) in conversions.items():
            negative = name.split("2")[0] in ("float", "double") and number < 0
            assert results[name][i] == rounded(exact, f, mode, negative), (name, exact)


@pytest.mark.parametrize("f", [HALF, BFLOAT], ids=lambda f: f.name)
def test_pairs_are_two_of_one(f: Format, tmp_path: Path) -> None:
    """Each half of a pair is what the function of one gives."""
    operands = samples(5_000)
    results = evaluate(tmp_path, f, operands)

    def of(name: str, *order: str) -> Bits:
        moved = operands.copy()
        for to, source in zip("xyz", order, strict=False):
            moved[to] = operands[source]
        return evaluate(tmp_path, f, moved)[name]

    one = (1 - f.least) << f.digits
    combine: dict[str, Callable[[Bits, Bits], Bits]] = {
        "pair": lambda low, high: low | high << 16,
        "mask": lambda low, high: low * 0xFFFF | (high * 0xFFFF) << 16,
        "ones": lambda low, high: low * one | (high * one) << 16,
        "both": lambda low, high: low & high,
    }
    for name, single, kind, low, high in (
        ("hadd2", "hadd", "pair", "xz", "yx"),
        ("hfma2", "hfma", "pair", "xyz", "yzx"),
        ("h2div", "hdiv", "pair", "xz", "yx"),
        ("hmax2_nan", "hmax_nan", "pair", "xz", "yx"),
        ("hge2", "hge", "ones", "xz", "yx"),
        ("hbne2", "hne", "both", "xz", "yx"),
    ):
        expected = combine[kind](of(single, *low), of(single, *high))
        assert (results[name] == expected).all(), name


def accepts(code: str, *macros: str) -> bool:
    """Does g++ compile this body of a function, with these macros defined?"""
    source = f"#include <cuda_bf16.h>\nvoid f(half h, __nv_bfloat16 b) {{ {code} }}\n"
    flags = [f"-I{HERE.parents[3] / 'labs/sim/include'}", *(f"-D__CUDA_NO_{m}__" for m in macros)]
    command = ["g++", "-x", "c++", "-std=c++17", "-fsyntax-only", *flags, "-"]
    return captured.run(command, input=source).returncode == 0


@pytest.mark.slow("large headers are compiled, and all values tried")
def test_a_program_may_switch_conversions_and_operators_off() -> None:
    for name, x in (("HALF", "h"), ("BFLOAT16", "b")):
        assert accepts(f"float y = {x}; {x} = y;")
        assert not accepts(f"float y = {x};", f"{name}_CONVERSIONS")
        assert not accepts(f"{x} = 1.0f;", f"{name}_CONVERSIONS")
        assert accepts(f"{x}++; --{x}; {x} = -{x} + {x};", f"{name}_CONVERSIONS")
        assert not accepts(f"{x}++;", f"{name}_OPERATORS", f"{name}_CONVERSIONS")
    assert accepts("h = half(b); b = __nv_bfloat16(h);")
    assert not accepts("h = half(b);", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS")
