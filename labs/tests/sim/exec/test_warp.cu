// Barriers, and what the lanes of a warp do together.
#include "../test_sim.h"

#include <sys/mman.h>

#define FULL 0xffffffffu

static int h_out[1024];

// Runs a kernel that takes one array of 1024 ints; the result is in h_out.
template <class K> static void run(K kernel, int threads) {
    int *d_out;
    ck_success(cudaMalloc(&d_out, sizeof h_out));
    kernel<<<1, threads>>>(d_out);
    ck_success(cudaGetLastError());
    ck_success(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    ck_success(cudaFree(d_out));
}

__global__ void phases(int *d_out) {
    __shared__ int s_value[1000];
    unsigned t = threadIdx.x, n = blockDim.x;
    s_value[t] = t;
    for (int phase = 0; phase < 10; phase++) {
        __syncthreads();
        int next = s_value[(t + 1) % n];
        __syncthreads();
        s_value[t] = next;
    }
    d_out[t] = s_value[t];
}

TEST(barrier_separates_phases) {
    run(phases, 1000);
    for (int t = 0; t < 1000; t++) {
        ck_assert_int_eq(h_out[t], (t + 10) % 1000);
    }
}

__global__ void early_return(int *d_out) {
    int t = threadIdx.x;
    if (t >= 70) {
        return; // those that have left are not waited for
    }
    int set = __syncthreads_count(t % 2);
    int all = __syncthreads_and(t < 70), none = __syncthreads_or(t < 0);
    d_out[t] = set * 100 + all * 10 + none;
}

TEST(barrier_after_an_early_return) {
    run(early_return, 100);
    ck_assert_int_eq(h_out[0], 3510);
    ck_assert_int_eq(h_out[69], 3510);
}

__global__ void different_barriers(int *d_out) {
    __shared__ int s_left;
    if (threadIdx.x < 32) {
        s_left = 7;
        __syncthreads();
    } else {
        __syncthreads(); // another line, the same barrier: as on Volta and later
    }
    d_out[threadIdx.x] = s_left;
}

TEST(barriers_of_two_lines_meet) {
    run(different_barriers, 64);
    ck_assert_int_eq(h_out[63], 7);
}

__global__ void shuffles(int *d_out) {
    int t = threadIdx.x;
    d_out[t] = __shfl_sync(FULL, t, 5);
    d_out[32 + t] = __shfl_sync(FULL, t, 11, 8);
    d_out[64 + t] = __shfl_up_sync(FULL, t, 3);
    d_out[96 + t] = __shfl_down_sync(FULL, t, 3, 16);
    d_out[128 + t] = __shfl_xor_sync(FULL, t, 12, 8);
    d_out[160 + t] = __shfl_sync(FULL, t, -1);
    d_out[192 + t] = (int)(__shfl_xor_sync(FULL, t + 0.25, 1) * 4);
    d_out[224 + t] = (int)(__shfl_down_sync(FULL, (1ull << 40) * t, 1) >> 40);
    d_out[256 + t] = (int)(2 * __shfl_up_sync(FULL, 0.5f * t, 1u));
}

TEST(shuffles_as_an_h200_does_them) {
    run(shuffles, 32);
    for (int t = 0; t < 32; t++) {
        ck_assert_int_eq(h_out[t], 5);
        ck_assert_int_eq(h_out[32 + t], t / 8 * 8 + 3);
        ck_assert_int_eq(h_out[64 + t], t < 3 ? t : t - 3);
        ck_assert_int_eq(h_out[96 + t], t % 16 < 13 ? t + 3 : t);
        ck_assert_int_eq(h_out[128 + t], t / 8 % 2 ? t ^ 12 : t); // never from a later segment
        ck_assert_int_eq(h_out[160 + t], 31);
        ck_assert_int_eq(h_out[192 + t], (t ^ 1) * 4 + 1);
        ck_assert_int_eq(h_out[224 + t], t < 31 ? t + 1 : 31);
        ck_assert_int_eq(h_out[256 + t], t > 0 ? t - 1 : 0);
    }
}

__global__ void partial_warp(int *d_out) {
    int t = threadIdx.x, sum = 1;
    for (int step = 16; step > 0; step /= 2) {
        int other = __shfl_down_sync(FULL, sum, step);
        if (t % 32 + step < (t < 32 ? 32 : 13)) {
            sum += other;
        }
    }
    d_out[t] = sum;
    d_out[64 + t] = __shfl_down_sync(FULL, 5, 1); // lane 12 of the second warp reads nobody's
}

TEST(the_last_warp_of_a_block_may_be_partial) {
    run(partial_warp, 45);
    ck_assert_int_eq(h_out[0], 32);
    ck_assert_int_eq(h_out[32], 13);
    ck_assert_int_eq(h_out[64 + 43], 5);
    ck_assert_int_eq(h_out[64 + 44], -1); // poison: the device does not say what it is
}

__global__ void votes(int *d_out) {
    int t = threadIdx.x;
    d_out[t] = (int)__ballot_sync(FULL, t % 3 == 0);
    d_out[32 + t] =
        __any_sync(FULL, t == 31) * 100 + __any_sync(FULL, t == 32) * 10 + __all_sync(FULL, t < 32);
    if (t < 8) {
        d_out[64 + t] = (int)__ballot_sync(0xffu, t & 1);
    } else {
        d_out[64 + t] = __all_sync(0xffffff00u, t >= 8);
        __syncwarp(0xffffff00u);
    }
    __syncwarp();
    d_out[96 + t] = d_out[64 + 31 - t];
}

TEST(votes_of_diverged_lanes) {
    run(votes, 32);
    unsigned thirds = 0;
    for (int t = 0; t < 32; t += 3) {
        thirds |= 1u << t;
    }
    for (int t = 0; t < 32; t++) {
        ck_assert_int_eq(h_out[t], (int)thirds);
        ck_assert_int_eq(h_out[32 + t], 101);
        ck_assert_int_eq(h_out[64 + t], t < 8 ? 0xaa : 1);
        ck_assert_int_eq(h_out[96 + t], 31 - t < 8 ? 0xaa : 1);
    }
}

__global__ void active(int *d_out) {
    int t = threadIdx.x;
    if (t % 4 == 0) {
        unsigned mask = __activemask();
        d_out[t] = (int)__shfl_sync(mask, t, 4) + (int)(mask == 0x11111111u) * 100;
    } else if (t < 20) {
        d_out[t] = (int)__activemask();
    } else {
        d_out[t] = 0;
    }
}

TEST(activemask_is_the_lanes_of_the_branch) {
    run(active, 32);
    ck_assert_int_eq(h_out[0], 104);
    ck_assert_int_eq(h_out[28], 104);
    ck_assert_int_eq(h_out[1], 0xeeeee);
}

enum { STUCK = __LINE__ + 5, BARRIER = __LINE__ + 3 };
__global__ void deadlock(int *d_out) {
    if (threadIdx.x == 3) {
        __syncthreads();
    } else {
        d_out[threadIdx.x] = __shfl_sync(FULL, 1, 3);
    }
}

static void run_deadlock() {
    int *d_out = device_array<int>(4096);
    deadlock<<<5, 32>>>(d_out);
    ck_error(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    ck_error(cudaFree(d_out), cudaErrorLaunchFailure); // the device is lost
}

TEST(a_deadlock_is_reported) {
    struct outcome outcome = run_program(run_deadlock, NULL);
    ck_assert_int_eq(outcome.status, 0);
    char line[64];
    snprintf(line, sizeof line, "case:deadlock thread:[0,0,0] line:%d", STUCK);
    ck_found(outcome, "barrier-divergence", line);
    snprintf(line, sizeof line, "other_thread:[3,0,0] place_line:%d", BARRIER);
    ck_found(outcome, "barrier-divergence", line);
}

// The stacks of a kernel that ended early are unmapped: later mappings may use their addresses.
static void run_deadlock_and_use_its_memory() {
    run_deadlock();
    for (int i = 0; i < 64; i++) {
        void *memory =
            mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ck_assert_ptr_ne(memory, MAP_FAILED);
        memset(memory, 0, 1 << 18);
    }
}

TEST(abandoned_stacks_leave_nothing_behind) {
    struct outcome outcome = run_program(run_deadlock_and_use_its_memory, NULL);
    ck_assert_int_eq(outcome.status, 0);
}

__global__ void deep(int *d_out) {
    volatile int local[40000 / sizeof(int)]; // more than a page of stack for each thread
    int t = threadIdx.x;
    for (int i = 0; i < (int)(sizeof local / sizeof *local); i += 64) {
        local[i] = t + i;
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < (int)(sizeof local / sizeof *local); i += 64) {
        sum += local[i] - i == t;
    }
    __syncthreads();
    d_out[t] = sum;
}

TEST(local_arrays_outlive_a_barrier) {
    run(deep, 512);
    for (int t = 0; t < 512; t++) {
        ck_assert_int_eq(h_out[t], (10000 + 63) / 64);
    }
}

__device__ int endless(volatile int *d_at, int n) {
    volatile int pad[256];
    pad[n & 255] = n;
    return *d_at < 0 ? 0 : endless(d_at, n + 1) + pad[n & 255];
}
__global__ void overflow(int *d_out) {
    d_out[1] = endless(d_out, 0);
}

static void run_overflow() {
    int *d_out = device_zeros<int>(8);
    overflow<<<1, 1>>>(d_out);
    cudaDeviceSynchronize();
}

TEST(endless_recursion_is_a_stack_overflow) {
    struct outcome outcome = run_program(run_overflow, NULL);
    ck_assert(outcome.status != 0);
    if (!address_sanitizer) {
        ck_assert(WIFSIGNALED(outcome.status));
        ck_found(outcome, "stack-overflow", "case:kernel thread:[0,0,0]");
    }
}

__global__ void failing(int *d_out) {
    assert(threadIdx.x != 9);
    d_out[threadIdx.x] = 1;
}
__global__ void trapping() {
    __trap();
}

static void run_assert() {
    int *d_out = device_array<int>(4096);
    failing<<<1, 32>>>(d_out);
    ck_error(cudaDeviceSynchronize(), cudaErrorAssert);
}
static void run_trap() {
    trapping<<<1, 1>>>();
    ck_error(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

__global__ void allocates(int **d) {
    cudaMalloc(d, 4);
}

static void run_allocates() {
    allocates<<<1, 32>>>(device_array<int *>(1));
    cudaDeviceSynchronize();
}

TEST(asserts_traps_and_calls_of_the_host_end_the_kernel) {
    ck_finds_and_exits(run_assert, "assert", "thread:[9,0,0]");
    ck_finds_and_exits(run_trap, "trap", "");
    ck_finds_and_exits(run_allocates, "host-call", "kernel:allocates call:cudaMalloc");
}

SUITE("sim: barriers and warps")
