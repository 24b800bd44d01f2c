// Lanes of a warp that add through volatile pointers, with no __syncwarp() between them.
#include "../test_sim.h"

#include <cooperative_groups.h>

#define MAX_VALUES 4096

static double h_in[MAX_VALUES], h_out[MAX_VALUES];

// Runs a kernel on `blocks * threads` values of h_in as T, forwards and backwards, and leaves its
// output in h_out; then calls check().
template <class T, class K>
static void run(K kernel, int blocks, int threads, void (*check)(void)) {
    static T values[MAX_VALUES];
    for (int i = 0; i < MAX_VALUES; i++) {
        h_in[i] = (i * 7 + 3) % 101;
    }
    for (int reverse = 0; reverse < 2; reverse++) {
        setenv("CONVLABS_SIM_ORDER", reverse ? "reverse" : "", 1);
        sim_read_options();
        T *d_in, *d_out;
        ck_success(cudaMalloc(&d_in, sizeof values));
        ck_success(cudaMalloc(&d_out, sizeof values));
        for (int i = 0; i < MAX_VALUES; i++) {
            values[i] = (T)h_in[i];
        }
        ck_success(cudaMemcpy(d_in, values, sizeof values, cudaMemcpyHostToDevice));
        ck_success(cudaMemset(d_out, 0, sizeof values));
        kernel<<<blocks, threads>>>(d_in, d_out);
        ck_success(cudaDeviceSynchronize());
        ck_success(cudaMemcpy(values, d_out, sizeof values, cudaMemcpyDeviceToHost));
        for (int i = 0; i < MAX_VALUES; i++) {
            h_out[i] = (double)values[i];
        }
        ck_success(cudaFree(d_in));
        ck_success(cudaFree(d_out));
        check();
    }
}

// h_out[first + i] is expected(i), for each i below `count`.
template <class F> static void expect_each(int count, F expected, int first = 0) {
    for (int i = 0; i < count; i++) {
        ck_assert_double_eq(h_out[first + i], expected(i));
    }
}

static double sum_of(int first, int count) {
    double sum = 0;
    for (int i = first; i < first + count; i++) {
        sum += h_in[i];
    }
    return sum;
}

static void check_sums(int blocks, int threads) {
    for (int b = 0; b < blocks; b++) {
        ck_assert_double_eq(h_out[b], sum_of(b * threads, threads));
    }
}

template <class T> __global__ void unrolled_sum(const T *d_in, T *d_out) {
    __shared__ T s_sum[128];
    unsigned t = threadIdx.x;
    s_sum[t] = d_in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64) {
        s_sum[t] += s_sum[t + 64];
    }
    __syncthreads();
    if (t < 32) {
        volatile T *v = s_sum;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0) {
        d_out[blockIdx.x] = s_sum[0];
    }
}
TEST(the_last_warp_adds) {
    run<int>(unrolled_sum<int>, 8, 128, [] { check_sums(8, 128); });
    run<float>(unrolled_sum<float>, 8, 128, [] { check_sums(8, 128); });
    run<double>(unrolled_sum<double>, 8, 128, [] { check_sums(8, 128); });
    run<short>(unrolled_sum<short>, 8, 128, [] { check_sums(8, 128); });
}

template <unsigned SIZE, class T> __device__ void warp_sum(volatile T *v, unsigned t) {
    if (SIZE >= 64)
        v[t] += v[t + 32];
    if (SIZE >= 32)
        v[t] += v[t + 16];
    if (SIZE >= 16)
        v[t] += v[t + 8];
    if (SIZE >= 8)
        v[t] += v[t + 4];
    if (SIZE >= 4)
        v[t] += v[t + 2];
    if (SIZE >= 2)
        v[t] += v[t + 1];
}
template <unsigned SIZE> __global__ void sum_in_place(int *d_in, int *d_out) {
    int *mine = d_in + blockIdx.x * SIZE;
    for (unsigned half = SIZE / 2; half > 32; half /= 2) {
        if (threadIdx.x < half) {
            mine[threadIdx.x] += mine[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        warp_sum<SIZE>(mine, threadIdx.x);
    }
    if (threadIdx.x == 0) {
        d_out[blockIdx.x] = mine[0];
    }
}
TEST(a_template_adds_in_global_memory) {
    run<int>(sum_in_place<256>, 8, 256, [] { check_sums(8, 256); });
    run<int>(sum_in_place<64>, 8, 64, [] { check_sums(8, 64); });
    run<int>(sum_in_place<8>, 1, 8, [] { check_sums(1, 8); });
}

// A partial warp; in each round fewer lanes take part, and the others are past the branch.
__global__ void sum_in_a_loop(const float *d_in, float *d_out) {
    __shared__ volatile float s_sum[32];
    unsigned t = threadIdx.x;
    s_sum[t] = d_in[blockIdx.x * blockDim.x + t];
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            s_sum[t] += s_sum[t + half];
        }
    }
    if (t == 0) {
        d_out[blockIdx.x] = s_sum[0];
    }
}
TEST(fewer_lanes_in_each_round) {
    run<float>(sum_in_a_loop, 4, 32, [] { check_sums(4, 32); });
    run<float>(sum_in_a_loop, 4, 16, [] { check_sums(4, 16); });
}

// Sixteen lanes a sum; the two halves of a warp do different things.
__global__ void two_halves(const int *d_in, int *d_out) {
    __shared__ int s_all[64];
    volatile int *v = s_all + threadIdx.x / 16 * 16;
    unsigned t = threadIdx.x % 16;
    v[t] = d_in[threadIdx.x];
    if (threadIdx.x / 16 % 2) {
        for (unsigned far = 8; far > 0; far /= 2) {
            int other = v[t ^ far];
            v[t] = v[t] > other ? v[t] : other;
        }
    } else {
        for (unsigned far = 8; far > 0; far /= 2) {
            int other = v[t ^ far];
            v[t] = v[t] + other;
        }
    }
    d_out[threadIdx.x] = v[15 - t];
}
TEST(halves_of_a_warp_apart) {
    run<int>(two_halves, 1, 64, [] {
        for (int t = 0; t < 64; t++) {
            int first = t / 16 * 16;
            double expected = h_in[first];
            for (int i = first + 1; i < first + 16; i++) {
                bool larger = h_in[i] > expected;
                expected = first / 16 % 2 ? (larger ? h_in[i] : expected) : expected + h_in[i];
            }
            ck_assert_double_eq(h_out[t], expected);
        }
    });
}

// An inclusive scan of each warp, as in NVIDIA's samples.
__global__ void scan(const int *d_in, int *d_out) {
    __shared__ volatile int s_scan[2 * 96];
    unsigned at = 2 * threadIdx.x - (threadIdx.x & 31);
    s_scan[at] = 0;
    at += 32;
    s_scan[at] = d_in[threadIdx.x];
    for (unsigned far = 1; far < 32; far *= 2) {
        s_scan[at] += s_scan[at - far];
    }
    d_out[threadIdx.x] = s_scan[at];
}
TEST(three_warps_scan) {
    run<int>(scan, 1, 96,
             [] { expect_each(96, [](int t) { return sum_of(t / 32 * 32, t % 32 + 1); }); });
}

// Lanes that have left, and lanes that come to it late.
__global__ void some_lanes(const int *d_in, int *d_out) {
    __shared__ int s_sum[32];
    unsigned t = threadIdx.x;
    s_sum[t] = d_in[t];
    if (t >= 16) {
        return;
    }
    volatile int *v = s_sum;
    int rounds = 0;
    for (unsigned i = 0; i < t; i++) {
        rounds += v[t] >= 0;
    }
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
    d_out[t] = t == 0 ? v[0] : rounds;
}
TEST(half_of_the_warp_has_left) {
    run<int>(some_lanes, 1, 32, [] {
        ck_assert_double_eq(h_out[0], sum_of(0, 32));
        for (int t = 1; t < 16; t++) {
            ck_assert_double_eq(h_out[t], t);
        }
    });
}

// Lanes meet after each branch, so none of them is a round ahead. Every lane reads the number of
// the round from its neighbour.
__global__ void rounds(const int *, int *d_out) {
    __shared__ int s_round[32];
    volatile int *v = s_round;
    int t = threadIdx.x, wrong = 0;
    v[t] = -1;
    for (int round = 0; round < 8; round++) {
        if ((t + round) % 3 == 0) {
            v[t] = v[t] + 1;
        } else if (t % 2) {
            v[t] = round - 1;
            v[t] = round;
        } else {
            v[t] = round;
        }
        wrong += v[(t + 1) % 32] != round;
        wrong += v[(t + 5) % 32] != round;
    }
    d_out[t] = wrong;
}
TEST(no_lane_is_a_round_ahead) {
    run<int>(rounds, 1, 32, [] { expect_each(32, [](int) { return 0; }); });
}

struct cell {
    volatile int value;
    int unused;
};
typedef volatile float shared_float;

__device__ void add_cells(cell *cells, int t, int far) {
    cells[t].value += cells[t + far].value;
}
__device__ void add_floats(shared_float *v, int t, int far) {
    v[t] += v[t + far];
}
__global__ void members(const int *d_in, int *d_out) {
    __shared__ cell s_cells[32];
    __shared__ float s_floats[32], s_cast[32];
    int t = threadIdx.x;
    s_cells[t].value = d_in[t];
    s_cast[t] = s_floats[t] = d_in[t];
    auto add = [](volatile float *to, int from) { *to += to[from]; };
    for (int far = 16; far > 0; far /= 2) {
        if (t < far) {
            add_cells(s_cells, t, far);
            add_floats(s_floats, t, far);
            ((volatile float *)s_cast)[t] += ((volatile float *)s_cast)[t + far];
        }
    }
    if (t < 8) {
        add(s_cast + 16 + t, 8);
        add(s_cast + 16 + t, 4);
    }
    if (t == 0) {
        d_out[0] = s_cells[0].value;
        d_out[1] = (int)s_floats[0];
        d_out[2] = (int)s_cast[0];
        d_out[3] = (int)s_cast[16];
    }
}
TEST(members_types_and_casts) {
    run<int>(members, 1, 32, [] {
        for (int i = 0; i < 3; i++) {
            ck_assert_double_eq(h_out[i], sum_of(0, 32));
        }
        ck_assert_double_eq(h_out[3], h_in[16] + h_in[24] + h_in[20] + h_in[28]);
    });
}

// A lane of the warp, the first or the last, sets what the others wait for.
__global__ void wait_in_a_warp(const int *, int *d_out) {
    __shared__ int s_flag[2];
    volatile int *flag = s_flag;
    int t = threadIdx.x;
    for (int setter = 0; setter < 32; setter += 31) {
        flag[0] = flag[1] = 0;
        if (t != setter) {
            while (flag[0] == 0 || flag[1] == 0) {
            }
        } else {
            flag[1] = 1;
            flag[0] = 1;
        }
        __syncthreads();
    }
    d_out[t] = flag[0] + flag[1];
}
TEST(lanes_wait_for_one_of_them) {
    run<int>(wait_in_a_warp, 1, 32, [] { expect_each(32, [](int) { return 2; }); });
}

// One warp fills a ring for the other one.
__global__ void ring(const int *d_in, int *d_out) {
    __shared__ volatile int s_ring[4][32], s_full[32], s_empty[32];
    int t = threadIdx.x % 32;
    s_full[t] = s_empty[t] = 0;
    __syncthreads();
    for (int i = 0; i < 64; i++) {
        if (threadIdx.x < 32) {
            while (i - s_empty[t] >= 4) {
            }
            s_ring[i % 4][t] = d_in[i * 32 + t];
            __threadfence_block();
            s_full[t] = i + 1;
        } else {
            while (s_full[t] <= i) {
            }
            d_out[i * 32 + t] = s_ring[i % 4][t];
            s_empty[t] = i + 1;
        }
    }
}
TEST(one_warp_produces_for_another) {
    run<int>(ring, 1, 64, [] { expect_each(2048, [](int i) { return h_in[i]; }); });
}

// A lock whose holder sets a volatile flag back, as in CUDA by Example.
__device__ int d_lock;
__global__ void locks(const int *, int *d_out) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&d_lock, 0, 1) != 0) {
        }
        volatile int *sum = d_out;
        *sum = *sum + 1;
        __threadfence();
        *(volatile int *)&d_lock = 0;
    }
}
TEST(a_lock_that_a_volatile_write_opens) {
    run<int>(locks, 48, 64, [] { ck_assert_double_eq(h_out[0], 48); });
}

// All lanes store a node whose second word has the bit of its lock; one lane gives it back behind a
// fence. Two warps insert in turn.
__global__ void nodes(const int *, int *d_node) {
    const unsigned lane = threadIdx.x % 32;
    for (int round = 0; round < 20; round++) {
        for (unsigned locked = 1; locked;) {
            if (lane == 1) {
                locked = atomicOr((unsigned *)d_node + 1, 0x80000000u) >> 31;
            }
            locked = __shfl_sync(0xffffffff, locked, 1);
        }
        __threadfence();
        const int mine = d_node[31 - lane] & 0x7fffffff;
        d_node[31 - lane] = (int)((unsigned)(mine + 1) | (lane == 30 ? 0x80000000u : 0));
        __threadfence();
        if (lane == 1) {
            atomicAnd(d_node + 1, 0x7fffffff);
        }
    }
}
TEST(a_lock_that_one_lane_gives_back_behind_a_fence) {
    run<int>(nodes, 3, 64, [] { expect_each(32, [](int) { return 120; }); });
}

// The same without a loop for the lock: g++ makes a copy of the rest for lane 30, with its fences.
__device__ void give_back(int *d_node) {
    __threadfence();
    if (threadIdx.x % 32 == 1) {
        atomicAnd(d_node + 1, 0x7fffffff);
    }
}
__global__ void copied_fences(const int *, int *d_nodes) {
    const unsigned lane = threadIdx.x % 32;
    for (int i = 0; i < 4; i++) {
        unsigned data = lane + (unsigned)i;
        if (lane == 30) {
            data |= 0x80000000u;
        }
        d_nodes[32 * i + 31 - (int)lane] = (int)data;
        give_back(d_nodes + 32 * i);
    }
}
TEST(a_fence_of_which_the_compiler_makes_copies) {
    run<int>(copied_fences, 1, 32,
             [] { expect_each(128, [](int t) { return 31 - t % 32 + t / 32; }); });
}

// One lane stores behind its fence what others await that come to a fence again and again.
__global__ void awaited(const int *, int *d_out) {
    if (threadIdx.x % 32 == 7) {
        __threadfence();
        atomicExch(d_out + threadIdx.x / 32, 5);
    } else {
        while (atomicAdd(d_out + threadIdx.x / 32, 0) == 0) {
            __threadfence();
        }
    }
}
TEST(lanes_at_different_fences) {
    run<int>(awaited, 1, 64, [] { expect_each(2, [](int) { return 5; }); });
}

// One lane of a warp asks for the next warp, or for the next block, and tells the rest by a
// shuffle.
__global__ void told(const int *, int *d_out) {
    const int me = (int)(blockIdx.x * 3 + threadIdx.x / 32), last = (int)gridDim.x * 3 - 1;
    for (int open = me == last; !open;) {
        if (threadIdx.x % 32 == 0) {
            open = atomicOr(d_out + me + 1, 0);
        }
        open = __shfl_sync(0xffffffff, open, 0);
    }
    if (threadIdx.x % 32 == 0) {
        atomicExch(d_out + me, 1);
    }
}
TEST(one_lane_asks_and_tells_its_warp) {
    run<int>(told, 40, 96, [] { expect_each(120, [](int) { return 1; }); });
}

// Every block waits for the one after it, in a loop that writes as well.
__global__ void later_blocks(const int *, volatile int *d_out) {
    if (threadIdx.x == 0) {
        while (blockIdx.x + 1 < gridDim.x && d_out[blockIdx.x + 1] == 0) {
            d_out[100 + blockIdx.x] = d_out[100 + blockIdx.x] + 1;
        }
        d_out[blockIdx.x] = 1;
    }
}
TEST(blocks_write_while_they_wait) {
    run<int>(later_blocks, 12, 32, [] { expect_each(12, [](int) { return 1; }); });
}

// As lanes that wait may be passed by others: the one that all wait for is behind them in the code.
__global__ void writes_in_a_warp(const int *, int *d_out) {
    __shared__ volatile int s_flag, s_tries[32];
    int t = threadIdx.x;
    s_flag = s_tries[t] = 0;
    if (t != 7) {
        while (s_flag == 0) {
            s_tries[t]++;
        }
    }
    s_flag = 1;
    d_out[t] = s_tries[t] > 0 || t == 7;
}
TEST(lanes_write_while_they_wait) {
    run<int>(writes_in_a_warp, 1, 32, [] { expect_each(32, [](int) { return 1; }); });
}

// After the branch every lane of the warp reads what the others wrote, by a pointer that is not
// volatile.
__device__ void put(volatile int *to, int value) {
    *to = value;
}
__global__ void read_after(const int *d_in, int *d_out) {
    __shared__ int s_all[128];
    int t = threadIdx.x;
    s_all[t] = s_all[t + 64] = 0;
    __syncthreads();
    if (t < 32) {
        volatile int *v = s_all;
        v[t] = d_in[t];
    }
    int first = s_all[t ^ 31];
    put(s_all + 64 + t, first);
    d_out[t] = first + s_all[64 + (t ^ 15)];
}
TEST(lanes_read_after_a_branch) {
    run<int>(read_after, 1, 64,
             [] { expect_each(32, [](int t) { return h_in[t ^ 31] + h_in[t ^ 15 ^ 31]; }); });
}

// Warp functions, barriers of the block and of the grid between volatile accesses.
__global__ void with_barriers(const int *d_in, int *d_out) {
    __shared__ int s_sum[64];
    volatile int *v = s_sum;
    int t = threadIdx.x;
    v[t] = d_in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        v[t] += v[t + 32];
        int rest = v[t ^ 16] + v[t];
        for (int far = 8; far > 0; far /= 2) {
            rest += __shfl_xor_sync(0xffffffff, rest, far);
        }
        v[t] = rest;
    }
    cooperative_groups::this_grid().sync();
    if (t == 40) {
        v[0] += v[1];
        d_out[blockIdx.x] = v[0] / 2;
    }
}
TEST(with_barriers_between) {
    for (int i = 0; i < MAX_VALUES; i++) {
        h_in[i] = (i * 7 + 3) % 101;
    }
    int *d_in, *d_out;
    ck_success(cudaMalloc(&d_in, 40 * 64 * sizeof *d_in));
    ck_success(cudaMalloc(&d_out, 40 * sizeof *d_out));
    static int h_values[40 * 64], h_sums[40];
    for (int i = 0; i < 40 * 64; i++) {
        h_values[i] = (int)h_in[i];
    }
    ck_success(cudaMemcpy(d_in, h_values, sizeof h_values, cudaMemcpyHostToDevice));
    void *arguments[] = {&d_in, &d_out};
    ck_success(cudaLaunchCooperativeKernel(with_barriers, 40, 64, arguments));
    ck_success(cudaMemcpy(h_sums, d_out, sizeof h_sums, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 40; b++) {
        ck_assert_int_eq(h_sums[b], (int)sum_of(b * 64, 64));
    }
    ck_success(cudaFree(d_in));
    ck_success(cudaFree(d_out));
}

#ifndef __SANITIZE_THREAD__ // in a traced run, the first warp runs on; --check names the race
// The sum of a block, twice, without a barrier after the first sum is read: a race, but on a device
// all warps have read it long before one has come so far that it stores the next.
__device__ int block_sum(int value) {
    __shared__ int sums[32];
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, step);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = value;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
        for (int step = 16; step > 0; step /= 2) {
            value += __shfl_xor_sync(0xffffffff, value, step);
        }
        if (threadIdx.x == 0) {
            sums[0] = value;
        }
    }
    __syncthreads();
    return sums[0];
}
__global__ void sums_of_a_block(const int *, int *d_out) {
    const int first = block_sum(1);
    d_out[threadIdx.x] = 1000 * first + block_sum(2);
}
TEST(warps_read_after_a_barrier_before_one_is_far_ahead) {
    run<int>(sums_of_a_block, 1, 256, [] { expect_each(256, [](int) { return 256512; }); });
}
#endif

SUITE("sim: volatile accesses")
