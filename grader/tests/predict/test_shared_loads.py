"""Loads of shared memory that nvcc merges, and loads that it does not."""

import os
from pathlib import Path

import pytest

from grader.execute.profile import Site
from grader.execute.program import build, execute_sampled
from grader.predict import code, counts, flow, nvcc, ptx, shared_loads
from grader.predict.code import Loop

# Each kernel runs in blocks of one warp, whose threads fill a tile of ROWS rows and read columns.
ROWS, BLOCKS = 64, 64
PROGRAM = """
enum { ROWS = 64, TAPS = 8, BLOCKS = 64 };
__constant__ float c_line[TAPS];
#define BEGIN                                                          \\
    __shared__ __align__(16) float s_tile[ROWS][32];                   \\
    const int x = threadIdx.x;                                         \\
    for (int y = 0; y < ROWS; y++) {                                   \\
        s_tile[y][x] = in[y * 32 + x];                                 \\
    }                                                                  \\
    __syncthreads();

/* merged: 4 + 7 rows in place of 4 x 8; the simulator does not unroll a do loop */
__global__ void neighbours(const float *in, float *out, int taps) {
    BEGIN
    float sum[4] = {0, 0, 0, 0};
    int k = 0;
    do {
        for (int i = 0; i < 4; i++) {
            sum[i] += c_line[k] * s_tile[i + k][x];
        }
    } while (++k < TAPS);
    out[blockIdx.x * 32 + x] = sum[0] * sum[1] * sum[2] * sum[3];
}
/* the same; here both make straight code of the loops */
__global__ void straight(const float *in, float *out, int taps) {
    BEGIN
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < TAPS; k++) {
        for (int i = 0; i < 4; i++) {
            sum[i] += c_line[k] * s_tile[i + k][x];
        }
    }
    out[blockIdx.x * 32 + x] = sum[0] * sum[1] * sum[2] * sum[3];
}
/* merged: 8 + 1 rows in place of 2 x 8, on two lines, with conflicts of 2 lanes */
__global__ void lines(const float *in, float *out, int taps) {
    BEGIN
    float a = 0, b = 0;
    int k = 0;
    do {
        a += c_line[k] * s_tile[k + x % 2][x & ~1];
        b += c_line[k] * s_tile[k + 1 + x % 2][x & ~1];
    } while (++k < TAPS);
    out[blockIdx.x * 32 + x] = a * b;
}
/* merged, in a loop whose rounds nvcc does not know: it copies the body four times, and a copy has
   6 loads in place of 4 x 4 */
__global__ void rounds(const float *in, float *out, int taps) {
    BEGIN
    float a = 0, b = 0, c = 0, d = 0;
    for (int k = 0; k < taps; k++) {
        a += c_line[k % TAPS] * s_tile[k][x];
        b += c_line[k % TAPS] * s_tile[k + 1][x];
        c += c_line[k % TAPS] * s_tile[k + 2][x];
        d += c_line[k % TAPS] * s_tile[k + 3][x];
    }
    out[blockIdx.x * 32 + x] = a * b * c * d;
}
/* not merged: every load has another address */
__global__ void different(const float *in, float *out, int taps) {
    BEGIN
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < TAPS; k++) {
        for (int i = 0; i < 4; i++) {
            sum[i] += c_line[k] * s_tile[i * TAPS + k][x];
        }
    }
    out[blockIdx.x * 32 + x] = sum[0] * sum[1] * sum[2] * sum[3];
}
/* not merged: volatile */
__global__ void volatile_(const float *in, float *out, int taps) {
    BEGIN
    volatile float(*const s_again)[32] = s_tile;
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < TAPS; k++) {
        for (int i = 0; i < 4; i++) {
            sum[i] += c_line[k] * s_again[i + k][x];
        }
    }
    out[blockIdx.x * 32 + x] = sum[0] * sum[1] * sum[2] * sum[3];
}
/* not merged: a barrier after each row of results */
__global__ void barriers(const float *in, float *out, int taps) {
    BEGIN
    float sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < TAPS; k++) {
            sum[i] += c_line[k] * s_tile[i + k][x];
        }
        __syncthreads();
    }
    out[blockIdx.x * 32 + x] = sum[0] * sum[1] * sum[2] * sum[3];
}
/* not merged: each store may change what the next loads read */
__global__ void stores(const float *in, float *out, int taps) {
    BEGIN
    for (int i = 0; i < 4; i++) {
        float sum = 0;
        for (int k = 0; k < TAPS; k++) {
            sum += c_line[k] * s_tile[i + k][x];
        }
        s_tile[(i + taps) % ROWS][x] = sum;
    }
    out[blockIdx.x * 32 + x] = s_tile[taps][x];
}
/* not merged: the loop over the taps is not unrolled */
__global__ void rolled(const float *in, float *out, int taps) {
    BEGIN
    float sum[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < taps; k++) {
        for (int i = 0; i < 4; i++) {
            sum[i] += c_line[k % TAPS] * s_tile[8 * i + k][x];
        }
    }
    out[blockIdx.x * 32 + x] = sum[0] * sum[1] * sum[2] * sum[3];
}
/* side by side: every lane reads the same 16 bytes, which is one load of two wavefronts */
__global__ void vectors(const float *in, float *out, int taps) {
    BEGIN
    float sum = 0;
    for (int k = 0; k < 32; k++) {
        sum += in[k * 32 + x] * s_tile[0][k];
    }
    out[blockIdx.x * 32 + x] = sum;
}

int main(void) {
    float *in, *out;
    cudaMalloc(&in, ROWS * 32 * sizeof *in);
    cudaMalloc(&out, BLOCKS * 32 * sizeof *out);
    neighbours<<<BLOCKS, 32>>>(in, out, TAPS);
    straight<<<BLOCKS, 32>>>(in, out, TAPS);
    lines<<<BLOCKS, 32>>>(in, out, TAPS);
    rounds<<<BLOCKS, 32>>>(in, out, TAPS);
    different<<<BLOCKS, 32>>>(in, out, TAPS);
    volatile_<<<BLOCKS, 32>>>(in, out, TAPS);
    barriers<<<BLOCKS, 32>>>(in, out, TAPS);
    stores<<<BLOCKS, 32>>>(in, out, TAPS);
    rolled<<<BLOCKS, 32>>>(in, out, TAPS);
    vectors<<<BLOCKS, 32>>>(in, out, TAPS);
    cudaFree(in);
    cudaFree(out);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def counted(
    real_nvcc: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[float, float]]:
    """The wavefronts of a warp's loads by kernel: of nvcc's code, and of the source."""
    file = tmp_path_factory.mktemp("loads") / "program.cu"
    file.write_text(PROGRAM)
    program = build([str(file)], [], True)
    _, launches = execute_sampled(program, [], 60, 16)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(Path(real_nvcc).parent), prepend=os.pathsep)
        compiled = nvcc.compiled([file], [])
    found = {}
    for launch in launches:
        of_nvcc = counts.of_launch(program.binary, launch, compiled)
        of_source = counts.of_launch(program.binary, launch, None)
        stores = sum(s.wavefronts for s in launch.sites if s.space == "shared" and s.store)
        found[launch.name.split("(")[0]] = (
            (of_nvcc.shared_wavefronts - stores) / BLOCKS,
            (of_source.shared_wavefronts - stores) / BLOCKS,
        )
    return found


@pytest.mark.parametrize("kernel", ["neighbours", "lines", "rounds"])
def test_a_word_that_several_results_need_is_loaded_once(
    counted: dict[str, tuple[float, float]], kernel: str
) -> None:
    of_nvcc, of_source = counted[kernel]
    if kernel == "neighbours":
        assert (of_nvcc, of_source) == pytest.approx((11, 32))
    elif kernel == "lines":
        assert (of_nvcc, of_source) == pytest.approx((2 * 9, 2 * 16))
    else:  # the passes of the copies are not certain
        assert of_source == pytest.approx(32) and 13 <= of_nvcc <= 20


@pytest.mark.parametrize(
    ("kernel", "loads"),
    [("different", 32), ("volatile_", 32), ("barriers", 32), ("stores", 33), ("rolled", 32)],
)
def test_loads_that_nvcc_makes_one_by_one_are_all_counted(
    counted: dict[str, tuple[float, float]], kernel: str, loads: int
) -> None:
    assert counted[kernel] == pytest.approx((loads, loads))


def test_the_simulator_loads_a_word_once_in_straight_code(
    counted: dict[str, tuple[float, float]],
) -> None:
    assert counted["straight"] == pytest.approx((11, 11))


def test_words_side_by_side_are_loaded_together(counted: dict[str, tuple[float, float]]) -> None:
    """32 words of 4 bytes are 8 loads, of two wavefronts each."""
    assert counted["vectors"] == pytest.approx((16, 16))


def test_the_share_of_the_loads_that_ptxas_merges(tmp_path: Path) -> None:
    """32 loads of the source at 32 places, of which 8 are left."""
    file = tmp_path / "program.cu"
    file.write_text(PROGRAM)
    _, launches = execute_sampled(build([str(file)], [], True), [], 60, 16)
    vectors = next(one for one in launches if one.name.startswith("vectors"))
    loads = [site for site in vectors.sites if site.space == "shared" and not site.store]
    assert len({site.pc for site in loads}) == 32
    assert shared_loads.merged_by_ptxas(loads, dict(vectors.passes)) == pytest.approx(8 / 32)


# What follows needs no nvcc. A loop of the source, four rounds at a time, and what PTX has of it:
# the second load of each round is the first one of the next.
LOOP = """
.file 1 "a/k.cu"
.visible .entry _Z1kPf(
)
{
    .loc 1 3 1
    mov.u32 %r1, %tid.x;
$L_four:
    .loc 1 5 1
    ld.shared.f32 %f1, [%r2];
    ld.shared.f32 %f2, [%r2+4];
    ld.shared.f32 %f3, [%r2+8];
    ld.shared.f32 %f4, [%r2+12];
    .loc 1 6 1
    ld.shared.f32 %f5, [%r2+16];
    .loc 1 5 1
    fma.rn.f32 %f9, %f1, %f2, %f9;
    fma.rn.f32 %f9, %f2, %f3, %f9;
    fma.rn.f32 %f9, %f3, %f4, %f9;
    fma.rn.f32 %f9, %f4, %f5, %f9;
    setp.lt.s32 %p2, %r2, %r3;
    @%p2 bra $L_four;
    .loc 1 8 1
    st.global.f32 [%rd3], %f9;
    ret;
}
"""
WARPS = 1000.0


def passes_of(text: str) -> flow.Executed:
    counted = {
        ("shared load", "k.cu", 5): 8 * WARPS,
        ("shared load", "k.cu", 6): 8 * WARPS,
        ("fma", "k.cu", 5): 8 * WARPS,
        ("global store", "k.cu", 8): WARPS,
    }
    loops = [Loop("k.cu", 4, 7, 8 * WARPS, WARPS)]
    return flow.executed(ptx.entries(text)["_Z1kPf"], WARPS, counted, loops)


def test_merged_loads_do_not_say_how_often_a_loop_runs() -> None:
    executed = passes_of(LOOP)
    assert executed.operations["fma"] == pytest.approx(8 * WARPS)
    assert executed.operations["shared"] == pytest.approx(10 * WARPS)
    assert executed.loads["shared load", "k.cu", 6].number == pytest.approx(2 * WARPS)


def test_a_load_of_any_memory_leaves_the_loads_unknown() -> None:
    text = LOOP.replace("ld.shared.f32 %f5", "ld.f32 %f5")
    assert passes_of(text).loads == {}


@pytest.mark.parametrize(
    ("name", "loaded"),
    [("shared.f32", 4), ("shared.v4.f32", 16), ("shared.v2.f64", 16), ("volatile.shared.u8", 1)],
)
def test_the_bytes_of_a_load(name: str, loaded: int) -> None:
    (block,) = [
        b
        for b in ptx.entries(LOOP.replace("ld.shared.f32 %f5", f"ld.{name} %f5"))["_Z1kPf"]
        if ("shared load", "k.cu", 6) in b.loads
    ]
    assert block.loads["shared load", "k.cu", 6] == ptx.Loads(1, loaded)


def site(pc: int, width: int, requests: int, wavefronts: int) -> Site:
    return Site(
        pc=pc,
        space="shared",
        store=False,
        width=width,
        requests=requests,
        lanes=32 * requests,
        sectors=0,
        fresh=0,
        wavefronts=wavefronts,
        ideal=wavefronts,
        words=0,
    )


def wavefronts(
    monkeypatch: pytest.MonkeyPatch,
    sites: list[Site],
    passes: dict[int, int],
    executed: dict[int, ptx.Loads],
) -> list[float]:
    """executed: by line; a site's line is its pc."""
    monkeypatch.setattr(code, "locations", lambda _, at: {pc: ("a/k.cu", pc + 1) for pc in at})
    loads = {("shared load", "k.cu", line): found for line, found in executed.items()}
    return shared_loads.wavefronts(Path("program"), sites, passes, loads)


def test_conflicts_stay_those_of_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    sites = [site(5, 4, 100, 800), site(6, 4, 100, 100)]
    executed = {5: ptx.Loads(25, 100), 6: ptx.Loads(100, 400)}
    assert wavefronts(monkeypatch, sites, {}, executed) == pytest.approx([200, 100])


def test_a_load_may_be_of_another_line_for_nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    sites = [site(5, 4, 100, 100), site(6, 4, 100, 100)]
    assert wavefronts(monkeypatch, sites, {}, {5: ptx.Loads(200, 800)}) == pytest.approx([100, 100])
    assert wavefronts(monkeypatch, sites, {}, {9: ptx.Loads(100, 400)}) == pytest.approx([50, 50])


def test_a_vector_of_ptx_takes_the_wavefronts_of_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = {5: ptx.Loads(25, 400)}  # of 16 bytes, in place of 100 loads of 4
    assert wavefronts(monkeypatch, [site(5, 4, 100, 100)], {}, vectors) == pytest.approx([50])
    assert wavefronts(monkeypatch, [site(5, 4, 100, 400)], {}, vectors) == pytest.approx([100])


def test_what_ptxas_merges_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site of two widths: 25 loads of 16 bytes and 4 of 4 bytes were 104 loads in the source, and
    still are in PTX."""
    sites = [site(5, 16, 25, 50), site(5, 4, 4, 4)]
    assert list(shared_loads.accesses(sites, {5: 104}).values()) == [104]
    executed = {5: ptx.Loads(104, 416)}
    assert wavefronts(monkeypatch, sites, {5: 104}, executed) == pytest.approx([50, 4])


def test_without_known_loads_the_source_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wavefronts(monkeypatch, [site(5, 4, 100, 800)], {}, {}) == [800]
