// What device code may call, and the properties of the device.
#include "../test_sim.h"

#include <math.h>

__constant__ const float c_weights[4] = {1, 2, 3, 4};
static __constant__ int c_zero[3], c_one;
__device__ int d_counter;
__device__ float d_table[2][3];
__device__ float *d_where;

__global__ void use_symbols(float *d_out) {
    atomicAdd(&d_counter, 2);
    d_table[1][2] += c_weights[3] + c_zero[2] + c_one;
    d_out[0] = d_where[1] + d_table[1][2];
}

TEST(symbols) {
    float *d_out, h_in[4] = {5, 6, 7, 8}, h_out[6];
    int count = 0;
    ck_success(cudaMalloc(&d_out, sizeof h_in));
    ck_success(cudaMemcpy(d_out, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    ck_success(cudaMemcpyToSymbol(d_where, &d_out, sizeof d_out));
    ck_success(cudaMemcpyToSymbol(c_weights, h_in, 4, 3 * sizeof(float)));
    ck_success(cudaMemcpyToSymbol(d_table, h_in, 4, 5 * sizeof(float), cudaMemcpyHostToDevice));
    use_symbols<<<1, 1>>>(d_out);
    ck_success(cudaMemcpyFromSymbol(&count, d_counter, sizeof count));
    ck_assert_int_eq(count, 2);
    ck_success(cudaMemcpyFromSymbol(h_out, d_table, sizeof h_out));
    ck_assert_float_eq(h_out[5], 10);
    ck_success(cudaMemcpy(h_out, d_out, 4, cudaMemcpyDeviceToHost));
    ck_assert_float_eq(h_out[0], 16);
    ck_success(cudaMemcpyFromSymbol(h_out, c_weights, 16));
    ck_assert_float_eq(h_out[2], 3);

    void *address;
    size_t size;
    ck_success(cudaGetSymbolSize(&size, d_table));
    ck_assert_uint_eq(size, 24);
    ck_success(cudaGetSymbolAddress(&address, d_counter));
    ck_success(cudaMemcpy(&count, address, 4, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(count, 2);
    ck_success(cudaMemcpyToSymbol(c_weights, d_out, 4, 0, cudaMemcpyDeviceToDevice));
    ck_success(cudaFree(d_out));
}

__constant__ double c_wide[4][9];
struct numbers {
    float first;
    double second;
};
__device__ numbers d_numbers;
struct holder {
    static __constant__ float c_of_class[2][2];
};
__constant__ float holder::c_of_class[2][2];

__global__ void read_wide(double *d_out) {
    d_out[0] = c_wide[3][8] + d_numbers.second + holder::c_of_class[1][1];
}

// Odd, and right: CUDA knows a variable by the address of its first byte, with the size of all.
TEST(other_names_of_a_whole_variable) {
    double h_in[4][9], h_out[4][9];
    void *whole, *first;
    size_t size;
    for (int i = 0; i < 36; i++) {
        h_in[i / 9][i % 9] = i;
    }
    ck_success(cudaMemcpyToSymbol(c_wide[0], h_in, sizeof h_in));
    ck_success(cudaMemcpyFromSymbol(h_out, c_wide, sizeof h_out));
    ck_assert_mem_eq(h_in, h_out, sizeof h_in);
    for (int p = 3; p >= 0; p--) {
        ck_success(cudaMemcpyToSymbol(*c_wide, h_in[3 - p], 72, p * sizeof c_wide[0]));
    }
    auto &all = c_wide;
    ck_success(cudaMemcpyFromSymbol(h_out, all, sizeof h_out));
    ck_assert_double_eq(h_out[3][8], h_in[0][8]);
    ck_success(cudaMemcpyToSymbol((const void *)c_wide, h_in, sizeof h_in));
    ck_success(cudaMemcpyToSymbol((const void *)&c_wide[0][0], h_in, 8, 280));
    ck_error(cudaMemcpyToSymbol((const void *)c_wide, h_in, 16, 280), cudaErrorInvalidValue);
    ck_success(cudaMemcpyToSymbol(d_numbers.first, h_in, 8, 8));
    ck_success(cudaGetSymbolAddress(&whole, c_wide));
    ck_success(cudaGetSymbolAddress(&first, c_wide[0][0]));
    ck_assert_ptr_eq(whole, first);
    ck_success(cudaGetSymbolSize(&size, c_wide[0]));
    ck_assert_uint_eq(size, sizeof h_in);
    ck_success(cudaMemcpyToSymbol(holder::c_of_class, h_in, 16));
}

static void name_parts() {
    double h[9] = {0};
    void *address;
    size_t size;
    ck_error(cudaMemcpyToSymbol(c_wide[1], h, sizeof h), cudaErrorInvalidSymbol);
    ck_error(cudaMemcpyToSymbol(c_wide[0][1], h, 8), cudaErrorInvalidSymbol);
    ck_error(cudaMemcpyToSymbol(&c_wide[2], h, 8), cudaErrorInvalidSymbol);
    ck_error(cudaMemcpyToSymbol((const void *)c_wide[3], h, 8), cudaErrorInvalidSymbol);
    ck_error(cudaMemcpyToSymbol("c_wide", h, 2), cudaErrorInvalidSymbol);
    ck_error(cudaMemcpyToSymbolAsync(d_numbers.second, h, 8), cudaErrorInvalidSymbol);
    ck_error(cudaMemcpyFromSymbol(h, c_wide[1], 8), cudaErrorInvalidSymbol);
    ck_error(cudaMemcpyFromSymbolAsync(h, d_table[1], 8), cudaErrorInvalidSymbol);
    ck_error(cudaGetSymbolAddress(&address, c_wide[1]), cudaErrorInvalidSymbol);
    ck_error(cudaGetSymbolSize(&size, c_wide[1]), cudaErrorInvalidSymbol);
}

TEST(a_part_of_a_variable_is_no_symbol) {
    struct outcome outcome = run_program(name_parts, NULL);
    ck_assert_int_eq(outcome.status, 0);
    ck_found(outcome, "wrong-space",
             "case:part-of-symbol call:cudaMemcpyToSymbol name:c_wide offset:72");
    ck_found(outcome, "wrong-space", "case:part-of-symbol name:d_numbers offset:8");
    ck_found(outcome, "wrong-space", "case:part-of-symbol call:cudaGetSymbolAddress");
    ck_found(outcome, "wrong-space", "case:no-symbol");
}

__global__ void hand_out(float **d_place) {
    *d_place = &d_table[0][1];
}

__global__ void read_first(const float *d_in, float *d_out) {
    *d_out = *d_in;
}

// As on an H200: cudaErrorInvalidValue, and nothing is copied.
TEST(a_name_is_no_address) {
    float value = 5, zero = 0, *d_from, **d_place;
    void *address;
    ck_success(cudaMemcpyToSymbol(d_table, &zero, 4, 4));
    ck_error(cudaMemcpy(&d_table[0][1], &value, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_error(cudaMemcpy(&value, &d_table[0][1], 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    ck_error(cudaMemset((void *)c_weights, 0, 4), cudaErrorInvalidValue);
    ck_success(cudaMemcpy(d_table, &value, 0, cudaMemcpyHostToDevice));
    ck_success(cudaMemcpyFromSymbol(&value, d_table, 4, 4));
    ck_assert_float_eq(value, 0);

    float *d_out = device_array<float>(4);
    ck_success(cudaMalloc(&d_place, sizeof *d_place));
    hand_out<<<1, 1>>>(d_place); // from then on the program knows where it is
    ck_success(cudaMemcpy(&d_from, d_place, sizeof d_from, cudaMemcpyDeviceToHost));
    value = 6;
    ck_success(cudaMemcpy(d_from, &value, 4, cudaMemcpyHostToDevice));
    read_first<<<1, 1>>>(d_from, d_out);
    ck_success(cudaMemcpy(&value, d_out, 4, cudaMemcpyDeviceToHost));
    ck_assert_float_eq(value, 6);
    ck_error(cudaMemset((void *)c_weights, 0, 4), cudaErrorInvalidValue);
    ck_success(cudaGetSymbolAddress(&address, c_weights));
    ck_success(cudaMemset(address, 0, 4));
    ck_success(cudaFree(d_place));
}

static void pass_a_name() {
    float *d_out = device_array<float>(4);
    read_first<<<1, 1>>>(c_weights, d_out);
    ck_error(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST(a_name_is_no_argument) {
    ck_finds_and_exits(pass_a_name, "wrong-space", "case:argument-name value:1 kernel:read_first");
}

struct sums {
    int i, least, most, bits, swapped;
    unsigned u, wrapped, down;
    unsigned long long wide;
    float f;
    double d;
};

__global__ void add_up(struct sums *d_sums) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&d_sums->i, 1);
    atomicSub(&d_sums->u, 1u);
    atomicMin(&d_sums->least, -t);
    atomicMax(&d_sums->most, t);
    atomicOr(&d_sums->bits, 1 << (t % 30));
    atomicInc(&d_sums->wrapped, 9);
    atomicDec(&d_sums->down, 9);
    atomicAdd(&d_sums->wide, 1ull << 33);
    atomicAdd(&d_sums->f, 0.5f);
    atomicAdd_block(&d_sums->d, 0.25);
    if (atomicCAS(&d_sums->swapped, 0, 7) == 0) {
        atomicExch(&d_sums->swapped, 8);
    }
}

TEST(atomics_over_all_blocks) {
    const int n = 1000 * 96;
    struct sums h, *d_sums = device_zeros<struct sums>(sizeof h);
    add_up<<<1000, 96>>>(d_sums);
    ck_success(cudaMemcpy(&h, d_sums, sizeof h, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(h.i, n);
    ck_assert_uint_eq(h.u, 0u - n);
    ck_assert_int_eq(h.least, 1 - n);
    ck_assert_int_eq(h.most, n - 1);
    ck_assert_int_eq(h.bits, (1 << 30) - 1);
    ck_assert_uint_eq(h.wrapped, n % 10);
    ck_assert_uint_eq(h.down, (10 - n % 10) % 10);
    ck_assert_uint_eq(h.wide, (unsigned long long)n << 33);
    ck_assert_float_eq(h.f, n / 2);
    ck_assert_double_eq(h.d, n / 4);
    ck_assert_int_eq(h.swapped, 8);
}

__global__ void vectors(const float4 *d_in, float4 *d_out, uchar4 *d_bytes) {
    float4 v = __ldg(&d_in[threadIdx.x]);
    d_out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
    d_bytes[threadIdx.x] = make_uchar4(1, 2, 3, (unsigned char)v.x);
}

TEST(vector_types) {
    float4 h_in[8], h_out[8];
    uchar4 h_bytes[8];
    for (int i = 0; i < 8; i++) {
        h_in[i] = make_float4(i, i + 1, i + 2, i + 3);
    }
    float4 *d_in = device_copy(h_in), *d_out = device_array<float4>(sizeof h_in);
    uchar4 *d_bytes = device_array<uchar4>(sizeof h_bytes);
    vectors<<<1, 8>>>(d_in, d_out, d_bytes);
    ck_success(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    ck_success(cudaMemcpy(h_bytes, d_bytes, sizeof h_bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) {
        ck_assert(h_out[i].x == i + 3 && h_out[i].w == i);
        ck_assert(h_bytes[i].z == 3 && h_bytes[i].w == i);
    }
}

// labs/studies/truth/math_truth.cu has what CUDA defines to the last bit: integers, conversions.
TEST(less_common_functions_have_their_values) {
    double sine, cosine;
    sincospi(2.5, &sine, &cosine);
    ck_assert(sine == 1.0 && cosine == 0.0);
    ck_assert(sinpi(1e15 + 1.0) == 0.0 && cospi(-3.0) == -1.0 && cospi(1e300) == 1.0);
    ck_assert_double_eq_tol(sinpi(-0.3), sin(-0.3 * M_PI), 1e-15);
    ck_assert_double_eq_tol(cospi(1.7), cos(1.7 * M_PI), 1e-15);
    ck_assert(sinpif(0.5f) == 1.0f && cospif(1.0f) == -1.0f && rcbrtf(8.0f) == 0.5f);
    ck_assert(norm3df(2, 3, 6) == 7.0f && norm4d(1, 1, 7, 7) == 10.0 && rhypotf(3, 4) == 0.2f);
    ck_assert(rnorm3df(2, 3, 6) == 1.0f / 7 && normcdff(0) == 0.5f && fdividef(3, 2) == 1.5f);
    ck_assert_double_eq_tol(normcdf(1.0), 0.84134474606854293, 1e-15);

    ck_assert(umin(3u, ~0u) == 3 && llmax(-5, -6) == -5 && ullmin(~0ull, 2) == 2);
    ck_assert_uint_eq(min(-1, 2u), 2); // as C compares them
    ck_assert_float_eq(max(1.5f, (float)NAN), 1.5f);
    ck_assert_double_eq(min(1.5f, 2.5), 1.5);
}

__attribute__((noinline)) static float apart(float a, float b, float c) {
    return __fadd_rn(__fmul_rn(a, b), c);
}
__attribute__((noinline)) static float fused(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__attribute__((noinline)) static double apart_double(double a, double b, double c) {
    return __dadd_rn(__dmul_rn(a, b), c);
}

TEST(each_operation_is_rounded) {
    // (1 + e)(1 - e) - 1 is -e^2, which only one rounding keeps.
    float e = 1.0f / 8192;
    ck_assert_float_eq(apart(1 + e, 1 - e, -1), 0);
    ck_assert_float_eq(fused(1 + e, 1 - e, -1), -e * e);
    double tiny = 1.0 / (1 << 30);
    ck_assert_double_eq(apart_double(1 + tiny, 1 - tiny, -1), 0);
    ck_assert_double_eq(__fma_rn(1 + tiny, 1 - tiny, -1), -tiny * tiny);
}

TEST(an_h200) {
    cudaDeviceProp p;
    int value, count;
    ck_success(cudaGetDeviceCount(&count));
    ck_assert_int_eq(count, 1);
    ck_success(cudaGetDeviceProperties(&p, 0));
    ck_assert_int_eq(p.major * 10 + p.minor, 90);
    ck_assert_int_eq(p.multiProcessorCount, 132);
    ck_assert_uint_eq(p.sharedMemPerBlockOptin, 232448);
    ck_error(cudaSetDevice(1), cudaErrorInvalidDevice);
    ck_success(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    ck_assert_int_eq(value, 32);
    ck_assert_str_eq(cudaGetErrorString(cudaErrorInvalidConfiguration),
                     "invalid configuration argument");
    ck_assert_str_eq(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
    ck_success(cudaRuntimeGetVersion(&value));
    ck_assert_int_eq(value, CUDART_VERSION);
}

__global__ void nothing() {
}

TEST(occupancy) {
    int blocks, grid, block;
    const int cases[][3] = {
        {1024, 0, 2}, {32, 0, 32}, {96, 20000, 11}, {1025, 0, 0}, {64, 60000, 0}};
    for (auto &c : cases) {
        ck_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, c[0], c[1]));
        ck_assert_int_eq(blocks, c[2]);
    }
    ck_success(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing));
    ck_assert(grid == 264 && block == 1024);
}

TEST(streams_and_events) {
    cudaStream_t gone;
    cudaEvent_t start;
    float ms = -1;
    cudaStream_t stream = new_stream();
    ck_success(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
    ck_success(cudaStreamDestroy(gone));
    ck_error(cudaStreamSynchronize(gone), cudaErrorInvalidResourceHandle);
    nothing<<<1, 1, 0, gone>>>();
    ck_error(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    ck_success(cudaEventCreate(&start));
    cudaEvent_t end = new_event(), untimed = new_event(cudaEventDisableTiming);
    ck_error(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);
    ck_success(cudaEventRecord(start, stream));
    nothing<<<1, 1, 0, stream>>>();
    ck_success(cudaEventRecord(end, stream));
    ck_success(cudaEventRecord(untimed));
    ck_success(cudaStreamWaitEvent(stream, end));
    ck_success(cudaEventSynchronize(end));
    ck_success(cudaEventQuery(end));
    ck_success(cudaStreamQuery(stream));
    ck_success(cudaEventElapsedTime(&ms, start, end));
    ck_assert(ms >= 0 && ms < 10000);
    ck_error(cudaEventElapsedTime(&ms, start, untimed), cudaErrorInvalidResourceHandle);
    ck_success(cudaEventDestroy(start));
    ck_error(cudaEventRecord(start), cudaErrorInvalidResourceHandle);
}

static void launch_in_a_child() {
    struct sums *d_sums, h;
    ck_success(cudaMalloc(&d_sums, sizeof h));
    ck_success(cudaMemset(d_sums, 0, sizeof h));
    add_up<<<64, 64>>>(d_sums);
    ck_success(cudaMemcpy(&h, d_sums, sizeof h, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(h.i, 64 * 64);
    ck_success(cudaFree(d_sums));
}

TEST(a_forked_child_has_a_device_too) {
    launch_in_a_child(); // the pool's threads now exist, and do not follow into a child
    for (int i = 0; i < 3; i++) {
        struct outcome outcome = run_program(launch_in_a_child, NULL);
        ck_nothing_found(outcome);
    }
    launch_in_a_child();
}

SUITE("sim: device")
