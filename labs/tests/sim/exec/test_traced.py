"""Programs whose threads wait for each other, exchange values, or end by an error."""

import json
import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured

WAITS = """#include <cooperative_groups.h>
#include <stdio.h>
__global__ void later_block(int *done) {
    while (blockIdx.x + 1 < gridDim.x && atomicAdd(&done[blockIdx.x + 1], 0) == 0) { }
    __threadfence();
    atomicExch(&done[blockIdx.x], 1);
}
__global__ void whole_grid(int *a, int *b) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    a[i] = i;
    grid.sync();
    b[i] = a[(i + 40) % n];
    grid.sync();
    a[(i + 7) % n] = b[i];
}
int main() {
    int *a, *b, h = 0;
    if (cudaMalloc(&a, 4096) || cudaMalloc(&b, 4096) || cudaMemset(a, 0, 4096)) return 1;
    later_block<<<9, 1>>>(a);
    void *arguments[] = {&a, &b};
    if (cudaLaunchCooperativeKernel(whole_grid, 10, 64, arguments, 0, 0)) return 2;
    if (cudaMemcpy(&h, a + 107, 4, cudaMemcpyDeviceToHost)) return 3;
    printf("%d\\n", h);
    cudaFree(a);
    cudaFree(b);
    return cudaGetLastError() == cudaSuccess ? 0 : 4;
}
"""

ENDLESS = """__global__ void waits(int *flag) {
    while (*(volatile int *)flag == 0) { FENCE } // HERE
}
int main() {
    int *flag;
    if (cudaMalloc(&flag, 4) || cudaMemset(flag, 0, 4)) return 1;
    waits<<<2, 64>>>(flag);
    cudaError_t error = cudaDeviceSynchronize();
    cudaFree(flag);
    return error == cudaErrorLaunchFailure ? 0 : 1;
}
"""

FAULTS = """__global__ void faulty(int *out, int *nothing, int zero) {
    __shared__ int s_sum;
    if (threadIdx.x == 1) nothing[0] = 1; // NULL
    if (threadIdx.x == 2) out[0] = 5 / zero; // ZERO
    s_sum = threadIdx.x; // RACE
    __syncthreads();
    out[threadIdx.x] = s_sum;
}
int main() {
    int *out;
    if (cudaMalloc(&out, 256)) return 1;
    faulty<<<2, 64>>>(out, nullptr, 0);
    cudaError_t error = cudaDeviceSynchronize();
    cudaFree(out);
    return error == cudaSuccess ? 1 : 0;
}
"""

LOCK = """__device__ int d_lock;
__global__ void locked(int *sum) {
    while (atomicCAS(&d_lock, 0, 1) != 0) { }
    TAKEN
    *sum = *sum + 1; // SUM
    FENCE
    atomicExch(&d_lock, 0);
}
int main() {
    int *sum, h = 0;
    if (cudaMalloc(&sum, 4) || cudaMemset(sum, 0, 4)) return 1;
    locked<<<3, 64>>>(sum);
    if (cudaMemcpy(&h, sum, 4, cudaMemcpyDeviceToHost)) return 2;
    cudaFree(sum);
    return h == 3 * 64 && cudaGetLastError() == cudaSuccess ? 0 : 3;
}
"""


def check(tmp_path: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "program.cu"
    file.write_text(source)
    return captured.grade("run", file, *options, timeout=120)


def line(source: str, mark: str) -> int:
    return next(n for n, text in enumerate(source.splitlines(), 1) if f"// {mark}" in text)


@pytest.mark.parametrize("order", ["", "reverse"])
@pytest.mark.parametrize("option", ["--check", "--profile"])
def test_blocks_that_wait_for_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, order: str
) -> None:
    monkeypatch.setenv("CONVLABS_SIM_ORDER", order)
    done = check(tmp_path, WAITS, option)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "140\n"
    assert option == "--profile" or "nothing found" in done.stderr


def test_a_lock_orders_the_threads_of_a_block(tmp_path: Path) -> None:
    right = LOCK.replace("TAKEN", "__threadfence();").replace("FENCE", "__threadfence();")
    done = check(tmp_path, right, "--check")
    assert done.returncode == 0 and "nothing found" in done.stderr, done.stderr
    for fence in ("TAKEN", "FENCE"):
        one = LOCK.replace(fence, "")
        for other in ("TAKEN", "FENCE"):
            one = one.replace(other, "__threadfence();")
        done = check(tmp_path, one, "--check")
        assert f"program.cu:{line(LOCK, 'SUM')}" in done.stderr and "race" in done.stderr


FENCED = """#include <stdio.h>
__device__ int d_node[32], d_ended;
__global__ void locked() {
    const unsigned lane = threadIdx.x % 32;
    unsigned taken = 1;
    while (taken) {
        if (lane == 1) taken = atomicOr((unsigned *)d_node + 1, 0x80000000u) >> 31;
        taken = __shfl_sync(0xffffffff, taken, 1);
    }
    __threadfence();
    const int mine = d_node[31 - lane] & 0x7fffffff;
    d_node[31 - lane] = (int)((unsigned)(mine + 1) | (lane == 30 ? 0x80000000u : 0));
    __threadfence(); // all lanes, before one gives the lock back
    if (lane == 1) atomicAnd(d_node + 1, 0x7fffffff);
}
__global__ void long_ones(int *out) {
    for (int i = 0; i < 30000; i++) {
        out[blockIdx.x]++;
        __threadfence();
    }
    atomicAdd(&d_ended, 1);
    while (atomicAdd(&d_ended, 0) < 3) __threadfence();
}
__global__ void joined(int *out) {
    if (threadIdx.x % 4 == 0) {
        out[threadIdx.x] = 1;
        __threadfence();
    }
    out[64 + threadIdx.x] = 2;
}
int main(int n, char **) {
    int *out, h[32];
    if (cudaMalloc(&out, 512) || cudaMemset(out, 0, 512)) return 1;
    if (n > 1) {
        locked<<<3, 64>>>();
        if (cudaMemcpyFromSymbol(h, d_node, sizeof h)) return 2;
        for (int i = 0; i < 32; i++) n += h[i] == 6;
        printf("%d\\n", n - 2);
    } else {
        long_ones<<<3, 1>>>(out);
        joined<<<1, 32>>>(out);
    }
    cudaFree(out);
    return cudaGetLastError() != cudaSuccess;
}
"""


@pytest.mark.parametrize("order", ["", "reverse"])
def test_lanes_wait_for_each_other_at_a_fence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    """So that a lock is given back behind what all of them store, however long that takes."""
    monkeypatch.setenv("CONVLABS_SIM_ORDER", order)
    done = check(tmp_path, FENCED, "--check", "--", "lock")
    assert done.stdout == "32\n", done.stderr
    assert "never ends" not in done.stderr and "race" in done.stderr  # no __syncwarp()
    written = tmp_path / "counted.json"
    done = check(tmp_path, FENCED, "--check", "--profile", "--json", str(written))
    assert done.returncode == 0 and "nothing found" in done.stderr, done.stderr
    joined = json.loads(written.read_bytes())["kernels"][1]["counters"]
    assert joined["global_store_requests"] == 2  # behind the branch all lanes store together


@pytest.mark.parametrize("option", ["--check", "--profile"])
def test_lanes_make_volatile_accesses_together(
    monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    """Traced kernels compute what plain ones do, and end; the races among them are named."""
    monkeypatch.setenv("CK_FORK", "no")
    folders = [f"-I{folder}" for folder in ("labs/tests", "labs/sim/src", "labs/runtime")]
    suite = paths.LABS / "tests" / "sim" / "exec" / "test_lock_step.cu"
    done = captured.grade("run", option, suite, *folders, "-lcheck", "-lsubunit", timeout=240)
    assert "100%: Checks: 19" in done.stdout, done.stdout + done.stderr
    assert "endless-wait" not in done.stderr and ("race" in done.stderr) == (option == "--check")


TOGETHER_OR_NEVER = """#include <stdio.h>
struct told { volatile int *by; __host__ __device__ int get(int i) const { return by[i]; } };
__global__ void asked(int *out, int rounds) {
    __shared__ volatile int s_turn, s_seen[64];
    __shared__ int s_words[64];
    const int t = threadIdx.x;
    volatile int *v = s_words;
    if (t == 0) s_turn = 0;
    s_seen[t] = v[t] = 0;
    __syncthreads();
#if WAY == 0 // two warps take turns, and a function asks
    const told asks = {s_seen};
    for (int i = 0; i < rounds; i++) {
        while (s_turn % 2 != t / 32) { }
        s_seen[t] = asks.get(t ^ 32) + 1;
        __syncwarp();
        if (t % 32 == 0) s_turn++;
        __syncwarp();
    }
#elif WAY == 1 // long, and nobody waits
    for (int i = 0; i < 300 * rounds; i++) v[t] = v[t] + 1;
    s_seen[t] = v[t];
#elif WAY == 2 // who is ahead in the code wakes the rest
    if (t % 32 != 31) { while (v[t + 1] == 0) { } v[t] = v[t + 1] + 1; } else v[t] = 1;
    s_seen[t] = v[t];
#elif WAY == 3 // the lane that would set it waits, too
    if (t < 63) while (s_turn == 0) { s_words[t] = 1; } // HERE 3
    else { while (v[63] == 0) { } s_turn = 1; }
#elif WAY == 4 // it is set behind a barrier
    if (t == 5) while (s_turn == 0) { } // HERE 4
    __syncthreads();
    s_turn = 1;
#else // two lanes wait for each other
    if (t == 1) { while (s_seen[2] == 0) { } s_seen[1] = 1; } // HERE 5
    if (t == 2) { while (s_seen[1] == 0) { } s_seen[2] = 1; }
#endif
    out[t] = s_seen[t];
}
int main() {
    int *out, h[64], sum = 0;
    if (cudaMalloc(&out, 256)) return 1;
    asked<<<2, 64>>>(out, 200);
    if (cudaMemcpy(h, out, 256, cudaMemcpyDeviceToHost) == cudaSuccess)
        for (int i = 0; i < 64; i++) sum += h[i] * (i + 1);
    printf("%d\\n", sum);
    cudaFree(out);
}
"""


@pytest.mark.parametrize("way", range(6))
def test_lanes_that_wait_for_lanes_end_or_have_a_line(tmp_path: Path, way: int) -> None:
    done = check(tmp_path, TOGETHER_OR_NEVER, "--check", f"-DWAY={way}")
    if way < 3:
        assert "never ends" not in done.stderr and done.returncode != 137, done.stderr
        assert done.stdout == check(tmp_path, TOGETHER_OR_NEVER, f"-DWAY={way}").stdout
    else:
        where = line(TOGETHER_OR_NEVER, f"HERE {way}")
        assert f"error: endless-wait: {tmp_path}/program.cu:{where}" in done.stderr, done.stderr


MADE = """struct shape { virtual __device__ int area() = 0; };
struct square : shape { int a; __device__ square(int x) : a(x) {}
    __device__ int area() override { return a * a; } };
static __device__ int d_sum = 1;
template <class T> struct limits { T most, least; };
template <class T> __device__ T *counter() {
    static T unused[2], count = 0;
    static limits<T> found = {3, (T)(1 + 2)};
    atomicAdd(&count, (T)1), atomicMax(&found.most, unused[1]);
    return &count;
}
template <int N> __global__ void make(shape **made, int *out) {
    static unsigned long long calls = 2;
    if (threadIdx.x == 0) *made = new square(5);
    atomicAdd(&calls, (unsigned long long)N), counter<int>();
    __syncthreads();
    if (threadIdx.x == 0) {
        *out = (*made)->area() + d_sum + (int)calls + *counter<int>();
        delete (square *)*made;
    }
}
int main() {
    shape **made;
    int *out, h = 0;
    if (cudaMalloc(&made, 8) || cudaMalloc(&out, 4)) return 1;
    make<1><<<1, 32>>>(made, out);
    if (cudaMemcpy(&h, out, 4, cudaMemcpyDeviceToHost)) return 2;
    cudaFree(made), cudaFree(out);
    return h != 25 + 1 + 34 + 33;
}
"""


def test_objects_with_virtual_functions_and_static_variables(tmp_path: Path) -> None:
    done = check(tmp_path, MADE, "--check")
    assert done.returncode == 0 and "nothing found" in done.stderr, done.stderr


@pytest.mark.parametrize("fence", ["", "__threadfence();"])
def test_an_endless_wait_has_a_line(tmp_path: Path, fence: str) -> None:
    done = check(tmp_path, ENDLESS.replace("FENCE", fence), "--check")
    assert done.returncode == 1, done.stderr
    assert f"program.cu:{line(ENDLESS, 'HERE')}" in done.stderr
    assert "no other thread can go on to write it" in done.stderr


def test_findings_before_and_after_a_fault(tmp_path: Path) -> None:
    done = check(tmp_path, FAULTS, "--check")
    assert done.returncode == 1, done.stderr
    for mark, kind in (("NULL", "null pointer"), ("ZERO", "by zero"), ("RACE", "data race")):
        assert f"program.cu:{line(FAULTS, mark)}" in done.stderr, done.stderr
        assert kind in done.stderr
    assert "barrier" not in done.stderr.replace("with no barrier between", "")


RETURNED = """__global__ void shift(int *a, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    int next = a[(t + 1) % n];
    BARRIER // HERE
    a[t] = next + 1;
}
int main() {
    int *a, h = 0;
    if (cudaMalloc(&a, 256) || cudaMemset(a, 0, 256)) return 1;
    shift<<<1, 64>>>(a, 40);
    if (cudaMemcpy(&h, a + 39, 4, cudaMemcpyDeviceToHost)) return 2;
    cudaFree(a);
    return h != 1;
}
"""


def test_a_barrier_waits_for_the_threads_that_have_not_returned(tmp_path: Path) -> None:
    right = RETURNED.replace("BARRIER", "__syncthreads();")
    assert check(tmp_path, right).stderr == ""
    done = check(tmp_path, right, "--check")
    assert done.returncode == 0 and "checks: 0 errors, 1 note" in done.stderr, done.stderr
    assert f"note: barrier-divergence: {tmp_path}/program.cu:{line(right, 'HERE')}" in done.stderr
    wrong = RETURNED.replace("BARRIER", "if (t < 7) __syncthreads();")
    assert "not all threads" in check(tmp_path, wrong).stderr
    assert "error: barrier-divergence" in check(tmp_path, wrong, "--check").stderr


EXCHANGES = """#include <stdlib.h>
struct pair { int a, b : 3; };
__device__ void put(int *q, int at, int v) { q[at] = v; }
__device__ void fill(int *q) { for (int i = threadIdx.x; i < 9; i += 32) q[i] = i; }
__device__ void product(int x, int *r) { int f = 3; *r = (f * (x - *r) - x); }
template <int WAY> __global__ void k(int *p, pair *s) {
    __shared__ int v[64], one;
    __shared__ pair two[32];
    extern __shared__ char all[];
    const int l = threadIdx.x, m = (l + 1) % 32;
    int own[4] = {}, *q = p + 32, *mine = p + 64 + 4 * l;
    float *f = (float *)&all[64]; // begins behind what is used as bytes
    if (WAY == 1) { if (l == 5) one = 7; p[l] = one; } // HERE 1
    if (WAY == 2) { put(p + 32, l, l); p[l] = p[32 + m]; } // HERE 2
    if (WAY == 3) { fill(q); if (l == 0) for (int i = 0; i < 9; i++) *p += q[i]; } // HERE 3
    if (WAY == 4) { v[l] = l; v[l] += l ? v[l - 1] : 0; } // HERE 4
    if (WAY == 5) { two[l].a = l; s[l] = two[m]; } // HERE 5
    if (WAY == 6) for (int i = 0; i < 3; i++) { p[l] += *(q + m); *(q + l) = i; } // HERE 6
    if (WAY == 0) {
        for (int i = l; i < 64; i += 32) v[i] = i;
        for (int i = l; i < 64; i += 32) v[i] *= 2;
        for (int k = 16; k > 0; k /= 2) { __syncthreads(); if (l < k) v[l] += v[l + k]; }
        __syncthreads();
        if (l == 0) one = v[0];
        __syncwarp();
        p[l] = one + v[l] + __shfl_sync(~0u, v[m], 3);
        for (int i = 0; i < 4; i++) mine[i] = own[3 - i], mine[3 - i] += own[i]++;
        all[l] = 1, all[l + 32] = all[l], f[l] = all[l + 32];
        two[l].b = two[l].a = 1, s[l].b += two[l].b;
        *(l < 32 ? &v[l] : &v[m]) = (int)*(p + l) & v[l];
        atomicAdd(&q[m], 1), q[l]++;
        product(p[l], &p[l]);
    }
}
int main(int n, char **given) {
    void (*const all[])(int *, pair *) = {k<0>, k<1>, k<2>, k<3>, k<4>, k<5>, k<6>};
    int *p;
    if (cudaMalloc(&p, 4096) || cudaMemset(p, 0, 4096)) return 1;
    all[n > 1 ? atoi(given[1]) : 0]<<<2, 32, 512>>>(p, (pair *)(p + 512));
    if (cudaDeviceSynchronize()) return 2;
    cudaFree(p);
}
"""


def test_a_plain_run_says_where_lanes_exchange_values(tmp_path: Path) -> None:
    """Not where a barrier is between, nor where each lane uses its own words."""
    assert check(tmp_path, EXCHANGES).stderr == ""
    for way in range(1, 7):
        said = check(tmp_path, EXCHANGES, "--", str(way)).stderr.splitlines()
        where = f"convlabs-sim: {tmp_path}/program.cu:{line(EXCHANGES, f'HERE {way}')}: lanes exch"
        assert len(said) == 1 and said[0].startswith(where), said


TOGETHER = """#include <cstdio>
#include <cstdlib>
__global__ void transposed(float *v) {
    __shared__ float tile[16][33];
    for (int i = 0; i < 16; i++) tile[i][threadIdx.x] = v[i * 32 + threadIdx.x];
    for (int i = 0; i < 16; i++) v[threadIdx.x * 16 + i] = tile[i][threadIdx.x ^ 5] + i;
}
__global__ void permuted(float *v) {
    __shared__ float3 color[32];
    __shared__ int to[32];
    const int t = threadIdx.x;
    color[t] = make_float3(v[t], v[t + 32], t);
    to[t] = (t * 5 + 3) % 32;
    __syncthreads();
    if (t < 16) color[to[t]] = color[t];
    __syncthreads();
    v[t] = color[t].x + 3 * color[t].z;
}
__global__ void scanned(float *v) {
    __shared__ int s[64];
    const int t = threadIdx.x + 32;
    s[t - 32] = 0;
    for (int round = 0; round < 3; round++) {
        s[t] = t + round;
        __threadfence_block();
        for (int far = 1; far < 32; far *= 2) {
            s[t] += s[t - far];
            __threadfence_block();
        }
        v[threadIdx.x] += s[t - 1] + (t % 3 == 0 ? s[t] : 0);
        __threadfence_block();
        if (t % 2) {
            v[threadIdx.x] += s[t - 1];
        }
    }
}
__global__ void gathered(float *v) {
    extern __shared__ double sums[];
    const int t = threadIdx.x;
    sums[t] = v[t + 64];
    __syncthreads();
    if (t < 8) {
        double sum = 0;
        for (int i = t; i < 32; i += 8) sum += sums[i];
        sums[t] = sum;
    }
    if (t == 0) {
        for (int i = 0; i < 8; i++) v[blockIdx.x] += (i + blockIdx.x) * sums[i];
    }
}
int main(int n, char **given) {
    void (*all[])(float *) = {transposed, permuted, scanned, gathered};
    const int kernel = atoi(given[1]);
    float *d, h[512];
    for (int i = 0; i < 512; i++) h[i] = i * 7 % 101;
    if (cudaMalloc(&d, sizeof h) || cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice)) return 1;
    all[kernel]<<<kernel < 3 ? 1 : 40, 32, 256>>>(d);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)) return 2;
    cudaFree(d);
    double sum = 0;
    for (int i = 0; i < 512; i++) sum += h[i] * (i + 1);
    printf("%.0f\\n", sum);
}
"""


def test_lanes_that_exchange_values_go_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU, forwards and backwards, however many blocks run at the same time: what they
    compute with __syncwarp() between."""
    monkeypatch.setenv("CONVLABS_SIM_THREADS", "32")
    for way, expected in enumerate((7575130, 6550837, 9301587, 46778114)):
        for order in ("", "reverse"):
            monkeypatch.setenv("CONVLABS_SIM_ORDER", order)
            done = check(tmp_path, TOGETHER, "--", str(way))
            assert (done.returncode, done.stdout) == (0, f"{expected}\n"), done.stderr
            assert "lanes exchange values" in done.stderr, way


OWN = """__device__ void get(int &a) { a = 3; }
__global__ void right(int *out, const int *in, int n) {
    int a, b, c, i, prev, k = __ldg(in); float f;
    get(a);
    int *p = &b; *p = 2;
    if (n > 3) { c = 1; c++; } else { c = 2; }
    for (i = 0; i < n; i++) { if (i > 0) out[0] += prev; prev = i; }
    if (n > 3) f = 1; else f = k;
    while ((k = n) > 4) n--;
    out[1] = a + b + c + k + f;
    out[2] = __ldg(in + 1) + 1;
}
__global__ void wrong(int *v, int n) {
    float s; int best, m;
    for (int i = 0; i < n; i++) s += i; // HERE 1
    if (n > 100) best = 3;
    while (m < n) m++; // HERE 2
    v[0] = s;
    v[1] = best; // HERE 3
    for (int r = 0; r < 2; r++) {
        int old = __ldg(v + 2); // HERE 4
        v[2] = old + 1;
        __syncthreads();
    }
}
int main() {
    int *v;
    if (cudaMalloc(&v, 64) || cudaMemset(v, 0, 64)) return 1;
    NAME<<<1, 1>>>(v, ARGUMENTS);
    if (cudaDeviceSynchronize()) return 2;
    cudaFree(v);
}
"""


def test_uninitialised_and_stale_reads_are_reported(tmp_path: Path) -> None:
    """A number that it reads before it sets it, and __ldg() of what its kernel has written."""
    wrong = OWN.replace("NAME", "wrong").replace("ARGUMENTS", "5")
    done = check(tmp_path, wrong, "--check")
    found = [text for text in done.stderr.splitlines() if text.startswith("error: ")]
    for number, kind in enumerate(["uninitialised-read"] * 3 + ["read-only"], 1):
        where = f"error: {kind}: {tmp_path}/program.cu:{line(OWN, f'HERE {number}')}"
        assert sum(text.startswith(where) for text in found) == 1, done.stderr
    assert len(found) == 4 and done.returncode == 1
    right = OWN.replace("NAME", "right").replace("ARGUMENTS", "v + 8, 5")
    assert "checks: nothing found" in check(tmp_path, right, "--check").stderr


NAMED = """#include <stdlib.h>
__constant__ float c_mask[9];
__global__ void named(float *out, float *past) {
    __shared__ float s_tile[4][8], s_cube[2][3][4], s_row[16];
    extern __shared__ float s_dynamic[];
    out[0] = s_tile[2][5]; // TILE
    out[1] = s_cube[1][2][3]; // CUBE
    out[2] = s_row[7]; // ROW
    out[3] = s_dynamic[9]; // DYNAMIC
    s_row[16 + (int)c_mask[1]] = 1; // PAST
    past[64 + (int)c_mask[0]] = 1; // ARRAY
}
__global__ void leaves(float *out) {
    if (threadIdx.x == 7) {
        return; // LEAVES
    }
    __syncthreads(); // WAITS
    out[threadIdx.x] = c_mask[0];
}
int main() {
    float *out, *past, *never, mask[9] = {}, *nothing = nullptr;
    if (cudaMalloc(&out, 256) || cudaMalloc(&past, 256)) return 1;
    cudaMemcpyToSymbol(c_mask, mask, 9); // CUT
    cudaMemcpyToSymbol(c_mask, mask, 8);
    cudaMemcpy(nothing, mask, 0, cudaMemcpyHostToDevice);
    if (!cudaMemcpy(nothing, mask, sizeof mask, cudaMemcpyHostToDevice)) return 2; // NULL
    leaves<<<1, 32>>>(getenv("NEVER") ? never : out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    named<<<1, 1, 64>>>(out, past);
    cudaError_t error = cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(past);
    return error == cudaSuccess ? 0 : 3;
}
"""


def test_messages_name_elements_and_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(mark: str) -> str:
        where = f"program.cu:{line(NAMED, mark)}: "
        return next((text for text in found if where in text), "")

    found = check(tmp_path, NAMED, "--check").stderr.splitlines()
    declared = f"declared at line {line(NAMED, 'TILE') - 2})"
    for mark, words in {
        "TILE": f"never written: s_tile[2][5] (128 bytes of shared memory, {declared}",
        "CUBE": f"never written: s_cube[1][2][3] (96 bytes of shared memory, {declared}",
        "ROW": f"never written: s_row[7] (64 bytes of shared memory, {declared}",
        "DYNAMIC": "never written: s_dynamic[9] (64 bytes of dynamic shared memory)",
        "PAST": f"just past the end of s_row (64 bytes of shared memory, {declared}: s_row[16]",
        "ARRAY": "past the end of the array of 256 bytes allocated at line",
        "CUT": "copies 9 bytes to c_mask, whose elements have 4 bytes each",
        "NULL": "the destination of this copy is a null pointer",
        "WAITS": f"has left the kernel, by the return at line {line(NAMED, 'LEAVES')}",
    }.items():
        assert words in said(mark), "\n".join(found)
    assert said("ARRAY").endswith(": element 64")
    monkeypatch.setenv("NEVER", "1")
    for option in ((), ("--check",)):
        never = check(tmp_path, NAMED, *option).stderr
        assert "a pointer that was never set" in never, never


ELEMENTS = """__global__ void reverse(float *x) {
    extern __shared__ float s_row[];
    s_row[threadIdx.x + OFFSET] = x[threadIdx.x];
}
int main() {
    const int n = 128;
    float *x;
    if (cudaMalloc(&x, n * sizeof(float))) return 1;
    cudaMemset(x, 0, FILLED); // SETS
    reverse<<<1, n, SHARED>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
}
"""


@pytest.mark.parametrize(
    ("given", "shared", "offset", "named"),
    [
        ("n", "n", 0, (True, True)),
        ("n", "n * sizeof(float)", 0, (True, False)),
        ("n * sizeof(float)", "n", 0, (False, True)),
        ("n * sizeof(float)", "n * sizeof(float)", 0, (False, False)),
        ("2 * n", "n * sizeof(float)", 8 * 128, (False, False)),  # wrong in another way
    ],
)
def test_element_count_passed_as_bytes_is_diagnosed(
    tmp_path: Path, given: str, shared: str, offset: int, named: tuple[bool, bool]
) -> None:
    text = ELEMENTS.replace("FILLED", given).replace("SHARED", shared)
    said = check(tmp_path, text.replace("OFFSET", str(offset)), "--check").stderr
    set_at = f"cudaMemset() at line {line(ELEMENTS, 'SETS')} sets 128 of its 512 bytes: it takes"
    assert (set_at in said, "or is it a number of elements, to be" in said) == named, said
