// The kernels of many programs.
#pragma once
#include "check.h"

__global__ void fill(int *out, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value + i;
}

template <class T> __global__ void add_one(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}

template <class T> __global__ void twice(T *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2;
}

// Of one block.
template <class T> __global__ void ramp(T *out)
{
    out[threadIdx.x] = threadIdx.x;
}

__device__ int d_table[1000];

__global__ void fill_table(int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) d_table[i] = value + i;
}

// Configures a launch in the legacy default stream that may overlap the kernel before it there.
inline cudaLaunchConfig_t *overlapping(int blocks, int threads)
{
    static cudaLaunchAttribute attribute;
    static cudaLaunchConfig_t config;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    return &config;
}

// Fills the array, and lets the next kernel begin before it does.
__global__ void fill_early(int *out, int n, int value)
{
    cudaTriggerProgrammaticLaunchCompletion();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value + i;
}

// Lets the next kernel begin, waits for the one before, and adds one.
__global__ void add_one_behind(const int *in, int *out, int n)
{
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
