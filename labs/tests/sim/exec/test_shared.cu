// Shared memory: the addresses of variables, their initial contents, how much a block may have.
#include "../test_sim.h"

#define THREADS 96

__device__ int shared_in_a_function(int x) {
    __shared__ int s_board[THREADS];
    s_board[threadIdx.x] = x;
    __syncthreads();
    return s_board[blockDim.x - 1 - threadIdx.x];
}

extern __shared__ int s_file_scope[];
__shared__ int s_file_static[4];

template <int N, class T> __global__ void many(T *d_out) {
    __shared__ T s_a[N][3], s_b;
    static __shared__ __align__(64) volatile char s_c[5];
    __shared__ double s_d;
    int t = threadIdx.x;
    if (t == 0) {
        s_b = 1;
        s_c[4] = 2;
        s_d = 4;
        s_file_static[3] = 8;
        s_file_scope[1] = 16;
        s_a[N - 1][2] = 32;
        d_out[0] = (T)(sizeof s_a / sizeof(T));
        d_out[1] = (T)((size_t)s_c % 64);
        d_out[2] = (T)((size_t)&s_d % 8);
    }
    __syncthreads();
    d_out[3 + t] = s_b + s_c[4] + (T)s_d + s_file_static[3] + s_file_scope[1] + s_a[N - 1][2] +
                   (T)shared_in_a_function(100 * t);
}

TEST(every_kind_of_declaration) {
    float h_out[3 + THREADS], *d_out = device_array<float>(sizeof h_out);
    many<5, float><<<40, THREADS, 2 * sizeof(int)>>>(d_out);
    ck_success(cudaGetLastError());
    ck_success(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    ck_assert_float_eq(h_out[0], 15);
    ck_assert_float_eq(h_out[1], 0);
    ck_assert_float_eq(h_out[2], 0);
    for (int t = 0; t < THREADS; t++) {
        ck_assert_float_eq(h_out[3 + t], 63 + 100 * (THREADS - 1 - t));
    }
}

__global__ void first_look(unsigned *d_out) {
    extern __shared__ unsigned s_dynamic[];
    __shared__ unsigned s_static[THREADS];
    unsigned t = threadIdx.x;
    d_out[blockIdx.x * THREADS + t] = s_static[t] & s_dynamic[t];
    s_static[t] = s_dynamic[t] = 0; // must not be seen by the next block
}

TEST(poison_in_every_block) {
    const int count = 64 * THREADS;
    unsigned h_out[count], *d_out = device_array<unsigned>(sizeof h_out);
    first_look<<<64, THREADS, THREADS * sizeof(unsigned)>>>(d_out);
    first_look<<<64, THREADS, THREADS * sizeof(unsigned)>>>(d_out);
    ck_success(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        ck_assert_uint_eq(h_out[i], 0xffffffffu);
    }
}

__global__ void large_static(char *d_out) {
    __shared__ char s_large[40000];
    s_large[threadIdx.x] = 1;
    d_out[threadIdx.x] = s_large[threadIdx.x];
}

__global__ void dynamic_only(char *d_out, int bytes) {
    extern __shared__ char s_bytes[];
    s_bytes[bytes - 1] = 1;
    d_out[threadIdx.x] = s_bytes[bytes - 1];
}

TEST(how_much_a_block_may_have) {
    char *d_out = device_array<char>(32);
    dynamic_only<<<1, 1, 49152>>>(d_out, 49152);
    ck_success(cudaGetLastError());
    dynamic_only<<<1, 1, 49153>>>(d_out, 49153);
    ck_error(cudaGetLastError(), cudaErrorInvalidValue);
    for (int again = 0; again < 2; again++) { // before and after the kernel's own part is known
        large_static<<<1, 1, 9153>>>(d_out);
        ck_error(cudaGetLastError(), cudaErrorInvalidValue);
        large_static<<<1, 1, 9152>>>(d_out);
        ck_success(cudaGetLastError());
    }
    ck_error(cudaFuncSetAttribute(dynamic_only, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449),
             cudaErrorInvalidValue);
    ck_error(cudaFuncSetAttribute(dynamic_only, cudaFuncAttributeMaxDynamicSharedMemorySize, -1),
             cudaErrorInvalidValue);
    ck_error(cudaGetLastError(), cudaErrorInvalidValue);
    ck_success(
        cudaFuncSetAttribute(dynamic_only, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    dynamic_only<<<1, 1, 232448>>>(d_out, 232448);
    ck_success(cudaGetLastError());
    dynamic_only<<<1, 1, 232449>>>(d_out, 232449);
    ck_error(cudaGetLastError(), cudaErrorInvalidValue);
    struct cudaFuncAttributes attributes;
    ck_success(cudaFuncGetAttributes(&attributes, large_static));
    ck_assert_uint_eq(attributes.sharedSizeBytes, 40000);
    ck_assert_int_eq(attributes.maxDynamicSharedSizeBytes, 9152);
}

template <class T> __global__ void unsigned_offsets(T *d_out) {
    extern __shared__ double s_raw[];
    T *s_dynamic = (T *)s_raw;
    __shared__ T s_static[2 * THREADS];
    T *behind = s_static + THREADS, *end = s_dynamic + THREADS;
    unsigned t = threadIdx.x;
    s_dynamic[t] = 1;
    behind[t - THREADS] = (T)t;
    __syncthreads();
    unsigned opposite = THREADS - 1 - t;
    d_out[t] = s_static[opposite] + end[~opposite]; // one of 32 bits, which a device adds as such
}

template <class T> static void ck_unsigned_offsets() {
    T h_out[THREADS], *d_out = device_array<T>(sizeof h_out);
    for (int again = 0; again < 2; again++) {
        unsigned_offsets<<<8, THREADS, THREADS * sizeof(T)>>>(d_out);
        ck_success(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
        for (int t = 0; t < THREADS; t++) {
            ck_assert_double_eq(h_out[t], THREADS - t);
        }
    }
}

TEST(unsigned_indices_wrap_around) {
    ck_unsigned_offsets<float>();
    ck_unsigned_offsets<double>();
}

static void run_past_dynamic() {
    char *d_out = device_array<char>(32);
    dynamic_only<<<1, 1, 64>>>(d_out, 65);
}

TEST(past_the_end_of_dynamic_memory) {
    struct outcome outcome = run_program(run_past_dynamic, NULL);
    ck_assert(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGSEGV);
    ck_found(outcome, "out-of-bounds", "case:fault-dynamic space:dynamic bytes:64");
}

__device__ char with_its_own(int i) {
    __shared__ char s_inner[30000];
    s_inner[i] = 1;
    return s_inner[i];
}

__global__ void with_a_function(char *d_out) {
    __shared__ char s_outer[30000];
    s_outer[0] = with_its_own((int)threadIdx.x);
    d_out[0] = s_outer[0];
}

static void run_too_much_in_all() {
    char *d_out = device_array<char>(32);
    with_a_function<<<1, 1>>>(d_out);
    cudaDeviceSynchronize();
    if (cudaGetLastError() != cudaErrorInvalidValue) { // a check does not make it compile
        exit(3);
    }
}

TEST(oversized_static_shared_memory_is_reported) {
    struct outcome outcome = run_program(run_too_much_in_all, NULL);
    ck_found(outcome, "invalid-launch",
             "case:static-shared kernel:with_a_function bytes:60000 limit:49152");
    ck_assert(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0);
}

static void run_too_much_dynamic() {
    char *d_out = device_array<char>(32);
    dynamic_only<<<1, 1, 50000>>>(d_out, 50000);
}

TEST(dynamic_memory_that_nobody_asked_for) {
    ck_finds(run_too_much_dynamic, "invalid-launch",
             "case:shared kernel:dynamic_only bytes:50000 limit:49152 number:232448");
}

SUITE("sim: shared memory")
