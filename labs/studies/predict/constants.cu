/* The constants of the model, measured: nvcc -O3 -arch=native constants.cu -o constants, ./constants
 *
 * Each kernel does one thing only, on every multiprocessor with as many warps as it holds, except
 * where the name says otherwise. Prints `name,value,unit`; a rate is per clock and multiprocessor.
 */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { BLOCK = 256, STEPS = 2048, CHAINS = 8, RUNS = 7, WORDS = 1024 };

static cudaEvent_t started, ended;
static int processors;
static double hertz;

static void must(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "constants: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

static void begin(void) {
    must(cudaEventRecord(started, 0));
}

static double seconds(void) {
    float ms;
    must(cudaGetLastError());
    must(cudaEventRecord(ended, 0));
    must(cudaEventSynchronize(ended));
    must(cudaEventElapsedTime(&ms, started, ended));
    return ms * 1e-3;
}

/* The least time of some runs of `launch`. */
template <class Launch> static double least(Launch launch) {
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        begin();
        launch();
        const double s = seconds();
        best = s < best ? s : best;
    }
    return best;
}

static void say(const char *name, double value, const char *unit) {
    printf("%s,%.6g,%s\n", name, value, unit);
    fflush(stdout);
}

/* One operation on each of CHAINS values, STEPS times. */
template <class T, class Op> __global__ void operations(T first, T *d_result, Op op) {
    T chain[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        chain[i] = first + (T)(threadIdx.x + i);
    }
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
        for (int i = 0; i < CHAINS; i++) {
            chain[i] = op(chain[i], first);
        }
    }
    T sum = 0;
    for (int i = 0; i < CHAINS; i++) {
        sum += chain[i];
    }
    if (sum == (T)12345) { /* never, as far as the compiler knows */
        *d_result = sum;
    }
}

struct Fma { __device__ float operator()(float x, float y) const { return fmaf(x, y, y); } };
struct Add { __device__ float operator()(float x, float y) const { return x + y; } };
struct Dma { __device__ double operator()(double x, double y) const { return fma(x, y, y); } };
struct Mad { __device__ unsigned operator()(unsigned x, unsigned y) const { return x * y + y; } };
struct Bits { __device__ unsigned operator()(unsigned x, unsigned y) const { return (x ^ y) >> 1; } };
struct Max { __device__ int operator()(int x, int y) const { return max(x ^ 1, y); } };
struct Root { __device__ float operator()(float x, float) const { return rsqrtf(x); } };
struct Sqrt { __device__ float operator()(float x, float) const { return sqrtf(x); } };
struct Over { __device__ float operator()(float x, float y) const { return y / x; } };
struct DOver { __device__ double operator()(double x, double y) const { return y / x; } };
struct Mod { __device__ int operator()(int x, int y) const { return 1000003 % (x | 1) + y; } };
struct Cvt { __device__ float operator()(float x, float) const { return (float)(int)x; } };
struct Shuffle {
    __device__ float operator()(float x, float) const { return __shfl_xor_sync(~0u, x, 1); }
};

template <class Op, class T> static void rate(const char *name, T first, void *d, Op op) {
    const int blocks = processors * 8 * 4;
    const double s = least([&] { operations<T, Op><<<blocks, BLOCK>>>(first, (T *)d, op); });
    say(name, (double)blocks * BLOCK / 32 * CHAINS * STEPS / (s * hertz * processors),
        "warp operations");
}

/* Loads from shared memory; neighbouring lanes are `stride` words apart. */
template <class T> __global__ void shared_loads(int stride, float *d_result) {
    __shared__ T s_words[8192 * 4 / sizeof(T)];
    const int words = 8192 * 4 / sizeof(T);
    for (int i = threadIdx.x; i < words; i += BLOCK) {
        s_words[i] = T();
    }
    __syncthreads();
    int at[4];
    for (int i = 0; i < 4; i++) {
        at[i] = (threadIdx.x * stride + i * 32) % words;
    }
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            at[i] += *(int *)&s_words[at[i]];
        }
    }
    if (at[0] + at[1] + at[2] + at[3] == -1) {
        *d_result = 1.0f;
    }
}

template <class T> static void shared_rate(const char *name, int stride, float *d) {
    const int blocks = processors * 6;
    const double s = least([&] { shared_loads<T><<<blocks, BLOCK>>>(stride, d); });
    say(name, (double)blocks * BLOCK / 32 * 4 * STEPS / (s * hertz * processors), "requests");
}

/* Loads that hit the L1 cache: lanes `stride` words apart in `words` words of the block's own. */
template <class T>
__global__ void cached_loads(const T *__restrict__ d_from, int stride, int words, float *d_result) {
    int at[4];
    const T *const mine = d_from + (size_t)blockIdx.x % 132 * words;
    for (int i = 0; i < 4; i++) {
        at[i] = (threadIdx.x * stride + i * 32) % words;
    }
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            at[i] += *(const int *)&mine[at[i]];
        }
    }
    if (at[0] + at[1] + at[2] + at[3] == -1) {
        *d_result = 1.0f;
    }
}

template <class T> static void cached_rate(const char *name, int stride, const void *d, float *to) {
    const int blocks = processors * 8, words = 8192 * 4 / sizeof(T);
    const double s =
        least([&] { cached_loads<T><<<blocks, BLOCK>>>((const T *)d, stride, words, to); });
    say(name, (double)blocks * BLOCK / 32 * 4 * STEPS / (s * hertz * processors), "requests");
}

__constant__ int c_words[4096];

__global__ void constant_loads(int distinct, float *d_result) {
    int at[4];
    for (int i = 0; i < 4; i++) {
        at[i] = threadIdx.x % distinct + i * 32;
    }
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            at[i] += c_words[at[i]];
        }
    }
    if (at[0] + at[1] + at[2] + at[3] == -1) {
        *d_result = 1.0f;
    }
}

/* Reads `words` float4s again and again: from the L2 cache or from DRAM. */
__global__ void read_all(const float4 *d_from, size_t words, size_t times, float *d_result) {
    float sum = 0.0f;
    const size_t step = (size_t)gridDim.x * BLOCK;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < words * times; i += step) {
        const float4 four = __ldcg(&d_from[i % words]);
        sum += four.x + four.y + four.z + four.w;
    }
    if (sum == -1.0f) {
        *d_result = sum;
    }
}

__global__ void write_all(float4 *d_to, size_t words) {
    const size_t step = (size_t)gridDim.x * BLOCK;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < words; i += step) {
        d_to[i] = make_float4(1.0f, 2.0f, 3.0f, (float)i);
    }
}

__global__ void copy_all(const float4 *d_from, float4 *d_to, size_t words) {
    const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < words) {
        d_to[i] = d_from[i];
    }
}

/* One sector of each 128 bytes: how many sectors a second from the L2 cache. */
__global__ void read_sectors(const float *d_from, size_t lines, size_t times, float *d_result) {
    float sum = 0.0f;
    const size_t step = (size_t)gridDim.x * BLOCK;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < lines * times; i += step) {
        sum += __ldcg(&d_from[i % lines * 32]);
    }
    if (sum == -1.0f) {
        *d_result = sum;
    }
}

__global__ void nothing(void) {}

__global__ void barriers(int times) {
    for (int i = 0; i < times; i++) {
        __syncthreads();
    }
}

__global__ void atomics(float *d_to, unsigned distinct, int times) {
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    for (int k = 0; k < times; k++) {
        atomicAdd(&d_to[(i + k * 32) % distinct], 1.0f);
    }
}

__global__ void shared_atomics(unsigned distinct, int times, unsigned *d_result) {
    __shared__ unsigned s_sums[1024];
    for (int i = threadIdx.x; i < 1024; i += BLOCK) {
        s_sums[i] = 0;
    }
    __syncthreads();
    for (int k = 0; k < times; k++) {
        atomicAdd(&s_sums[(threadIdx.x + k) % distinct], 1u);
    }
    __syncthreads();
    if (s_sums[threadIdx.x] == 7) {
        *d_result = 1;
    }
}

/* A chain of one operation each: its latency in clocks. */
template <class T, class Op> __global__ void latency(T first, T *d_result, long long *d_clocks, Op op) {
    T x = first;
    const long long from = clock64();
#pragma unroll 16
    for (int i = 0; i < STEPS; i++) {
        x = op(x, first);
    }
    *d_clocks = clock64() - from;
    *d_result = x;
}

template <class Op, class T> static void wait_of(const char *name, T first, void *d, Op op) {
    static long long *d_clocks;
    long long clocks;
    if (d_clocks == NULL) {
        must(cudaMalloc(&d_clocks, sizeof *d_clocks));
    }
    latency<T, Op><<<1, 32>>>(first, (T *)d, d_clocks, op);
    must(cudaMemcpy(&clocks, d_clocks, sizeof clocks, cudaMemcpyDeviceToHost));
    say(name, (double)clocks / STEPS, "clocks");
}

int main(void) {
    const size_t bytes = (size_t)1 << 30, words = bytes / 16, cached = ((size_t)16 << 20) / 16;
    int kilohertz;
    void *d_from, *d_to;
    must(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    must(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    hertz = kilohertz * 1e3;
    must(cudaEventCreate(&started));
    must(cudaEventCreate(&ended));
    must(cudaMalloc(&d_from, bytes));
    must(cudaMalloc(&d_to, bytes));
    must(cudaMemset(d_from, 0, bytes));
    say("clock", hertz, "hertz");
    say("multiprocessors", processors, "");

    say("launch", least([&] { nothing<<<1, 32>>>(); }) * 1e6, "us");
    say("launch_each_of_100", least([&] {
            for (int i = 0; i < 100; i++) {
                nothing<<<1, 32>>>();
            }
        }) * 1e4, "us");
    for (int threads = 32; threads <= 1024; threads *= 2) {
        char name[64];
        snprintf(name, sizeof name, "blocks_of_%d", threads);
        const int blocks = 1 << 20;
        say(name, blocks / (least([&] { nothing<<<blocks, threads>>>(); }) * hertz), "blocks a clock");
    }

    rate("fma", 0.5f, d_to, Fma());
    rate("fadd", 0.5f, d_to, Add());
    rate("dfma", 0.5, d_to, Dma());
    rate("imad", 3u, d_to, Mad());
    rate("xor_and_shift", 3u, d_to, Bits());
    rate("xor_and_max", 3, d_to, Max());
    rate("rsqrtf", 1.5f, d_to, Root());
    rate("sqrtf", 1.5f, d_to, Sqrt());
    rate("divide", 1.5f, d_to, Over());
    rate("double_divide", 1.5, d_to, DOver());
    rate("modulo", 17, d_to, Mod());
    rate("convert_twice", 1.5f, d_to, Cvt());
    rate("shuffle", 1.5f, d_to, Shuffle());
    wait_of("fma_latency", 0.5f, d_to, Fma());
    wait_of("dfma_latency", 0.5, d_to, Dma());
    wait_of("imad_latency", 3u, d_to, Mad());
    wait_of("shuffle_latency", 1.5f, d_to, Shuffle());
    wait_of("divide_latency", 1.5f, d_to, Over());
    wait_of("rsqrtf_latency", 1.5f, d_to, Root());

    shared_rate<int>("shared_1_way", 1, (float *)d_to);
    shared_rate<int>("shared_2_way", 2, (float *)d_to);
    shared_rate<int>("shared_4_way", 4, (float *)d_to);
    shared_rate<int>("shared_8_way", 8, (float *)d_to);
    shared_rate<int>("shared_32_way", 32, (float *)d_to);
    shared_rate<int>("shared_same_word", 0, (float *)d_to);
    shared_rate<float2>("shared_8_bytes", 1, (float *)d_to);
    shared_rate<float4>("shared_16_bytes", 1, (float *)d_to);
    cached_rate<int>("cached_4_bytes", 1, d_from, (float *)d_to);
    cached_rate<int>("cached_same_word", 0, d_from, (float *)d_to);
    cached_rate<int>("cached_stride_2", 2, d_from, (float *)d_to);
    cached_rate<int>("cached_stride_4", 4, d_from, (float *)d_to);
    cached_rate<int>("cached_stride_8", 8, d_from, (float *)d_to);
    cached_rate<int>("cached_stride_32", 32, d_from, (float *)d_to);
    cached_rate<float2>("cached_8_bytes", 1, d_from, (float *)d_to);
    cached_rate<float4>("cached_16_bytes", 1, d_from, (float *)d_to);
    for (int distinct = 1; distinct <= 32; distinct *= 2) {
        char name[64];
        snprintf(name, sizeof name, "constant_%d_words", distinct);
        const int blocks = processors * 8;
        const double s = least([&] { constant_loads<<<blocks, BLOCK>>>(distinct, (float *)d_to); });
        say(name, (double)blocks * BLOCK / 32 * 4 * STEPS / (s * hertz * processors), "requests");
    }

    const int many = processors * 8;
    const float4 *const from = (const float4 *)d_from;
    float *const to = (float *)d_to;
    say("dram_read", bytes / least([&] { read_all<<<many, BLOCK>>>(from, words, 1, to); }),
        "bytes a second");
    say("dram_write", bytes / least([&] { write_all<<<many, BLOCK>>>((float4 *)d_to, words); }),
        "bytes a second");
    say("dram_copy",
        2.0 * bytes / least([&] {
            copy_all<<<(unsigned)(words / BLOCK), BLOCK>>>(from, (float4 *)d_to, words);
        }),
        "bytes a second");
    say("l2_read", 32.0 * cached * 16 / least([&] { read_all<<<many, BLOCK>>>(from, cached, 32, to); }),
        "bytes a second");
    say("l2_write", cached * 16 / least([&] { write_all<<<many, BLOCK>>>((float4 *)d_to, cached); }),
        "bytes a second");
    const size_t lines = ((size_t)16 << 20) / 128;
    say("l2_sectors_apart",
        32.0 * lines * 64 / least([&] { read_sectors<<<many, BLOCK>>>((const float *)d_from, lines, 64, to); }),
        "bytes a second");

    for (int threads = 64; threads <= 1024; threads *= 4) {
        char name[64];
        snprintf(name, sizeof name, "barrier_of_%d", threads);
        const int blocks = processors * (2048 / threads), times = 4096;
        const double s = least([&] { barriers<<<blocks, threads>>>(times); });
        say(name, (double)times * (2048 / threads) / (s * hertz), "barriers");
    }
    const unsigned spread[] = {1, 32, 1024, 1u << 20};
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "atomics_on_%u", spread[i]);
        const int times = 16;
        const double s = least([&] { atomics<<<many, BLOCK>>>((float *)d_to, spread[i], times); });
        say(name, (double)many * BLOCK / 32 * times / (s * hertz), "warp atomics a clock of the GPU");
        if (i < 3) {
            snprintf(name, sizeof name, "shared_atomics_on_%u", spread[i]);
            const double t =
                least([&] { shared_atomics<<<many, BLOCK>>>(spread[i], 512, (unsigned *)d_to); });
            say(name, (double)many * BLOCK / 32 * 512 / (t * hertz * processors), "requests");
        }
    }
    return 0;
}
