// Threads and blocks that wait for others: locks, flags, barriers of the grid.
#include "../test_sim.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static int h_out[4096];
__device__ int d_lock;

// Runs a kernel that takes one array of 4096 ints, forwards and backwards; checks h_out by `check`.
template <class K> static void run(K kernel, int blocks, int threads, void (*check)(void)) {
    for (int reverse = 0; reverse < 2; reverse++) {
        setenv("CONVLABS_SIM_ORDER", reverse ? "reverse" : "", 1);
        sim_read_options();
        int *d_out;
        ck_success(cudaMalloc(&d_out, sizeof h_out));
        ck_success(cudaMemset(d_out, 0, sizeof h_out));
        kernel<<<blocks, threads>>>(d_out);
        ck_success(cudaDeviceSynchronize());
        ck_success(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
        ck_success(cudaFree(d_out));
        check();
    }
}

// h_out[first + i] is expected(i), for each i below `count`.
template <class F> static void expect_each(int count, F expected, int first = 0) {
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(h_out[first + i], expected(i));
    }
}

// Each thread holds the lock while others of its warp and of other blocks want it.
__global__ void locked_sum(int *d_out) {
    while (atomicCAS(&d_lock, 0, 1) != 0) {
    }
    int old = d_out[0];
    __nanosleep(20);
    d_out[0] = old + 1;
    __threadfence();
    atomicExch(&d_lock, 0);
}
TEST(a_lock_that_all_threads_take) {
    run(locked_sum, 8, 64, [] { ck_assert_int_eq(h_out[0], 512); });
}

__global__ void exchanged_lock(int *d_out) {
    while (atomicExch(&d_lock, 1)) {
    }
    __nanosleep(20);
    d_out[0] += 1;
    __threadfence();
    atomicExch(&d_lock, 0);
}
TEST(a_lock_by_exchange) {
    run(exchanged_lock, 4, 64, [] { ck_assert_int_eq(h_out[0], 256); });
}

// The first thread waits for the last one, the last for the first, in turns.
__global__ void ping_pong(int *d_out) {
    volatile int *ball = d_out;
    for (int round = 0; round < 5; round++) {
        if (threadIdx.x == 0) {
            while (*ball != 2 * round) {
            }
            *ball = 2 * round + 1;
        } else if (threadIdx.x == 63) {
            while (*ball != 2 * round + 1) {
            }
            *ball = 2 * round + 2;
        }
    }
    __syncthreads();
    d_out[1 + threadIdx.x] = *ball;
}
TEST(threads_wait_for_each_other) {
    run(ping_pong, 1, 64, [] { expect_each(64, [](int) { return 10; }, 1); });
}

// Each block waits for the next one, which begins after it (or before it, in reverse).
__global__ void chain_up(int *d_out) {
    volatile int *done = d_out;
    __shared__ int s_seen;
    int *p_seen = &s_seen;
    if (threadIdx.x == 0) {
        while (blockIdx.x + 1 < gridDim.x && done[blockIdx.x + 1] == 0) {
        }
        *p_seen = blockIdx.x + 1 < gridDim.x ? done[blockIdx.x + 1] : 0;
    }
    __syncthreads();
    if (threadIdx.x == 31) {
        done[blockIdx.x] = s_seen + 1;
    }
}
TEST(blocks_wait_for_later_blocks) {
    run(chain_up, 20, 32, [] { expect_each(20, [](int i) { return 20 - i; }); });
}

// The same by loops that store the same again in each round, as colouring a graph does.
__global__ void chain_with_stores(int *d_out) {
    volatile int *done = d_out, *mine = d_out + 1024 + blockIdx.x * 64 + threadIdx.x;
    bool last = blockIdx.x + 1 == gridDim.x, again;
    do {
        bool one = last || done[2 * blockIdx.x + 2], two = last || done[2 * blockIdx.x + 3];
        again = !one || !two;
        *mine = again ? 1 : 2;
    } while (again);
    if (threadIdx.x % 32 == 31) {
        done[2 * blockIdx.x + threadIdx.x / 32] = 1;
    }
}
TEST(blocks_that_store_while_they_wait_for_later_blocks) {
    run(chain_with_stores, 40, 64, [] { expect_each(40 * 64, [](int) { return 2; }, 1024); });
}

// A barrier of the grid that the program has made itself.
__global__ void own_barrier(int *d_out) {
    __shared__ int s_mine[64];
    s_mine[threadIdx.x] = threadIdx.x + blockIdx.x;
    d_out[100 + blockIdx.x * 64 + threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(d_out, 1);
        while (atomicAdd(d_out, 0) < (int)gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    int other = (blockIdx.x + 1) % gridDim.x;
    d_out[100 + other * 64 + threadIdx.x] += s_mine[threadIdx.x];
}
TEST(a_barrier_of_the_grid_by_hand) {
    run(own_barrier, 16, 64,
        [] { expect_each(16 * 64, [](int i) { return (i / 64 + 15) % 16 + i % 64; }, 100); });
}

// Pointers into the stack and into shared memory hold across the barrier.
__global__ void steps(int *a, int *b, int n, int count) {
    extern __shared__ int s_dynamic[];
    __shared__ int s_static[64];
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), local[3] = {i, 2 * i, 3 * i};
    int *p_local = &local[1], *p_static = &s_static[threadIdx.x];
    s_dynamic[threadIdx.x] = -i;
    for (int step = 0; step < count; step++) {
        *p_static = a[i];
        int right = a[(i + 1) % n];
        if (step % 2) {
            cg::sync(grid);
        } else {
            grid.sync();
        }
        b[i] = *p_static + right + *p_local + 2 * s_dynamic[threadIdx.x];
        grid.sync();
        int *swap = a;
        a = b;
        b = swap;
    }
}

static void expect_steps(int blocks, int threads) {
    int n = blocks * threads, count = 6;
    int *d_a, *d_b, *h = (int *)malloc(2 * n * sizeof *h), *h_next = h + n;
    ck_success(cudaMalloc(&d_a, n * sizeof *h));
    ck_success(cudaMalloc(&d_b, n * sizeof *h));
    for (int i = 0; i < n; i++) {
        h[i] = i * i % 1000;
    }
    ck_success(cudaMemcpy(d_a, h, n * sizeof *h, cudaMemcpyHostToDevice));
    void *arguments[] = {&d_a, &d_b, &n, &count};
    ck_success(cudaLaunchCooperativeKernel(steps, dim3(blocks), dim3(threads), arguments,
                                           threads * sizeof(int), 0));
    ck_success(cudaDeviceSynchronize());
    for (int step = 0; step < count; step++) {
        for (int i = 0; i < n; i++) {
            h_next[i] = h[i] + h[(i + 1) % n];
        }
        memcpy(h, h_next, n * sizeof *h);
    }
    ck_success(cudaMemcpy(h_next, d_a, n * sizeof *h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(h_next[i], h[i]);
    }
    free(h);
    ck_success(cudaFree(d_a));
    ck_success(cudaFree(d_b));
}

TEST(a_grid_synchronises) {
    expect_steps(1, 32);
    expect_steps(7, 50);
    expect_steps(200, 64);
}

static void too_large() {
    int *d_a = NULL, n = 1, count = 0;
    void *arguments[] = {&d_a, &d_a, &n, &count};
    ck_error(cudaLaunchCooperativeKernel(steps, dim3(132 * 2 + 1), dim3(1024), arguments, 0, 0),
             cudaErrorCooperativeLaunchTooLarge);
    ck_error(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
}
TEST(a_grid_that_the_device_cannot_run_at_once) {
    struct outcome outcome = run_program(too_large, NULL);
    ck_assert_int_eq(outcome.status, 0);
}

enum { PARTIAL = __LINE__ + 3 };
__global__ void partial(int *d_out) {
    if (blockIdx.x != 1) {
        cg::this_grid().sync();
    }
    d_out[blockIdx.x] = 1;
}
static void run_partial() {
    int *d_out = device_array<int>(64);
    void *arguments[] = {&d_out};
    cudaLaunchCooperativeKernel(partial, dim3(3), dim3(32), arguments, 0, 0);
    ck_error(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}
TEST(a_block_that_misses_the_barrier_of_its_grid) {
    struct outcome outcome = run_program(run_partial, NULL);
    ck_assert_int_eq(outcome.status, 0);
    ck_found(outcome, "barrier-divergence", "case:grid value:2");
    char line[64];
    snprintf(line, sizeof line, "line:%d", PARTIAL);
    ck_found(outcome, "barrier-divergence", line);
}

static void run_without_cooperation() {
    int *d_out = device_array<int>(64);
    partial<<<3, 32>>>(d_out);
    ck_error(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}
TEST(a_grid_that_may_not_synchronise) {
    ck_finds_and_exits(run_without_cooperation, "invalid-launch", "case:not-cooperative");
}

__global__ void quotient(int *d_out) {
    d_out[1] = 10 / d_out[0];
}
static void run_quotient() {
    int *d_out = device_zeros<int>(64);
    quotient<<<1, 1>>>(d_out);
#if defined(__x86_64__)
    ck_error(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
#endif
}
TEST(a_division_by_zero_is_named) {
    struct outcome outcome = run_program(run_quotient, NULL);
#if defined(__x86_64__)
    ck_assert_int_eq(outcome.status == 0, !address_sanitizer);
    if (!address_sanitizer) {
        ck_found(outcome, "division-by-zero", "kernel:quotient");
    }
#endif
}

__global__ void large_arrays(int *d_out) {
    int local[100000];
    for (int i = 0; i < 100000; i++) {
        local[i] = d_out[0] + i;
    }
    __syncthreads();
    d_out[1 + threadIdx.x] = local[99999 - threadIdx.x];
}
TEST(a_local_array_of_400_kb) {
    run(large_arrays, 1, 40, [] { expect_each(40, [](int t) { return 99999 - t; }, 1); });
}

__global__ void endless(volatile int *d_out) {
    while (d_out[0] == 0) {
        d_out[1] += 1;
    }
}
static void run_endless() {
    setenv("CONVLABS_SIM_LIMIT", "0.2", 1);
    sim_read_options();
    int *d_out = device_zeros<int>(64);
    endless<<<1, 1>>>(d_out);
    cudaDeviceSynchronize();
}
__device__ int d_never_given_back = 1;
__global__ void asks(int *d_out) {
    while (__shfl_sync(~0u, threadIdx.x || atomicCAS(&d_never_given_back, 0, 1), 0)) {
        d_out[threadIdx.x]++;
    }
}
static void run_asking() {
    setenv("CONVLABS_SIM_LIMIT", "0.2", 1);
    sim_read_options();
    int *d_out = device_zeros<int>(64);
    asks<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
}
static void run_until_asked_to_end() {
    signal(SIGTERM, SIG_DFL); // Check has a handler of its own
    if (fork() == 0) {
        usleep(200000);
        kill(getppid(), SIGTERM);
        _exit(0);
    }
    int *d_out = device_zeros<int>(64);
    endless<<<1, 1>>>(d_out);
    cudaDeviceSynchronize();
}
TEST(an_endless_kernel_says_where_it_was) {
    struct outcome outcome = run_program(run_endless, NULL);
    ck_assert(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 124);
    ck_found(outcome, "stopped", "block:[0,0,0] kernel:endless");
    outcome = run_program(run_asking, NULL);
    ck_assert(strstr(outcome.findings, "\"number\":") != NULL); // of tries
    outcome = run_program(run_until_asked_to_end, NULL);
    ck_assert(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGTERM);
    ck_found(outcome, "stopped", "cause:terminated thread:[0,0,0]");
}

SUITE("sim: waiting")
