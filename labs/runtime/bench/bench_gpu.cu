/* Timing on a GPU: an event before and after the call, in the stream of the labs' functions. */
#include "bench.h"

#include "clock.h"
#include "multiply_add.cuh"

#include <cuda_runtime.h>

enum {
    SLOTS = 4,
    REPEATS = 12,
    BLOCK = 256,
    BLOCKS = 2048,
    BLOCKS_PER_SM = 8,
    IDLE_NS = 20000 /* waiting for an idle device takes less; every timed kernel takes longer */
};

static char *d_in[SLOTS], *d_out[SLOTS];
static uint32_t *d_sums;
static float *d_coefficients;
static double *d_sink; /* a place for a float or a double */
static cudaEvent_t started, stopped;

/* The rows of all planes of the output. */
static size_t rows_of(const struct bench_job *job) {
    return (size_t)job->planes * (size_t)job->height;
}

static cudaError_t allocate_slots(const struct bench_job *job) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < SLOTS && error == cudaSuccess; i++) {
        error = cudaMalloc((void **)&d_in[i], job->image_bytes);
        if (error == cudaSuccess) {
            error = cudaMalloc((void **)&d_out[i], job->out_bytes);
        }
    }
    return error;
}

/* Copies the mask, where there is one, to the device. */
static cudaError_t copy_mask(struct bench_job *job) {
    if (job->mask == NULL) {
        return cudaSuccess;
    }
    cudaError_t error = cudaMalloc((void **)&d_coefficients, job->mask_bytes);
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_coefficients, job->mask, job->mask_bytes, cudaMemcpyHostToDevice);
    }
    job->d_mask = d_coefficients;
    return error;
}

/* Nothing is freed after an error: the process then ends. */
int platform_open(struct bench_job *job) {
    cudaError_t error = allocate_slots(job);

    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_sums, rows_of(job) * sizeof *d_sums);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_sink, sizeof *d_sink);
    }
    if (error == cudaSuccess) {
        error = copy_mask(job);
    }
    if (error == cudaSuccess) {
        error = cudaEventCreate(&started);
    }
    if (error == cudaSuccess) {
        error = cudaEventCreate(&stopped);
    }
    return (int)error;
}

/* Four inputs and four outputs of 4096 x 4096 are 512 MB, ten times the L2 cache of an H200. */
int platform_slots(void) {
    return SLOTS;
}

int platform_warm_up(void) {
    return 10;
}

uint64_t platform_clock_ns(const struct bench_job *job) {
    (void)job;
    return clock_ns();
}

/* For bytes `count` is the number of 32-bit words: every image consists of whole words. */
static __global__ void fill(enum noise_kind kind, uint32_t key, size_t count, void *d_to) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        if (kind == NOISE_BYTES) {
            ((uint32_t *)d_to)[i] = noise_mix((uint32_t)i, key);
        } else if (kind == NOISE_FLOATS) {
            ((float *)d_to)[i] = noise_float((uint32_t)i, key);
        } else {
            ((double *)d_to)[i] = noise_double((uint32_t)i, key);
        }
    }
}

/* Each block sums one row at a time. */
static __global__ void sum_rows(const uint32_t *d_rows, size_t rows, size_t words,
                                uint32_t *d_result) {
    __shared__ uint32_t s_sum;
    for (size_t y = blockIdx.x; y < rows; y += gridDim.x) {
        if (threadIdx.x == 0) {
            s_sum = 0;
        }
        __syncthreads();
        uint32_t sum = 0;
        for (size_t i = threadIdx.x; i < words; i += blockDim.x) {
            sum += noise_row_share((uint32_t)i, d_rows[y * words + i]);
        }
        atomicAdd(&s_sum, sum);
        __syncthreads();
        if (threadIdx.x == 0) {
            d_result[y] = s_sum;
        }
    }
}

int platform_fill(int slot, const struct bench_job *job, uint32_t key) {
    const size_t count = job->kind == NOISE_BYTES ? job->image_count / 4 : job->image_count;

    fill<<<BLOCKS, BLOCK>>>(job->kind, key, count, d_in[slot]);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) {
        error = cudaMemset(d_out[slot], 0xff, job->out_bytes);
    }
    return (int)(error == cudaSuccess ? cudaDeviceSynchronize() : error);
}

/* Nanoseconds between the two events, and those that anything on the device runs on after them: an
 * event does not wait for work in a stream that does not wait for the default one. */
static cudaError_t elapsed(double *ns) {
    float ms = 0.0f;
    uint64_t after = 0;
    cudaError_t error = cudaEventRecord(stopped, 0);
    if (error == cudaSuccess) {
        error = cudaEventSynchronize(stopped);
    }
    if (error == cudaSuccess) {
        const uint64_t from = clock_ns();
        error = cudaDeviceSynchronize();
        after = clock_ns() - from;
    }
    if (error == cudaSuccess) {
        error = cudaEventElapsedTime(&ms, started, stopped);
    }
    *ns = (double)ms * 1e6 + (after > IDLE_NS ? (double)after : 0.0);
    return error;
}

int platform_time(int slot, const struct bench_side *side, const struct bench_job *job,
                  double *ns) {
    cudaError_t error = cudaEventRecord(started, 0);
    if (error == cudaSuccess) {
        error = (cudaError_t)lab_call(side, job, d_in[slot], d_out[slot]);
    }
    return (int)(error == cudaSuccess ? elapsed(ns) : error);
}

int platform_fetch(int slot, size_t first_byte, size_t bytes, void *to) {
    return (int)cudaMemcpy(to, d_out[slot] + first_byte, bytes, cudaMemcpyDeviceToHost);
}

int platform_sums(int slot, const struct bench_job *job, uint32_t *sums) {
    const size_t rows = rows_of(job), bytes = rows * sizeof *sums;

    sum_rows<<<BLOCKS, BLOCK>>>((const uint32_t *)d_out[slot], rows, job->out_bytes / rows / 4,
                                d_sums);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) {
        error = cudaMemcpy(sums, d_sums, bytes, cudaMemcpyDeviceToHost);
    }
    return (int)error;
}

/* Reads `read` vectors and writes `written`, each once: thread i writes vector i, made of vectors
 * i, i + written ... that it reads. cudaMemcpyAsync() takes as long where both are equal; where
 * more is read than written, it takes longer for as many bytes: lab 8's tuned kernel took 93 %. */
__global__ void copy_traffic(const uint4 *d_from, size_t read, uint4 *d_to, size_t written) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint4 all = {0, 0, 0, 0};
#pragma unroll 4
    for (size_t j = i; j < read && i < written; j += written) {
        const uint4 one = d_from[j];
        all.x ^= one.x, all.y ^= one.y, all.z ^= one.z, all.w ^= one.w;
    }
    if (i < written) {
        d_to[i] = all;
    }
}

int platform_limits(const struct bench_job *job, double *copy_ns, double *mac_rate) {
    const size_t read = job->image_bytes / sizeof(uint4), written = job->out_bytes / sizeof(uint4);
    int device = 0, processors = 0;
    double ns = 0.0, copy = 1e18, work = 1e18;
    cudaError_t error = cudaGetDevice(&device);

    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
    const int blocks = processors * BLOCKS_PER_SM;
    for (int i = 0; i < REPEATS && error == cudaSuccess; i++) {
        error = cudaEventRecord(started, 0);
        if (error == cudaSuccess) {
            copy_traffic<<<(unsigned)(written / BLOCK + 1), BLOCK>>>(
                (const uint4 *)d_in[i % SLOTS], read, (uint4 *)d_out[i % SLOTS], written);
            error = cudaGetLastError();
        }
        if (error == cudaSuccess) {
            error = elapsed(&ns);
        }
        copy = ns < copy ? ns : copy;
    }
    for (int i = 0; i < REPEATS && error == cudaSuccess; i++) {
        error = cudaEventRecord(started, 0);
        if (error == cudaSuccess) {
            if (job->kind == NOISE_DOUBLES) {
                multiply_add<<<blocks, BLOCK>>>(0.999, 0.001, d_sink);
            } else {
                multiply_add<<<blocks, BLOCK>>>(0.999f, 0.001f, (float *)d_sink);
            }
            error = cudaGetLastError();
        }
        if (error == cudaSuccess) {
            error = elapsed(&ns);
        }
        work = ns < work ? ns : work;
    }
    *copy_ns = copy;
    *mac_rate = (double)blocks * BLOCK * CHAINS * STEPS / (work * 1e-9);
    return (int)error;
}

const char *platform_error(int returned) {
    return cudaGetErrorName((cudaError_t)returned);
}
