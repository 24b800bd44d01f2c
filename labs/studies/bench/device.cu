#include "device.h"

#include "bench/multiply_add.cuh"

#include <cuda_runtime.h>

#include <stdint.h>

enum { BLOCK = 256, BLOCKS_PER_SM = 8, REPEATS = 12, PER_MMA = 16 };

static cudaEvent_t started, stopped;
static int have_events;

int device_allocate(size_t bytes, void **d_memory) {
    return (int)cudaMalloc(d_memory, bytes);
}

int device_free(void *d_memory) {
    return (int)cudaFree(d_memory);
}

int device_write(void *d_to, const void *from, size_t bytes) {
    return (int)cudaMemcpy(d_to, from, bytes, cudaMemcpyHostToDevice);
}

int device_read(void *to, const void *d_from, size_t bytes) {
    return (int)cudaMemcpy(to, d_from, bytes, cudaMemcpyDeviceToHost);
}

int device_poison(void *d_memory, size_t bytes) {
    return (int)cudaMemset(d_memory, 0xff, bytes);
}

/* Each thread writes one vector, made of all vectors that it reads: those at a distance of
 * `written` from each other, so that neighbouring threads read neighbouring ones. */
static __global__ void move(const uint4 *d_from, size_t read, uint4 *d_to, size_t written) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint4 mixed = make_uint4(0, 0, 0, 0);
    if (i >= written) {
        return;
    }
#pragma unroll 4
    for (size_t from = i; from < read; from += written) {
        const uint4 one = d_from[from];
        mixed.x ^= one.x;
        mixed.y ^= one.y;
        mixed.z ^= one.z;
        mixed.w ^= one.w;
    }
    d_to[i] = mixed;
}

int device_copy(void *d_to, size_t written, const void *d_from, size_t read) {
    if (written == read) {
        return (int)cudaMemcpyAsync(d_to, d_from, read, cudaMemcpyDeviceToDevice, 0);
    }
    const size_t vectors = written / sizeof(uint4);
    move<<<(unsigned)((vectors + BLOCK - 1) / BLOCK), BLOCK>>>(
        (const uint4 *)d_from, read / sizeof(uint4), (uint4 *)d_to, vectors);
    return (int)cudaGetLastError();
}

int device_pinned(size_t bytes, void **h_memory) {
    return (int)cudaHostAlloc(h_memory, bytes, cudaHostAllocDefault);
}

int device_pinned_free(void *h_memory) {
    return (int)cudaFreeHost(h_memory);
}

int device_pin(void *h_memory, size_t bytes) {
    return (int)cudaHostRegister(h_memory, bytes, cudaHostRegisterDefault);
}

int device_unpin(void *h_memory) {
    return (int)cudaHostUnregister(h_memory);
}

int device_wait(void) {
    return (int)cudaDeviceSynchronize();
}

int device_begin(void) {
    cudaError_t error = cudaSuccess;
    if (!have_events) {
        error = cudaEventCreate(&started);
        if (error == cudaSuccess) {
            error = cudaEventCreate(&stopped);
        }
        have_events = error == cudaSuccess;
    }
    return (int)(error == cudaSuccess ? cudaEventRecord(started, 0) : error);
}

int device_end(double *ns) {
    float ms = 0.0f;
    cudaError_t error = cudaEventRecord(stopped, 0);
    if (error == cudaSuccess) {
        error = cudaEventSynchronize(stopped);
    }
    if (error == cudaSuccess) {
        error = cudaEventElapsedTime(&ms, started, stopped);
    }
    *ns = (double)ms * 1e6;
    return (int)error;
}

/* As many multiply-adds as multiply_add() has, times PER_MMA: each thread's share of a product of
 * matrices. A thread of a warp holds 2, 1 and 4 elements of the factors and the sum. */
static __global__ void tensor_work(double factor, double summand, double *d_result) {
    double sums[CHAINS][4], sum = 0;
    for (int i = 0; i < CHAINS; i++) {
        for (int j = 0; j < 4; j++) {
            sums[i][j] = (double)threadIdx.x + i + j;
        }
    }
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
        for (int i = 0; i < CHAINS; i++) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
            asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
                         "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                         : "+d"(sums[i][0]), "+d"(sums[i][1]), "+d"(sums[i][2]), "+d"(sums[i][3])
                         : "d"(factor), "d"(summand), "d"(summand));
#else
            for (int k = 0; k < PER_MMA; k++) {
                sums[i][k % 4] = sums[i][k % 4] * factor + summand;
            }
#endif
        }
    }
    for (int i = 0; i < CHAINS * 4; i++) {
        sum += sums[i / 4][i % 4];
    }
    if (sum == -1) {
        *d_result = sum;
    }
}

enum kind { FLOATS, DOUBLES, TENSOR_CORES };

static void launch(enum kind kind, int blocks, double *d_sink) {
    if (kind == FLOATS) {
        multiply_add<<<blocks, BLOCK>>>(0.999f, 0.001f, (float *)d_sink);
    } else if (kind == DOUBLES) {
        multiply_add<<<blocks, BLOCK>>>(0.999, 0.001, d_sink);
    } else {
        tensor_work<<<blocks, BLOCK>>>(0.999, 0.001, d_sink);
    }
}

static int rate_of(enum kind kind, double *rate) {
    int device = 0, processors = 0;
    double best = 0.0, *d_sink = NULL;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_sink, sizeof *d_sink);
    }
    const int blocks = processors * BLOCKS_PER_SM;
    const double work =
        (double)blocks * BLOCK * CHAINS * STEPS * (kind == TENSOR_CORES ? PER_MMA : 1);
    for (int i = 0; i < REPEATS && error == cudaSuccess; i++) {
        double ns = 0.0;
        error = (cudaError_t)device_begin();
        if (error == cudaSuccess) {
            launch(kind, blocks, d_sink);
            error = cudaGetLastError();
        }
        if (error == cudaSuccess) {
            error = (cudaError_t)device_end(&ns);
        }
        if (error == cudaSuccess) {
            const double now = work / (ns * 1e-9);
            best = now > best ? now : best;
        }
    }
    cudaFree(d_sink);
    *rate = best;
    return (int)error;
}

int device_float_rate(double *rate) {
    return rate_of(FLOATS, rate);
}

int device_double_rate(double *rate) {
    return rate_of(DOUBLES, rate);
}

int device_tensor_rate(double *rate) {
    return rate_of(TENSOR_CORES, rate);
}
