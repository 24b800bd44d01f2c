"""Functions whose last bits CUDA leaves open: the error is within what the CUDA C++ guide allows.

scipy is the oracle; its own error counts, so the bounds for double are at least 8 units in the last
place. The bounds for float are the guide's.
"""

from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special

from grader.execute import program
from grader.tests import captured

HERE = Path(__file__).parent
Doubles = npt.NDArray[np.float64]

PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534"
    "2117067982148086513282306647093844609550582231725359408128481117450284102701938521105559644622"
    "9489549303819644288109756659334461284756482337867831652712019091456485669234603486104543266482"
)

# name: (bound for double, bound for float, in units in the last place; least and largest input)
BOUNDS = {
    "erfinv": (8, 2, -1, 1), "erfcinv": (8, 4, 0, 2), "erfcx": (8, 4, -2, 100),
    "normcdf": (8, 5, -2, 8), "normcdfinv": (8, 5, 0, 1), "cyl_bessel_i0": (16, 6, -80, 80),
    "cyl_bessel_i1": (16, 6, -80, 80), "rcbrt": (8, 1, -100, 100), "rsqrt": (8, 2, 0, 100),
    "sinpi": (8, 1, -20, 20), "cospi": (8, 1, -20, 20), "exp10": (8, 2, -30, 30),
    "erf": (8, 2, -6, 6), "erfc": (8, 4, -5, 1), "lgamma": (16, 6, 3, 30),
    "tgamma": (16, 5, 0.1, 30),
}  # fmt: skip


def sine_of_pi(x: Doubles, shift: float) -> Doubles:
    """sin(pi (x + shift)) for a shift of 0 or 0.5: the nearest integer is taken away exactly."""
    whole = np.rint(x + shift)
    rest = np.longdouble("3.14159265358979323846264") * ((x - whole).astype(np.longdouble) + shift)
    return np.asarray(np.sin(rest) * np.where(whole % 2 == 0, 1, -1), np.float64)


def oracle(name: str, x: Doubles) -> Doubles:
    functions: dict[str, Any] = {
        "erfinv": special.erfinv, "erfcinv": special.erfcinv, "erfcx": special.erfcx,
        "normcdf": special.ndtr, "normcdfinv": special.ndtri, "cyl_bessel_i0": special.i0,
        "cyl_bessel_i1": special.i1, "rcbrt": lambda v: 1 / np.cbrt(v),
        "rsqrt": lambda v: 1 / np.sqrt(v), "sinpi": lambda v: sine_of_pi(v, 0),
        "cospi": lambda v: sine_of_pi(v, 0.5),
        "exp10": lambda v: np.power(10.0, v), "erf": special.erf, "erfc": special.erfc,
        "lgamma": special.gammaln, "tgamma": special.gamma,
    }  # fmt: skip
    return np.asarray(functions[name](x), np.float64)


def evaluate(tmp_path: Path, inputs: Doubles) -> dict[str, Doubles]:
    built = program.build([str(HERE / "functions.cu")], False)
    (tmp_path / "inputs").write_bytes(inputs.tobytes())
    done = captured.run(
        [built.binary, tmp_path / "inputs", tmp_path / "results"], check=True, timeout=100
    )
    names = done.stdout.split()
    results = np.fromfile(tmp_path / "results", dtype="<f8").reshape(len(names), len(inputs))
    return dict(zip(names, results, strict=True))


@pytest.mark.parametrize("name", BOUNDS)
def test_errors_are_within_the_guides(name: str, tmp_path: Path) -> None:
    bound, float_bound, low, high = BOUNDS[name]
    random = np.random.default_rng(20240607)
    close = low + (high - low) * np.exp2(random.uniform(-40, -1, 500))
    inputs = np.concatenate([random.uniform(low, high, 2000), close])
    singles = inputs.astype(np.float32)
    inputs = inputs[(singles > low) & (singles < high)]
    singles = inputs.astype(np.float32)
    results = evaluate(tmp_path, inputs)
    exact = oracle(name, inputs)
    error = np.abs(results[name] - exact) / np.spacing(np.maximum(np.abs(exact), 1e-300))
    tiny = np.abs(exact) < 1e-12 if name in ("sinpi", "cospi") else np.zeros(len(exact), bool)
    assert error[~tiny].max() <= bound, (inputs[error.argmax()], error.max())
    exact = oracle(name, singles.astype(np.float64))
    unit = np.spacing(np.maximum(np.abs(exact), 1e-37).astype(np.float32)).astype(np.float64)
    error = np.abs(results[name + "f"] - exact) / unit
    assert error[np.abs(exact) > 1e-37].max() <= float_bound, (singles[error.argmax()], error.max())


def exact_erfc(x: Decimal) -> Decimal:
    """By its power series, with as many digits as the terms cancel."""
    term = total = x
    n = 0
    while abs(term) > Decimal("1e-400"):
        n += 1
        term *= -x * x / n
        total += term / (2 * n + 1)
    return 1 - 2 * total / PI.sqrt()


def test_tails_of_the_error_function(tmp_path: Path) -> None:
    """Where scipy is not exact enough: the errors for double against 600 digits."""
    inputs = np.random.default_rng(3).uniform(-20, 13, 60)
    results = evaluate(tmp_path, inputs)
    with localcontext() as context:
        context.prec = 600
        for i, x in enumerate(map(Decimal, inputs.tolist())):
            tail = exact_erfc(x)
            pairs = [(tail, "erfc", 2), (exact_erfc(-x / Decimal(2).sqrt()) / 2, "normcdf", 5),
                     ((x * x).exp() * tail, "erfcx", 4)]  # fmt: skip
            for exact, name, bound in pairs:
                unit = Decimal(float(np.spacing(float(exact))))
                error = abs(Decimal(float(results[name][i])) - exact) / unit
                assert error <= bound, (name, x, error)


def test_fast_functions_are_within_2_ulp(tmp_path: Path) -> None:
    """At least as accurate as the GPU's: 2 units in the last place."""
    inputs = np.random.default_rng(7).uniform(0.01, 3, 3000).astype(np.float32).astype(np.float64)
    results = evaluate(tmp_path, inputs)
    for name, exact in {
        "__expf": np.exp(inputs), "__exp10f": 10**inputs, "__logf": np.log(inputs),
        "__log2f": np.log2(inputs), "__log10f": np.log10(inputs), "__sinf": np.sin(inputs),
        "__cosf": np.cos(inputs), "__tanf": np.tan(inputs), "__tanhf": np.tanh(inputs),
        "__frsqrt_rn": 1 / np.sqrt(inputs), "__fdividef": inputs / 3, "__powf": inputs**1.5,
        "__saturatef": np.minimum(inputs, 1), "norm3d": np.sqrt(inputs**2 + 25),
        "rhypot": 1 / np.hypot(inputs, 2), "rnorm4d": 1 / np.sqrt(inputs**2 + 14),
    }.items():  # fmt: skip
        unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
        assert (np.abs(results[name] - exact) / unit).max() <= 2, name


def test_half_functions_are_the_nearest(tmp_path: Path) -> None:
    """labs/studies/truth/math_truth.cu has the functions that CUDA defines to the last bit."""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64)
    results = evaluate(tmp_path, x)
    with np.errstate(all="ignore"):
        for name, exact in {
            "hsqrt": np.sqrt(x), "hrsqrt": 1 / np.sqrt(x), "hrcp": 1 / x, "hlog": np.log(x),
            "hlog2": np.log2(x), "hlog10": np.log10(x), "hexp": np.exp(x), "hexp2": np.exp2(x),
            "hexp10": np.power(10.0, x), "hcos": np.cos(x), "hsin": np.sin(x),
            "htanh": np.tanh(x),
        }.items():  # fmt: skip
            np.testing.assert_array_equal(results[name], exact.astype(np.float16), err_msg=name)


def accepts(code: str, *macros: str) -> bool:
    """Does g++ compile this body of a function, with these macros defined?"""
    source = f"#include <cuda_bf16.h>\nvoid f(half h, __nv_bfloat16 b) {{ {code} }}\n"
    flags = [f"-I{HERE.parents[3] / 'labs/sim/include'}", *(f"-D__CUDA_NO_{m}__" for m in macros)]
    command = ["g++", "-x", "c++", "-std=c++17", "-fsyntax-only", *flags, "-"]
    return captured.run(command, input=source).returncode == 0


@pytest.mark.slow("large headers are compiled")
def test_a_program_may_switch_conversions_and_operators_of_halves_off() -> None:
    for name, x in (("HALF", "h"), ("BFLOAT16", "b")):
        assert accepts(f"float y = {x}; {x} = y;")
        assert not accepts(f"float y = {x};", f"{name}_CONVERSIONS")
        assert not accepts(f"{x} = 1.0f;", f"{name}_CONVERSIONS")
        assert accepts(f"{x}++; --{x}; {x} = -{x} + {x};", f"{name}_CONVERSIONS")
        assert not accepts(f"{x}++;", f"{name}_OPERATORS", f"{name}_CONVERSIONS")
    assert accepts("h = half(b); b = __nv_bfloat16(h);")
    assert not accepts("h = half(b);", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS")


def test_functions_handle_special_values(tmp_path: Path) -> None:
    inputs = np.array([0.0, -0.0, 1.0, -1.0, 2.0, np.inf, -np.inf, np.nan, 30.0, -30.0, 800.0])
    results = evaluate(tmp_path, inputs)
    inf, nan = np.inf, np.nan
    expected = {
        "erfinv": [0, -0.0, inf, -inf, nan, nan, nan, nan, nan, nan, nan],
        "erfcinv": [inf, inf, 0, nan, -inf, nan, nan, nan, nan, nan, nan],
        "normcdfinv": [-inf, -inf, inf, nan, nan, nan, nan, nan, nan, nan, nan],
    }
    for name, values in expected.items():
        np.testing.assert_array_equal(results[name], np.array(values), err_msg=name)
    at = {value: i for i, value in enumerate(inputs.tolist())}
    assert results["erfcx"][at[inf]] == 0 and results["erfcx"][at[-inf]] == inf
    assert results["cyl_bessel_i0"][at[inf]] == inf and results["cyl_bessel_i0"][at[800.0]] == inf
    assert results["cyl_bessel_i1"][at[-inf]] == -inf and results["cyl_bessel_i1"][at[0.0]] == 0
    assert results["normcdf"][at[-inf]] == 0 and results["normcdf"][at[inf]] == 1
    assert results["__saturatef"][at[inf]] == 1 and results["norm3d"][at[-inf]] == inf


LEFT_OPEN = """
#include <cstdio>
#include <cstdint>
typedef unsigned char pixel;
struct pair { short a, b; };
template <class T> __device__ T cast(float x) { return (T)x; }
__device__ unsigned char returned(float x) { return x; }
__global__ void k(float x, int n, long long *out, pixel *set, float4 *in) {
    int i = 0, whole = x;
    auto print = [&](long long value) { out[i++] = value; };
    print(whole), print((float)(int)x), print(-(int)x), print((double)(float)(int)x);
    print((unsigned)x), print(unsigned(x)), print(static_cast<long long>(x));
    print(cast<unsigned short>(x)), print(cast<signed char>(x)), print(returned(x));
    set[0] = x, print(set[0]);
    *set++ = x * 2, print(set[-1]);
    uchar4 all = make_uchar4(x, 1, x, 0);
    print(all.x + all.z), print((uint8_t)(x + 0.5f));
    print(1u << n), print(0xffffffffu >> (32 - n)), print(-5 >> n), print(1ull << n);
    unsigned shifted = 7;
    shifted <<= n, print(shifted);
    float4 from = in[0], to;
    pair *read = reinterpret_cast<pair *>(&from), *written = reinterpret_cast<pair *>(&to);
    for (int j = 0; j < 4; j++) {
        written[j].a = read[j].b + 1;
        written[j].b = read[j].a * 2;
    }
    in[0] = to;
}
int main() {
    long long *out, h[19];
    pixel *set;
    float4 *in;
    short pairs[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    cudaMalloc(&in, sizeof pairs);
    cudaMemcpy(in, pairs, sizeof pairs, cudaMemcpyHostToDevice);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&set, 8);
    const float x[] = {-5.f, 3e9f, NAN, 300.5f};
    const int n[] = {0, 32, 63, -1};
    for (int i = 0; i < 4; i++) {
        k<<<1, 1>>>(x[i], n[i], out, set, in);
        cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
        for (long long value : h) printf("%lld ", value);
        puts("");
    }
    cudaMemcpy(pairs, in, sizeof pairs, cudaMemcpyDeviceToHost);
    for (short value : pairs) printf("%d ", value);
    cudaFree(out), cudaFree(set), cudaFree(in);
}
"""


@pytest.mark.parametrize("traced", [False, True])
def test_conversions_and_shifts_follow_ptx(traced: bool, tmp_path: Path) -> None:
    """Out of range, a conversion saturates (cvt.rzi of PTX), and a shift by the width or more gives
    0 or the sign; memory that was loaded as one type may be used as another."""
    (tmp_path / "open.cu").write_text(LEFT_OPEN)
    built = program.build([str(tmp_path / "open.cu")], traced)
    done = captured.run([built.binary], check=True, timeout=100)
    most = 2**31 - 1
    assert [[int(word) for word in line.split()] for line in done.stdout.splitlines()] == [
        [-5, -5, 5, -5, 0, 0, -5, 0, -5, 0, 0, 0, 0, 0, 1, 0, -5, 1, 7],
        [
            *(most, 2**31, -most, 2**31, 3 * 10**9, 3 * 10**9, 3 * 10**9, 24064, -1, 0, 0, 255),
            *(0, 0, 0, 2**32 - 1, -1, 2**32, 0),
        ],
        [0, 0, 0, 0, 0, 0, -(2**63), 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 2**63 - 2**64, 0],
        [300, 300, -300, 300, 300, 300, 300, 300, 44, 44, 44, 89, 88, 45, 0, 0, -1, 0, 0],
        [7, 14, 15, 22, 23, 30, 31, 38],
    ]


@pytest.mark.slow("each pair of edge values through each function and conversion")
def test_edge_values_are_a_gpus() -> None:
    built = program.build([str(HERE / "edge_values.cu")], False)
    done = captured.run([built.binary], check=True, timeout=100)
    assert done.stdout.splitlines() == (HERE / "edge_values.txt").read_text().splitlines()
