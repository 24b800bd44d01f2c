/* The roofs of a GPU, for the report's roofline: nvcc -O3 -arch=native roofs.cu -o roofs && ./roofs
 *
 * Each is the best of some runs of a kernel that does one thing only: multiply-adds on registers,
 * loads that hit the L1 cache or shared memory, a copy far larger than the L2 cache. Prints TOML.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 256, RUNS = 20, CHAINS = 8, STEPS = 4096, LOADS = 8, TURNS = 2048, WORDS = 512 };

static void must(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "roofs: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

/* Two operations a step and chain. */
template <typename real>
static __global__ void multiply_add(real factor, real summand, real *d_result) {
    real chain[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        chain[i] = (real)threadIdx.x + (real)i;
    }
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < CHAINS; i++) {
            chain[i] = fma(chain[i], factor, summand);
        }
    }
    real sum = 0;
    for (int i = 0; i < CHAINS; i++) {
        sum += chain[i];
    }
    if (sum == -1) { /* never, but the compiler cannot know */
        *d_result = sum;
    }
}

/* Each warp loads 128 bytes at a time, of WORDS words that its block has to itself. All that is
 * loaded is 0; that the next address depends on it keeps the compiler from loading only once. */
#define LOAD(from)                                                                                 \
    unsigned at[LOADS], sum = 0;                                                                   \
    for (unsigned i = 0; i < LOADS; i++) {                                                         \
        at[i] = threadIdx.x + 32 * i;                                                              \
    }                                                                                              \
    for (int turn = 0; turn < TURNS; turn++) {                                                     \
        for (int i = 0; i < LOADS; i++) {                                                          \
            at[i] = (at[i] + 32 + (from)[at[i]]) % WORDS;                                          \
        }                                                                                          \
    }                                                                                              \
    for (int i = 0; i < LOADS; i++) {                                                              \
        sum += at[i];                                                                              \
    }                                                                                              \
    d_result[blockIdx.x * BLOCK + threadIdx.x] = sum

static __global__ void load_cached(const unsigned *__restrict__ d_from, unsigned *d_result) {
    LOAD(d_from + WORDS * blockIdx.x);
}

static __global__ void load_shared(const unsigned *d_from, unsigned *d_result) {
    __shared__ unsigned s_words[WORDS];
    for (unsigned i = threadIdx.x; i < WORDS; i += BLOCK) {
        s_words[i] = d_from[i];
    }
    __syncthreads();
    LOAD(s_words);
}

static cudaEvent_t started, ended;

/* Seconds since `started` was recorded. */
static double elapsed(void) {
    float ms = 0.0f;
    must(cudaGetLastError());
    must(cudaEventRecord(ended, 0));
    must(cudaEventSynchronize(ended));
    must(cudaEventElapsedTime(&ms, started, ended));
    return ms * 1e-3;
}

int main(void) {
    const size_t copied = (size_t)1 << 30; /* bytes each way */
    void *d_from, *d_to;
    cudaDeviceProp device;
    must(cudaGetDeviceProperties(&device, 0));
    must(cudaEventCreate(&started));
    must(cudaEventCreate(&ended));
    must(cudaMalloc(&d_from, copied));
    must(cudaMalloc(&d_to, copied));
    must(cudaMemset(d_from, 0, copied));

    double work = 1e9, work64 = 1e9, cached = 1e9, shared = 1e9, copy = 1e9;
    const int many = device.multiProcessorCount * 32, resident = device.multiProcessorCount * 8;
    for (int run = 0; run < RUNS; run++) {
        must(cudaEventRecord(started, 0));
        multiply_add<<<many, BLOCK>>>(0.999f, 0.001f, (float *)d_to);
        double s = elapsed();
        work = s < work ? s : work;
        must(cudaEventRecord(started, 0));
        multiply_add<<<many, BLOCK>>>(0.999, 0.001, (double *)d_to);
        s = elapsed();
        work64 = s < work64 ? s : work64;
        must(cudaEventRecord(started, 0));
        load_cached<<<resident, BLOCK>>>((const unsigned *)d_from, (unsigned *)d_to);
        s = elapsed();
        cached = s < cached ? s : cached;
        must(cudaEventRecord(started, 0));
        load_shared<<<resident, BLOCK>>>((const unsigned *)d_from, (unsigned *)d_to);
        s = elapsed();
        shared = s < shared ? s : shared;
        must(cudaEventRecord(started, 0));
        must(cudaMemcpyAsync(d_to, d_from, copied, cudaMemcpyDeviceToDevice, 0));
        s = elapsed();
        copy = s < copy ? s : copy;
    }
    printf("device = \"%s\"\n", device.name);
    const double operations = 2.0 * many * BLOCK * CHAINS * STEPS; /* a multiply-add counts two */
    printf("flops = %.4g  # float32; a multiply-add counts as two\n", operations / work);
    printf("flops64 = %.4g  # float64, without tensor cores\n", operations / work64);
    const double loaded = 4.0 * resident * BLOCK * LOADS * TURNS;
    printf("l1 = %.4g  # bytes a second, loads of 128 bytes a warp\n", loaded / cached);
    printf("shared = %.4g  # the same from shared memory\n", loaded / shared);
    printf("dram = %.4g  # bytes a second, read and written, of a copy of 1 GB\n",
           2.0 * (double)copied / copy);
    return 0;
}
